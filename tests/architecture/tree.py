"""The repository's own files, as the rules about them see them."""

import ast
import fnmatch
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "knowhub": ROOT / "layers" / "core" / "python" / "knowhub",
    "knowhub_cli": ROOT / "infra" / "cli" / "knowhub_cli",
}
FUNCTIONS = ROOT / "functions"


def modules() -> list[Path]:
    """List the Python files of both packages and of the functions, in a stable order."""
    found = [path for package in PACKAGES.values() for path in package.rglob("*.py")]
    return sorted([*found, *FUNCTIONS.glob("*/*.py")])


def apps() -> list[Path]:
    """List the functions' entry modules."""
    return sorted(FUNCTIONS.glob("*/app.py"))


def module_name(path: Path) -> str:
    """Name a package file as Python imports it; a function's file by its folder."""
    for name, folder in PACKAGES.items():
        if path.is_relative_to(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            return ".".join((name, *(part for part in parts if part != "__init__")))
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def label(path: Path) -> str:
    """Name a file in a test id."""
    return path.relative_to(ROOT).as_posix()


@cache
def syntax(path: Path) -> ast.Module:
    """Parse a file once per test run."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def files() -> Iterator[Path]:
    """Walk the files that belong to the repository: everything but what .gitignore names."""
    ignored = [line.rstrip("/") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines() if line]
    pending = [ROOT]
    while pending:
        for path in sorted(pending.pop().iterdir()):
            if path.name == ".git" or any(fnmatch.fnmatch(path.name, pattern) for pattern in ignored):
                continue
            if path.is_dir() and not path.is_symlink():
                pending.append(path)
            elif path.is_file():
                yield path


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Walk every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def classes(paths: Iterable[Path]) -> Iterator[tuple[Path, ast.ClassDef]]:
    """Walk every class of these files."""
    for path in paths:
        yield from ((path, node) for node in ast.walk(syntax(path)) if isinstance(node, ast.ClassDef))


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a body without its docstring."""
    statements = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if not statements:
        return 0
    return (statements[-1].end_lineno or statements[-1].lineno) - statements[0].lineno + 1
