"""Looking at what was sent, value by value, so that every fault is told at once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowhub.errors import InvalidRequest


@dataclass(slots=True)
class Check:
    """Collects faults while values are looked at."""

    faults: list[dict[str, object]] = field(default_factory=list)

    def fault(self, loc: tuple[str | int, ...], kind: str, message: str) -> None:
        """Note one fault; it shows the place and never the value."""
        self.faults.append({"loc": list(loc), "type": kind, "message": message})

    def error(self) -> InvalidRequest:
        """Build the error of all faults."""
        return InvalidRequest("The import does not fit", {"errors": self.faults})

    def members(self, value: object, loc: tuple[str, ...]) -> dict[str, Any]:
        """Take an object; nothing else has members."""
        if isinstance(value, dict):
            return value
        self.fault(loc, "dict_type", "a JSON object")
        return {}

    def known(self, members: Mapping[str, object], names: Collection[str], loc: tuple[str, ...]) -> None:
        """Refuse members that would silently be without effect."""
        for name in sorted(set(members) - set(names)):
            self.fault((*loc, name), "extra_forbidden", "this member is not known")

    def text(self, value: object, loc: tuple[str | int, ...], longest: int) -> str | None:
        """Take a text that is more than white space."""
        if isinstance(value, str) and value.strip() and len(value) <= longest:
            return value
        self.fault(loc, "string_type", f"a text of 1 to {longest} characters")
        return None

    def texts(self, value: object, loc: tuple[str, ...], most: int, longest: int) -> tuple[str, ...]:
        """Take a list of different texts."""
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            self.fault(loc, "list_type", f"a list of 1 to {most} texts")
            return ()
        found = [self.text(each, (*loc, number), longest) for number, each in enumerate(value)]
        return tuple(each for each in found if each is not None)

    def whole(self, value: object, loc: tuple[str, ...], within: range) -> int | None:
        """Take a whole number of a range."""
        if isinstance(value, int) and not isinstance(value, bool) and value in within:
            return value
        self.fault(loc, "int_type", f"a whole number from {within.start} to {within.stop - 1}")
        return None

    def one_of(self, value: object, names: Collection[str], loc: tuple[str, ...]) -> str | None:
        """Take one of these words, or None."""
        if value is None or (isinstance(value, str) and value in names):
            return value
        self.fault(loc, "literal_error", f"one of {', '.join(sorted(names))}")
        return None

    def flag(self, value: object, loc: tuple[str, ...]) -> bool:
        """Take true or false."""
        if not isinstance(value, bool):
            self.fault(loc, "bool_type", "true or false")
        return value is True


def given(members: Mapping[str, object], name: str) -> bool:
    """Tell whether a member is there and is not null."""
    return members.get(name) is not None
