"""Every port has a page that names its operations."""

import ast
from pathlib import Path

import pytest

from tests.architecture import tree


def protocols(path: Path) -> list[ast.ClassDef]:
    return [node for _, node in tree.classes([path]) if "Protocol" in {ast.unparse(base) for base in node.bases}]


PORTS = [path for path in sorted((tree.PACKAGES["knowhub"] / "ports").glob("*.py")) if protocols(path)]


def test_there_are_ports() -> None:
    assert {"table", "blobs", "queue", "chunk_index"} <= {path.stem for path in PORTS}


@pytest.mark.parametrize("path", PORTS, ids=[path.stem for path in PORTS])
def test_a_port_has_a_page_that_leads_to_its_declaration(path: Path) -> None:
    page = (tree.ROOT / "docs" / "ports" / f"{path.stem.replace('_', '-')}.md").read_text(encoding="utf-8")
    assert f"ports/{path.name}" in page


@pytest.mark.parametrize("path", PORTS, ids=[path.stem for path in PORTS])
def test_a_port_is_small_and_documented_where_it_is_declared(path: Path) -> None:
    for protocol in protocols(path):
        operations = [item for item in protocol.body if isinstance(item, ast.FunctionDef)]
        assert 1 <= len(operations) <= 8
        assert ast.get_docstring(protocol)
        assert [item.name for item in operations if not ast.get_docstring(item)] == []
