"""SnapStart: what happens between the initialisation and the first event of an environment that is snapshotted."""

import importlib
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeAlias

Hook: TypeAlias = tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]


class Hooks(Protocol):
    """The registry that Lambda's `snapshot_restore_py` offers."""

    def get_before_snapshot(self) -> list[Hook]:
        """Hooks in the order of their registration."""

    def get_after_restore(self) -> list[Hook]:
        """Hooks in the order of their registration."""


class NoHooks:
    """Stands in where the registry is not installed: then nothing can have been registered."""

    def get_before_snapshot(self) -> list[Hook]:
        """Nothing."""
        return []

    def get_after_restore(self) -> list[Hook]:
        """Nothing."""
        return []


def installed_hooks() -> Hooks:
    """Find the registry that handlers register with."""
    try:
        registry: Hooks = importlib.import_module("snapshot_restore_py")
    except ModuleNotFoundError:
        return NoHooks()
    return registry


def run_before_snapshot(hooks: Hooks) -> None:
    """Run the hooks, last registered first, as the managed runtime does."""
    _run(reversed(hooks.get_before_snapshot()))


def run_after_restore(hooks: Hooks) -> None:
    """Run the hooks, first registered first."""
    _run(hooks.get_after_restore())


def _run(hooks: Iterable[Hook]) -> None:
    for function, arguments, named in hooks:
        function(*arguments, **named)
