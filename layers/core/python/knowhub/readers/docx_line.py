"""The text of one paragraph while it is walked: its pieces, the fields that are open, and what is to follow it."""

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from knowhub.readers.archive_parts import link
from knowhub.readers.archive_xml import attribute, child, local, value_of

_ADDRESS = re.compile(r'\s*HYPERLINK\s+"([^"]*)"', re.IGNORECASE)
_OFF = frozenset({"0", "false", "off"})


@dataclass(slots=True)
class _Field:
    start: int
    instruction: list[str] = field(default_factory=list)
    is_result: bool = False


class Line:
    """Collects one paragraph; `after` are the text boxes, and the lines of charts, that follow it."""

    def __init__(self) -> None:
        """Begin an empty paragraph."""
        self.after: list[Element | str] = []
        self._parts: list[str] = []
        self._fields: list[_Field] = []

    @property
    def text(self) -> str:
        """What has been collected."""
        return "".join(self._parts)

    def add(self, text: str) -> None:
        """Add text, unless it is the result of a field that another field's instruction asks for."""
        if all(each.is_result for each in self._fields[:-1]):
            self._parts.append(text)

    def mark(self) -> int:
        """Say how much has been collected, for `link`."""
        return len(self._parts)

    def link(self, start: int, address: str) -> None:
        """Make a link of all that has been collected since."""
        words = "".join(self._parts[start:])
        del self._parts[start:]
        self._parts.append(link(words, address))

    def bracket(self, start: int) -> None:
        """Put all that has been collected since into brackets."""
        words = "".join(self._parts[start:])
        del self._parts[start:]
        self._parts.append(f"({words})" if words.strip() else words)

    def instruct(self, text: str) -> None:
        """Add to the instruction of the innermost field."""
        if self._fields:
            self._fields[-1].instruction.append(text)

    def field_mark(self, mark: Element) -> None:
        """Follow a field from its beginning over its separator to its end; one never ended ends with the paragraph."""
        kind = attribute(mark, "fldCharType")
        if kind == "begin":
            self.add(_form_value(child(mark, "ffData")))
            self._fields.append(_Field(len(self._parts)))
        elif kind == "separate" and self._fields:
            self._fields[-1].is_result = True
        elif kind == "end" and self._fields:
            ended = self._fields.pop()
            address = _ADDRESS.match("".join(ended.instruction))
            if address is not None:
                self.link(ended.start, address.group(1))


def _form_value(form: Element | None) -> str:
    """Give what a form's box or list shows: they have no result as text fields do."""
    box, choices = child(form, "checkBox"), child(form, "ddList")
    if box is not None:
        state = child(box, "checked")
        state = child(box, "default") if state is None else state
        return "☐" if state is None or attribute(state, "val") in _OFF else "☒"
    if choices is None:
        return ""
    entries = [attribute(each, "val") or "" for each in choices if local(each) == "listEntry"]
    chosen = value_of(choices, "result") or value_of(choices, "default") or "0"
    at = int(chosen) if chosen.isdecimal() and len(chosen) < 6 else 0  # noqa: PLR2004 - Word has 25 at most
    return entries[at] if at < len(entries) else ""
