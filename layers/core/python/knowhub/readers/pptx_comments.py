"""Comments on slides, in the form of before and of since 2021."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from knowhub.readers.archive_graphics import drawing_text
from knowhub.readers.archive_losses import Tally
from knowhub.readers.archive_parts import Source
from knowhub.readers.archive_xml import attribute, child, local

_AUTHOR_KINDS = ("commentAuthors", "authors")


def authors(main: Source) -> Mapping[str, str]:
    """Read the names of who has commented, by the id that comments give."""
    found = {}
    for kind in _AUTHOR_KINDS:
        for part in main.of_kind(kind):
            root = part.root_or_none()
            for each in root if root is not None else ():
                found[attribute(each, "id") or ""] = attribute(each, "name") or ""
    return found


def comments(slide: Source, names: Mapping[str, str], tally: Tally, where: str) -> list[str]:
    """Write a slide's comments and the replies to them, a line each; a part that can't be read is counted."""
    found: list[str] = []
    for part in slide.of_kind("comments"):
        root = part.root_or_none()
        if root is None:
            tally.add("COMMENTS_NOT_READ", where)
        else:
            found += filter(None, _lines(root, names))
    return found


def _lines(root: Element, names: Mapping[str, str]) -> Iterator[str]:
    for each in root.iter():
        if local(each) in {"cm", "reply"}:
            plain, rich = child(each, "text"), child(each, "txBody")
            text = (plain.text or "") if plain is not None else "" if rich is None else drawing_text(rich)
            author = names.get(attribute(each, "authorId") or "", "")
            words = " ".join(text.split())
            yield f"Comment{f' ({author})' if author else ''}: {words}" if words else ""
