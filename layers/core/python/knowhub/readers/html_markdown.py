"""From a page's tree to Markdown, event by event."""

import re
from collections.abc import Callable
from itertools import repeat
from typing import Any
from urllib.parse import urljoin

from knowhub.readers.html_blocks import BREAK, Blocks, Container, cell, inline_code
from knowhub.readers.html_cleaning import CODE, LINK
from knowhub.readers.html_tables import Table
from knowhub.readers.html_tree import Survey, events

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "dialog", "dir", "div", "dl",
     "dt", "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "hr", "legend", "li", "main", "menu",
     "ol", "option", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
     "ul", *_HEADINGS}
)  # fmt: skip
_WORDS = frozenset({"img", "input", "rt"})
_FIELDS = frozenset(
    {"text", "search", "tel", "url", "email", "number", "date", "month", "week", "time", "datetime-local"}
)
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEMS = frozenset({"li", "dd"})
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|brush|highlight-source)[-:]\s*([\w+#.-]+)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")
_SCHEMES = ("http:", "https:", "mailto:", "tel:", "ftp:")
_LONGEST_ADDRESS = 2000
_MOST_BLANKS = 100_000
"""Empty cells that spans are filled with in one document: a few bytes of markup can ask for any number."""
_ESCAPED_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\n": "", "\t": ""})


def to_markdown(found: Survey) -> str:
    """Write the page's content as Markdown; headings, lists, tables, links, quotes and code keep their form."""
    writer = _Writer(found)
    for root in found.roots:
        for kind, value, node in events(root):
            if kind == "text":
                writer.text(value)
            elif kind == "open":
                writer.open(value, node)
            else:
                writer.close(value, node)
        writer.end_block()
    return writer.blocks.text()


class _Writer:
    """Collects text until a block ends, then writes the block."""

    def __init__(self, found: Survey) -> None:
        self.blocks = Blocks()
        self._found = found
        self._parts: list[str] = []
        self._links: list[int] = []
        self._code: list[int] = []
        self._heading = 0
        self._pre = 0
        self._language = ""
        self._lists: list[int | None] = []
        self._table: Table | None = None
        self._blanks = repeat("", _MOST_BLANKS)

    def text(self, value: str) -> None:
        self._parts.append(value if self._pre else value.replace(BREAK, " "))

    def open(self, tag: str, node: Any) -> None:
        if self._pre:
            self._open_in_pre(tag, node)
        elif tag == "br":
            self._parts.append(BREAK)
        elif tag in _WORDS:
            self._parts.append(_words(tag, node))
        elif tag == LINK:
            self._links.append(len(self._parts))
        elif tag == CODE:
            self._code.append(len(self._parts))
        elif tag in _BLOCKS:
            self._open_block(tag, node)

    def close(self, tag: str, node: Any) -> None:
        if tag == "pre" and self._pre:
            self._close_pre()
        elif self._pre:
            self._parts.append("\n" if tag in {"div", "p", "li"} else "")
        elif tag == LINK:
            self._close_span(self._links, lambda words: _link(words, node.attributes.get("href"), self._found.base))
        elif tag == CODE:
            self._close_span(self._code, inline_code)
        elif tag == "rt":
            self._parts.append(")")
        elif tag in _BLOCKS:
            self._close_block(tag, node)

    def end_block(self) -> None:
        """Write what was collected: into the table's cell, or as a block."""
        if self._table is not None and self._table.in_cell:
            self._parts.append(" ")
            return
        words = "".join(self._parts)
        self._parts.clear()
        self._links.clear()
        self._code.clear()
        if self._heading:
            self.blocks.heading(self._heading, words)
        else:
            self.blocks.paragraph(words)

    def _open_in_pre(self, tag: str, node: Any) -> None:
        if tag == "br":
            self._parts.append("\n")
        elif tag == "pre":
            self._pre += 1
        elif tag == CODE:
            self._language = self._language or _language(node)

    def _close_pre(self) -> None:
        self._pre -= 1
        if not self._pre:
            text = "".join(self._parts)
            self._parts.clear()
            self.blocks.code(text, self._language)

    def _close_span(self, starts: list[int], write: Callable[[str], str]) -> None:
        """Write the words since a span began; one in which a block ended has lost its beginning and stays plain."""
        if not starts:
            return
        start = starts.pop()
        words = "".join(self._parts[start:])
        del self._parts[start:]
        self._parts.append(write(words))

    def _open_block(self, tag: str, node: Any) -> None:
        if self._table is not None and self._opened_in_table(self._table, tag, node):
            return
        self.end_block()
        if tag in _HEADINGS:
            self._heading = _HEADINGS[tag]
        elif tag == "pre":
            self._pre, self._language = 1, _language(node)
        elif tag in _LISTS:
            self._lists.append(_first_number(node) if tag == "ol" else None)
        elif tag == "table":
            self._open_table(node)
        elif tag == "blockquote" or tag in _ITEMS:
            self.blocks.containers.append(self._item() if tag in _ITEMS else Container("> ", "> ", is_item=False))

    def _opened_in_table(self, table: Table, tag: str, node: Any) -> bool:
        """Begin a row or a cell, or keep a block within a cell to mere words."""
        if table.open(tag, node):
            self._parts.clear()
            return True
        if table.in_cell:
            self.end_block()
        return table.in_cell

    def _open_table(self, node: Any) -> None:
        if self._table is None and node.mem_id not in self._found.layout:
            self._table = Table(node.mem_id, self._blanks)

    def _close_block(self, tag: str, node: Any) -> None:
        table = self._table
        if table is not None and table.closes_cell(tag):
            table.end_cell(cell("".join(self._parts)))
            self._parts.clear()
            return
        self.end_block()
        if table is not None and tag == "table" and table.mem_id == node.mem_id:
            self._table = None
            self.blocks.table(table.rows)
        elif table is not None and table.in_cell:
            return
        elif tag in _HEADINGS:
            self._heading = 0
        elif tag == "blockquote" or tag in _ITEMS:
            self.blocks.containers.pop()
        elif tag in _LISTS:
            self._lists.pop()

    def _item(self) -> Container:
        number = self._lists[-1] if self._lists else None
        if number is not None:
            self._lists[-1] = number + 1
        marker = "- " if number is None else f"{number}. "
        return Container(marker, " " * len(marker), is_item=True)


def _words(tag: str, node: Any) -> str:
    """Give the words that stand in an element's attributes, or the bracket before how a word is pronounced.

    Of a form's field that is what it is filled in with; the words on buttons, and what is not shown, are no content.
    """
    if tag == "rt":
        return "("
    if tag == "img":
        return f" {node.attributes.get('alt') or ''} "
    kind = (node.attributes.get("type") or "text").lower()
    return f" {node.attributes.get('value') or ''} " if kind in _FIELDS else ""


def _first_number(node: Any) -> int:
    start = node.attributes.get("start") or "1"
    return int(start) if start.isascii() and start.isdecimal() and len(start) < 9 else 1  # noqa: PLR2004 - CommonMark's limit


def _language(node: Any) -> str:
    match = _LANGUAGE.search(node.attributes.get("class") or "")
    return match.group(1) if match else ""


def _link(words: str, href: str | None, base: str) -> str:
    """Write a link; an address that is not to be followed from a document, such as a script, leaves its words alone."""
    lead, tail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    shown = words.strip()
    address = _address((href or "").strip(), base)
    return f"{lead}[{shown}]({address}){tail}" if shown and address else words


def _address(href: str, base: str) -> str:
    if not href or href.startswith("#") or len(href) > _LONGEST_ADDRESS:
        return ""
    if not _SCHEME.match(href) and base.lower().startswith(("http://", "https://")):
        try:
            href = urljoin(base, href)
        except ValueError:
            return ""
    if _SCHEME.match(href) and not href.lower().startswith(_SCHEMES):
        return ""
    return href.translate(_ESCAPED_IN_ADDRESS)
