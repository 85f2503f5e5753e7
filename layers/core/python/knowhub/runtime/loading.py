"""Finding the handler: the module search path and the import."""

import importlib
import site
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from knowhub.runtime.context import Context
from knowhub.runtime.faults import RuntimeFault

Handler: TypeAlias = Callable[[Any, Context], object]

_LAYER = Path(__file__).parents[2]


def arrange_path(task_root: str) -> None:
    """Put the function's code first, then the layer's site-packages, then what the interpreter started with.

    That is the managed runtime's order: task root, `/opt/python/lib/pythonX.Y/site-packages`, `/opt/python` (which the
    wrapper put into `PYTHONPATH`), the runtime's own folder, the standard library. `.pth` files of the site-packages
    are followed, as the managed runtime does.
    """
    packages = str(_LAYER / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages")
    first = [task_root, packages] if Path(packages).is_dir() else [task_root]
    sys.path[:] = [*first, *(entry for entry in sys.path if entry not in first)]
    if len(first) > 1:
        site.addsitedir(packages)


def load_handler(name: str) -> Handler:
    """Import `module.function`, with dots or slashes between packages.

    Raises `RuntimeFault` with the managed runtime's types; what else the module raises on import passes through.
    """
    module_name, dot, function_name = name.rpartition(".")
    if not (module_name and dot and function_name):
        raise RuntimeFault("Runtime.MalformedHandlerName", f"The handler {name!r} is not of the form module.function")
    if module_name.partition(".")[0] in sys.builtin_module_names:
        raise RuntimeFault("Runtime.BuiltInModuleConflict", f"The module {module_name} is one of Python's own")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        raise RuntimeFault("Runtime.ImportModuleError", f"Unable to import module {module_name!r}: {error}") from error
    except SyntaxError as error:
        raise RuntimeFault("Runtime.UserCodeSyntaxError", f"Syntax error in module {module_name!r}: {error}") from error
    handler = getattr(module, function_name, None)
    if not callable(handler):
        raise RuntimeFault("Runtime.HandlerNotFound", f"Module {module_name!r} has no function {function_name!r}")
    return handler  # type: ignore[no-any-return] # what a callable accepts shows when it is called
