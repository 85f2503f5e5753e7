"""Walking a parsed page without recursion, past all that a reader of the page does not see."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from knowhub.readers.html_cleaning import FOREIGN, OMITTED, TITLE

_LEAST_OF_BODY = 0.25
"""Share of the page's text that its main element must hold to be taken for its content."""
_STRUCTURE = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "dl", "blockquote", "table"})
_NOT_SHOWN = frozenset({TITLE, OMITTED, "nav", "rp"})
_MAY_BE_MAIN = frozenset({"div", "section", "article"})
_TEXT = "-text"
_TEXTS = frozenset({_TEXT, FOREIGN})


class Event(NamedTuple):
    """What the walk meets: `kind` is `open`, `close` or `text`; `value` is the tag, or the text."""

    kind: str
    value: str
    node: Any


@dataclass(slots=True)
class Survey:
    """What one walk over the page tells before it is written: its title, base address, content, and tables of data.

    `layout` are the tables that arrange a page, not data: something with a structure of its own stands in them.
    """

    title: str = ""
    base: str = ""
    roots: list[Any] = field(default_factory=list)
    layout: set[int] = field(default_factory=set)


def events(root: Any) -> Iterator[Event]:
    """Walk a node and all below it that is shown, in the order of the document."""
    node, depth = root, 0
    while True:
        tag = node.tag
        below = None
        if tag in _TEXTS:
            yield from _texts(node, tag)
        elif tag is not None and not tag.startswith("-") and is_shown(node, tag):
            yield Event("open", tag, node)
            below = node.first_child
            if below is None:
                yield Event("close", tag, node)
        if below is not None:
            node, depth = below, depth + 1
            continue
        while depth and node.next is None:
            node, depth = node.parent, depth - 1
            yield Event("close", node.tag, node)
        if not depth:
            return
        node = node.next


def _texts(node: Any, tag: str) -> Iterator[Event]:
    """Give a text, or the words that stand in a drawing: its title and its parts have none that are shown."""
    if tag == _TEXT:
        yield Event("text", node.text_content or "", node)
    elif is_shown(node, tag):
        yield from (Event("text", f" {words.text(separator=' ')} ", words) for words in node.css("text"))


def is_shown(node: Any, tag: str) -> bool:
    """Whether an element is part of what a reader of the page sees."""
    if tag in _NOT_SHOWN:
        return False
    attributes = node.attributes
    if not attributes:
        return True
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return False
    return bool(attributes.get("aria-hidden") != "true" and attributes.get("role") != "navigation")


def survey(page: Any) -> Survey:
    """Look at the whole page once; its content is its main element, or all of its body where that holds too little."""
    found = Survey()
    title, base = page.css_first(TITLE), page.css_first("base")
    found.title = (title.text() if title is not None else "").strip() or _other_title(page)
    found.base = (base.attributes.get("href") or "") if base is not None else ""
    body = page.body
    if body is None:
        return found
    _note_layout(found, body)
    found.roots = _main_elements(body) or [body]
    return found


def _other_title(page: Any) -> str:
    """Give the title that a page without one has for those who link to it, or its first heading."""
    linked, heading = page.css_first('meta[property="og:title"]'), page.css_first("h1")
    stated = (linked.attributes.get("content") or "").strip() if linked is not None else ""
    return stated or (heading.text() if heading is not None else "")


def _note_layout(found: Survey, body: Any) -> None:
    tables: list[int] = []
    for kind, value, node in events(body):
        if kind == "open":
            if value in _STRUCTURE and tables:
                found.layout.add(tables[-1])
            if value == "table":
                tables.append(node.mem_id)
                if node.attributes.get("role") in {"presentation", "none"}:
                    found.layout.add(node.mem_id)
        elif kind == "close" and value == "table":
            tables.pop()


def _main_elements(body: Any) -> list[Any]:
    """Give the outermost main elements, if they hold enough of what the page shows."""
    mains: list[Any] = []
    inside = characters = in_mains = 0
    for kind, value, node in events(body):
        if kind == "text":
            length = len(value.strip())
            characters += length
            in_mains += length if inside else 0
        elif _is_main(value, node):
            if kind == "open" and not inside:
                mains.append(node)
            inside += 1 if kind == "open" else -1
    return mains if in_mains >= _LEAST_OF_BODY * characters else []


def _is_main(tag: str, node: Any) -> bool:
    return tag == "main" or (tag in _MAY_BE_MAIN and node.attributes.get("role") == "main")
