"""Header paths: under which headings a range of blocks stands."""

from bisect import bisect_right
from collections.abc import Sequence

from knowhub.chunkers.markdown_blocks import Block

_SEPARATOR = " > "
_LONGEST_TITLE = 200
"""Code points of one heading in a path: a path stands with every chunk, and a heading may be of any length."""

_Path = tuple[str, ...]


class SectionPaths:
    """The section of every block of one text; headings without words leave no step in a path.

    A section is a heading with the blocks below it up to the next heading, or what stands before the first one.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._paths: list[_Path] = [()]
        self._spelled: list[str | None] = [None]
        self._headings = [at for at, block in enumerate(blocks) if block.level]
        self._bounds = [-1, *self._headings, len(blocks)]
        open_titles: list[tuple[int, str]] = []
        for at in self._headings:
            level, title = blocks[at].level, blocks[at].title
            while open_titles and open_titles[-1][0] >= level:
                open_titles.pop()
            open_titles.append((level, title[:_LONGEST_TITLE].rstrip()))
            path = tuple([title for _, title in open_titles if title])
            self._paths.append(path)
            self._spelled.append(_SEPARATOR.join(path) or None)

    def common(self, first: int, last: int) -> str | None:
        """Join the steps that the sections of blocks `first..last` share; None where they share none.

        A heading without a body of its own counts only where the range has no body at all.
        """
        low, high = bisect_right(self._headings, first), bisect_right(self._headings, last - 1)
        if low == high:
            return self._spelled[low]
        sections = range(low, high + 1)
        with_body = [each for each in sections if self._has_body(each, first, last)]
        if len(with_body) == 1:
            return self._spelled[with_body[0]]
        return _SEPARATOR.join(_shared([self._paths[each] for each in with_body or sections])) or None

    def _has_body(self, section: int, first: int, last: int) -> bool:
        """Whether a block of the section that is no heading lies among these."""
        return max(first, self._bounds[section] + 1) < min(last, self._bounds[section + 1])


def _shared(paths: Sequence[_Path]) -> _Path:
    """Give the steps that all of these begin with."""
    low, high = min(paths), max(paths)
    shared = 0
    while shared < len(low) and shared < len(high) and low[shared] == high[shared]:
        shared += 1
    return low[:shared]
