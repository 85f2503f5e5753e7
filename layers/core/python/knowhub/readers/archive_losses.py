"""What the parts of an office file can't carry over, counted by kind with the place of the first."""

from collections.abc import Iterator
from types import MappingProxyType

from knowhub.model.document import Loss

_DETAILS: MappingProxyType[str, str] = MappingProxyType(
    {
        "PICTURE_NOT_READ": "{} pictures or drawings have no text to read",
        "CHART_NOT_READ": "{} charts or diagrams can't be read",
        "SYMBOL_NOT_READ": "{} signs of a symbol font stand for nothing that is known",
        "FOREIGN_PART_NOT_READ": "{} inserted files are not read",
        "COMMENTS_NOT_READ": "{} parts with comments can't be read",
        "CONTROL_NOT_READ": "{} buttons, lists to choose from or other controls are not read",
    }
)


class Tally:
    """Counts of one document, or of one slide or sheet of it."""

    def __init__(self) -> None:
        """Begin with nothing lost."""
        self._counts: dict[str, int] = {}
        self._places: dict[str, str] = {}

    def add(self, code: str, where: str, count: int = 1) -> None:
        """Count so many of a kind; the first place is the one that is told."""
        if count:
            self._counts[code] = self._counts.get(code, 0) + count
            self._places.setdefault(code, where)

    def losses(self) -> Iterator[Loss]:
        """Give a loss for each kind, in the order of their first."""
        for code, count in self._counts.items():
            yield Loss(code, self._places[code], _DETAILS[code].format(count))
