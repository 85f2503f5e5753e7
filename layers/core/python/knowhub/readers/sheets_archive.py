"""What is looked for in a workbook's archive beside its cells: what the cell library leaves out without a word."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from knowhub.model.document import Loss
from knowhub.readers.archive import Archive
from knowhub.readers.archive_prolog import refuse_broken
from knowhub.readers.sheets_ods import spaced
from knowhub.readers.sheets_sparse import Packed, packed

# Each stays within one tag, or between two, so that none reads anything twice.
_ERROR = re.compile(rb'<(?:\w+:)?c\s[^<>]*\bt="e"')
_FORMULA_ALONE = re.compile(rb"<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<>]*</(?:\w+:)?f>)\s*</(?:\w+:)?c>")
_FORMULA_EMPTY = re.compile(
    rb"<(?:\w+:)?c\b(?![^<>]*\bt=[\"']str[\"'])[^<>]*+>\s*+"
    rb"<(?:\w+:)?f\b(?:[^<>]*+(?<=/)>|[^<>]*+>[^<>]*+</(?:\w+:)?f>)\s*+"
    rb"<(?:\w+:)?v\b(?:[^<>]*+(?<=/)>|[^<>]*+>\s*+</(?:\w+:)?v>)\s*+</(?:\w+:)?c>"
)
"""An empty value behind a formula: a result in a cell of text (`t="str"`), none in any other."""
_HIDDEN_STYLE = re.compile(
    rb'<style:style\s[^<>]*\bstyle:name="([^"<>]*)"[^<>]*>\s*<style:table-properties\s[^<>]*\btable:display="false"'
)
_TABLE = re.compile(rb"<table:table\s([^<>]*)>")
_TABLE_NAME = re.compile(rb'\btable:name="([^"<>]*)"')
_TABLE_STYLE = re.compile(rb'\btable:style-name="([^"<>]*)"')
_ENTITIES = ((b"&lt;", b"<"), (b"&gt;", b">"), (b"&quot;", b'"'), (b"&apos;", b"'"), (b"&amp;", b"&"))


def is_wanted(name: str) -> bool:
    """Whether a part is one of text: pictures, files within the file, and settings are not even inflated."""
    is_text = name.endswith((".xml", ".rels", ".vml")) or name == "mimetype"
    return is_text and not name.startswith("Configurations2/")


@dataclass(slots=True)
class Survey:
    """What was found: losses, which tables of an OpenDocument file are not shown, and parts that had to be changed."""

    losses: list[Loss] = field(default_factory=list)
    hidden: frozenset[str] = frozenset()
    packed: dict[str, Packed] = field(default_factory=dict)
    changed: dict[str, bytes] = field(default_factory=dict)


def survey(archive: Archive) -> Survey:
    """Read every part once.

    Raises `Unreadable` where a part has a document type or is no XML, and where a sheet's cells are too far apart.
    """
    found = Survey()
    for name in archive.names:
        if name == "mimetype" or name.endswith(".vml"):
            continue
        content = archive.read(name)
        # The cell library loops for ever over some XML that ends too early.
        refuse_broken(content)
        if name.startswith("xl/worksheets/") and name.endswith(".xml"):
            found.losses.extend(_lost_cells(name, content))
            sparse = packed(name, content)
            if sparse is not None:
                found.packed[name] = sparse
                found.changed[name] = sparse.content
        elif name == "content.xml":
            found.hidden = _hidden_tables(content)
            changed = spaced(content)
            if changed != content:
                found.changed[name] = changed
    return found


def _lost_cells(name: str, content: bytes) -> Iterator[Loss]:
    """Count the cells whose value is an error or was never calculated."""
    count = sum(1 for _ in _ERROR.finditer(content))
    if count:
        yield Loss("CELL_ERROR", name, f"{count} cells with an error are empty here")
    count = sum(1 for pattern in (_FORMULA_ALONE, _FORMULA_EMPTY) for _ in pattern.finditer(content))
    if count:
        yield Loss("FORMULA_WITHOUT_VALUE", name, f"{count} formulas saved without a result are empty here")


def _hidden_tables(content: bytes) -> frozenset[str]:
    styles = set(_HIDDEN_STYLE.findall(content))
    return frozenset(
        _text(name)
        for attributes in _TABLE.findall(content)
        if _first(_TABLE_STYLE.search, attributes) in styles and (name := _first(_TABLE_NAME.search, attributes))
    )


def _first(search: Callable[[bytes], re.Match[bytes] | None], attributes: bytes) -> bytes:
    match = search(attributes)
    return match.group(1) if match else b""


def _text(raw: bytes) -> str:
    for written, meant in _ENTITIES:
        raw = raw.replace(written, meant)
    return raw.decode(errors="replace")
