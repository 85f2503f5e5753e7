"""Header paths: under which headings a range of blocks stands."""

from collections.abc import Sequence

from knowhub.chunkers.markdown_blocks import Block

_SEPARATOR = " > "
_LONGEST_TITLE = 200
"""Code points of one heading in a path: a path stands with every chunk, and a heading may be of any length."""


class SectionPaths:
    """The section of every block of one text; headings without words leave no step in a path."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._paths: list[tuple[str, ...]] = []
        self._bodies: list[tuple[str, ...] | None] = []
        open_titles: list[tuple[int, str]] = []
        path: tuple[str, ...] = ()
        for block in blocks:
            if block.kind == "heading":
                while open_titles and open_titles[-1][0] >= block.level:
                    open_titles.pop()
                open_titles.append((block.level, block.title[:_LONGEST_TITLE].rstrip()))
                path = tuple(title for _, title in open_titles if title)
            self._paths.append(path)
            self._bodies.append(None if block.kind == "heading" else path)

    def common(self, first: int, last: int) -> str | None:
        """Join the steps that the sections of blocks `first..last` share; None where they share none.

        A heading without a body of its own counts only where the range has no body at all.
        """
        bodies = {path for path in self._bodies[first:last] if path is not None}
        paths = bodies or set(self._paths[first:last])
        low, high = min(paths), max(paths)
        shared = 0
        while shared < min(len(low), len(high)) and low[shared] == high[shared]:
            shared += 1
        return _SEPARATOR.join(low[:shared]) or None
