"""Modules, functions and classes stay small enough to be read at once."""

import ast

from tests.architecture import tree

MAX_MODULE_LINES = 300
MAX_BODY_LINES = 40
SMALL_BODY_LINES = 20
SMALL_SHARE = 0.9
MAX_PUBLIC_METHODS = 12
GRAB_BAGS = {"utils", "util", "helpers", "helper", "common", "base", "misc", "manager", "managers", "shared", "stuff"}
OPEN_ROOTS = {
    "Exception", "BaseException", "RuntimeError", "ValueError", "Protocol", "BaseModel", "BaseSettings", "RootModel",
    "NamedTuple", "TypedDict", "Enum", "StrEnum", "IntEnum",
}  # fmt: skip
"""Families that may be deeper: what they model is a tree by nature."""

MODULES = tree.modules()


def test_there_are_modules_to_judge() -> None:
    assert len(MODULES) > 20


def test_a_module_is_at_most_300_lines() -> None:
    lengths = {tree.label(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > MAX_MODULE_LINES} == {}


def test_a_function_body_is_at_most_40_lines() -> None:
    long = {
        f"{tree.label(path)}:{function.lineno} {function.name}": tree.body_lines(function)
        for path in MODULES
        for function in tree.functions_of(tree.syntax(path))
        if tree.body_lines(function) > MAX_BODY_LINES
    }
    assert long == {}


def test_nine_of_ten_function_bodies_are_at_most_20_lines() -> None:
    lengths = [tree.body_lines(function) for path in MODULES for function in tree.functions_of(tree.syntax(path))]
    small = sum(length <= SMALL_BODY_LINES for length in lengths)
    assert small >= SMALL_SHARE * len(lengths)


def test_a_class_has_at_most_12_public_methods() -> None:
    wide = {}
    for path, node in tree.classes(MODULES):
        methods = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
        public = sum(not method.name.startswith("_") for method in methods)
        if public > MAX_PUBLIC_METHODS:
            wide[f"{tree.label(path)} {node.name}"] = public
    assert wide == {}


def test_modules_and_folders_are_named_after_what_they_hold() -> None:
    assert [
        tree.label(path) for path in MODULES if GRAB_BAGS & {*path.relative_to(tree.ROOT).with_suffix("").parts}
    ] == []


def test_a_package_file_holds_a_docstring_only() -> None:
    packages = [path for path in MODULES if path.name == "__init__.py"]
    fuller = [
        tree.label(path)
        for path in packages
        if len(tree.syntax(path).body) != 1 or not ast.get_docstring(tree.syntax(path))
    ]
    assert fuller == []


def test_every_module_says_what_it_is() -> None:
    assert [tree.label(path) for path in MODULES if not ast.get_docstring(tree.syntax(path))] == []


def _bases() -> dict[str, list[str]]:
    """Map each class to its bases' last names; classes that share a name are judged by the last one's bases."""
    return {
        node.name: [ast.unparse(base).split("[")[0].rpartition(".")[2] for base in node.bases]
        for _, node in tree.classes(MODULES)
    }


def _depth(name: str, bases: dict[str, list[str]]) -> int:
    """Count the levels above a class; an open family counts as none."""
    above = [base for base in bases.get(name, []) if base not in OPEN_ROOTS and base != "Generic"]
    return max((1 + _depth(base, bases) for base in above if not _is_open(base, bases)), default=0)


def _is_open(name: str, bases: dict[str, list[str]]) -> bool:
    return name in OPEN_ROOTS or any(_is_open(base, bases) for base in bases.get(name, []))


def test_inheritance_is_at_most_one_level_deep() -> None:
    bases = _bases()
    deep = {name for name in bases if not _is_open(name, bases) and _depth(name, bases) > 1}
    assert deep == set()
