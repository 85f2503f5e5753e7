"""A part of an office file together with what it names: other parts, and addresses outside of the file."""

import posixpath
from xml.etree.ElementTree import Element

from knowhub.errors import Unreadable
from knowhub.readers.archive import Archive
from knowhub.readers.archive_xml import RELATIONSHIP, Related, by_kind, part, related

_SCHEMES = ("http://", "https://", "mailto:", "tel:", "ftp://")
_LONGEST_ADDRESS = 2000
_ESCAPED = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\n": "", "\t": ""})


class Source:
    """One part, the relationships of which are read when they are first needed."""

    def __init__(self, archive: Archive, path: str) -> None:
        """Keep the archive and the part's place in it."""
        self.archive = archive
        self.path = path
        self._links: dict[str, Related] | None = None
        self._addresses: dict[str, str] | None = None

    @property
    def links(self) -> dict[str, Related]:
        """The parts that it names, by the id it names them with."""
        if self._links is None:
            self._links = related(self.archive, self.path)
        return self._links

    def address(self, identity: str | None) -> str:
        """Give the address outside of the file that an id stands for; nothing where it stands for none to follow."""
        if self._addresses is None:
            self._addresses = _external(self.archive, self.path)
        return self._addresses.get(identity or "", "")

    def named(self, identity: str | None) -> "Source | None":
        """Give the part that an id stands for, if the file has it."""
        link = self.links.get(identity or "")
        return Source(self.archive, link.path) if link is not None and link.path in self.archive else None

    def of_kind(self, kind: str) -> list["Source"]:
        """List the related parts of a kind that the file has."""
        return [Source(self.archive, path) for path in by_kind(self.links, kind) if path in self.archive]

    def root(self) -> Element:
        """Read and parse the part; raises `Unreadable`."""
        return part(self.archive, self.path)

    def root_or_none(self) -> Element | None:
        """Read and parse the part, if that can be done."""
        try:
            return self.root()
        except Unreadable:
            return None


def link(words: str, address: str) -> str:
    """Write a link in Markdown; words that are the address already, and those without one, stay as they are."""
    shown = words.strip()
    target = escaped(address)
    if not shown or not target or shown.rstrip("/") == address.rstrip("/"):
        return words
    lead, tail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    return f"{lead}[{shown}]({target}){tail}"


def escaped(address: str) -> str:
    """Spell an address as a link's target; nothing where it is none that a reader could follow."""
    followed = address.lower().startswith(_SCHEMES) and len(address) <= _LONGEST_ADDRESS
    return address.translate(_ESCAPED) if followed else ""


def _external(archive: Archive, path: str) -> dict[str, str]:
    folder, name = posixpath.split(path)
    place = posixpath.join(folder, "_rels", f"{name}.rels")
    if place not in archive:
        return {}
    return {
        each.get("Id", ""): each.get("Target", "")
        for each in part(archive, place).iter(RELATIONSHIP)
        if each.get("TargetMode") == "External"
    }
