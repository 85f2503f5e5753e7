"""From a changed text back to its source: which ranges were kept, and where they stood."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Ranges of a changed text that are ranges of its source, in order: where each begins here and there.

    The last entry is an empty range at both ends. What stands between two ranges here was put in; between two there, it
    was removed.
    """

    starts: Sequence[int]
    sources: Sequence[int]

    def to_source(self, position: int) -> int:
        """Give the place in the source of a character of the changed text."""
        at = bisect_right(self.starts, position) - 1
        if at < 0:
            return 0
        end = self.sources[min(at + 1, len(self.sources) - 1)]
        return min(self.sources[at] + position - self.starts[at], end)

    def from_source(self, position: int) -> int:
        """Give the first place in the changed text of what stood at or behind a place of the source.

        A place in a removed range comes out where what followed the range stands.
        """
        at = bisect_right(self.sources, position) - 1
        if at < 0:
            return self.starts[0]
        moved = self.starts[at] + position - self.sources[at]
        return min(moved, self.starts[min(at + 1, len(self.starts) - 1)])

    def after(self, earlier: "OffsetMap") -> "OffsetMap":
        """Give the way back through both changes: this one, made on the text that `earlier` describes."""
        starts = sorted({*self.starts, *map(self.from_source, self._inner(earlier))})
        return OffsetMap(starts, [earlier.to_source(self.to_source(start)) for start in starts])

    def _inner(self, earlier: "OffsetMap") -> Iterable[int]:
        """Give the beginnings of the earlier ranges that are still there."""
        for start in earlier.starts:
            at = bisect_left(self.sources, start)
            if at < len(self.sources) and self.sources[at] == start:
                continue
            if self.to_source(self.from_source(start)) == start:
                yield start


def unchanged(length: int) -> OffsetMap:
    """Map a text to itself."""
    return OffsetMap((0, length), (0, length))


def without(text: str, removed: Iterable[tuple[int, int]]) -> tuple[str, OffsetMap]:
    """Take ranges out of a text; they are in order and don't overlap."""
    kept: list[str] = []
    starts: list[int] = []
    sources: list[int] = []
    here = there = 0
    for start, end in [*removed, (len(text), len(text))]:
        if start > there:
            kept.append(text[there:start])
            starts.append(here)
            sources.append(there)
            here += start - there
        there = end
    return "".join(kept), OffsetMap([*starts, here], [*sources, len(text)])
