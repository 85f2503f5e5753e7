"""XML parts of office files, read without document types and entities, as trees and as ranges of the archive."""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, XMLParser

from knowhub.errors import Unreadable
from knowhub.model.document import Loss
from knowhub.readers.archive import Archive
from knowhub.readers.archive_prolog import broken, refuse_document_type

MOST_DEPTH = 256
"""Elements within each other; Word's own files stay under 60."""
_LONGEST_TITLE = 200
RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


@dataclass(frozen=True, slots=True)
class Related:
    """A part that another one names: the last word of the relationship's type, and where the part is."""

    kind: str
    path: str


def parse(data: bytes) -> Element:
    """Parse a part; raises `Unreadable` where it is no XML, has a document type, or is nested too deeply."""
    refuse_document_type(data)
    # There is no document type, so the parser has no entities to expand and nothing to fetch.
    parser = XMLParser()  # noqa: S314 - as above
    try:
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, ValueError, LookupError) as error:
        raise broken() from error
    _refuse_depth(root)
    return root


def local(element: Element) -> str:
    """Give an element's name without its namespace, which strict and usual files don't share."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str | None:
    """Give an attribute by its name without namespace."""
    for key, value in element.items():
        if key.rpartition("}")[2] == name:
            return value
    return None


def child(element: Element | None, name: str) -> Element | None:
    """Give the first child of this name, without namespace."""
    return None if element is None else next((each for each in element if local(each) == name), None)


def value_of(element: Element | None, *path: str) -> str | None:
    """Follow children by name and give the last one's `val` attribute."""
    for name in path:
        element = child(element, name)
    return None if element is None else attribute(element, "val")


def choice(alternatives: Element) -> Element:
    """Take the first of several forms of one thing: the others say the same for older programs."""
    return next(iter(alternatives), alternatives)


def main_part(archive: Archive) -> str:
    """Find the part that an office file's text is in; raises `Unreadable`."""
    found = next(by_kind(related(archive, ""), "officeDocument"), None)
    if found is None or found not in archive:
        raise Unreadable("the file has no document in it", {"reason": "PART_MISSING"})
    return found


def title(archive: Archive) -> str | None:
    """Give the title from a file's properties, white space made single."""
    path = next(by_kind(related(archive, ""), "core-properties"), None)
    if path is None or path not in archive:
        return None
    found = next((each for each in part(archive, path).iter() if local(each) == "title"), None)
    words = " ".join((found.text or "").split()) if found is not None else ""
    return words[:_LONGEST_TITLE] or None


def embedded_losses(archive: Archive) -> tuple[Loss, ...]:
    """Say which files within the file are not opened: archives in archives never are."""
    names = [name for name in archive.names if "/embeddings/" in name and not name.endswith("/")]
    return tuple(Loss("EMBEDDED_NOT_READ", name, "a file within the file is not opened") for name in names)


def part(archive: Archive, path: str) -> Element:
    """Read and parse a part of an office file; raises `Unreadable`."""
    return parse(archive.read(path))


def related(archive: Archive, path: str) -> dict[str, Related]:
    """Read the parts that a part names, by the id it names them with; links out of the file are left out."""
    folder, name = posixpath.split(path)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if place not in archive:
        return {}
    found = {}
    for link in part(archive, place).iter(RELATIONSHIP):
        if link.get("TargetMode") != "External":
            target = resolve(folder, link.get("Target", ""))
            found[link.get("Id", "")] = Related(link.get("Type", "").rpartition("/")[2], target)
    return found


def by_kind(links: Mapping[str, Related], kind: str) -> Iterator[str]:
    """List the paths of the related parts of a kind, in the order they are named."""
    return (link.path for link in links.values() if link.kind == kind)


def resolve(folder: str, target: str) -> str:
    """Make a relationship's target the name of an entry; a path that climbs out names none."""
    path = unquote(target)
    joined = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
    return posixpath.normpath(joined)


def _refuse_depth(root: Element) -> None:
    level = [root]
    depth = 0
    while level:
        depth += 1
        if depth > MOST_DEPTH:
            raise Unreadable("the file's XML is nested too deeply", {"reason": "TOO_DEEP"})
        level = [child for element in level for child in element]
