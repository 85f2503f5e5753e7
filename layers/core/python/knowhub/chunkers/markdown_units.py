"""From blocks to units: what the packer may put side by side but never cuts.

A section that fits is one unit. One that does not is taken apart at the next level of headings, down to single blocks;
a block that does not fit is cut by its own rules. Headings stay open until a body follows, and belong to its unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from knowhub.chunkers.cutting import cut_block
from knowhub.chunkers.markdown_blocks import Block
from knowhub.chunkers.markdown_rows import cut_rows, worn_by_parts

_DEEPEST_LEVEL = 6
_BLOCKS = _DEEPEST_LEVEL + 1
_SLACK = 2
"""Line breaks between a part of a block and what it wears."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A range of the source, what the chunker adds around it, and the blocks it touches (`first..last`, half-open)."""

    start: int
    end: int
    first: int
    last: int
    prefix: str = ""
    suffix: str = ""


def units(text: str, blocks: Sequence[Block], budget: int) -> list[Unit]:
    """Take the blocks apart into units of at most `budget` code points, added text included, in order."""
    return _Decomposer(text, blocks, budget).run()


class _Decomposer:
    """Works through sections depth first; `_open` is the first of the headings that wait for a body, or -1."""

    def __init__(self, text: str, blocks: Sequence[Block], budget: int) -> None:
        self._text = text
        self._blocks = blocks
        self._budget = budget
        self._open = -1
        self._units: list[Unit] = []

    def run(self) -> list[Unit]:
        pending = [(0, len(self._blocks), 1)]
        while pending:
            first, last, level = pending.pop()
            if self._take_whole(first, last):
                continue
            if last - first == 1:
                self._take_block(first)
            elif level <= _DEEPEST_LEVEL:
                pending.extend(reversed(self._parts(first, last, level)))
            else:
                pending.extend((block, block + 1, _BLOCKS) for block in range(last - 1, first - 1, -1))
        if self._open >= 0:
            self._emit_headings(len(self._blocks))
        return self._units

    def _take_whole(self, first: int, last: int) -> bool:
        """Make one unit of these blocks and the open headings, where that fits."""
        head = first if self._open < 0 else self._open
        start, end = self._blocks[head].start, self._blocks[last - 1].end
        if end - start > self._budget or self._blocks[last - 1].kind == "heading":
            return False
        self._units.append(Unit(start, end, head, last))
        self._open = -1
        return True

    def _parts(self, first: int, last: int, level: int) -> list[tuple[int, int, int]]:
        """Split before each heading of this level, and behind headings that end the range without a body."""
        cuts = [at for at in range(first + 1, last) if self._blocks[at].level == level]
        return [(low, high, level + 1) for low, high in zip([first, *cuts], [*cuts, last], strict=True)]

    def _take_block(self, at: int) -> None:
        """Place one block that does not fit together with the open headings, or is a heading."""
        block = self._blocks[at]
        if block.kind == "heading":
            self._hold(at)
            return
        length = block.end - block.start
        whole = length <= self._budget and block.kind in ("code", "table")
        room = length if whole else self._least_room() + sum(map(len, self._wrapper(block) or ())) + _SLACK
        self._shorten_open(block.start, min(room, self._budget))
        if self._take_whole(at, at + 1):
            return
        self._units.extend(self._cut(at, at if self._open < 0 else self._open))
        self._open = -1

    def _hold(self, at: int) -> None:
        """Let a heading wait for its body; those before it are given up when all no longer fit."""
        block = self._blocks[at]
        if self._open >= 0 and block.end - self._blocks[self._open].start > self._budget:
            self._emit_headings(at)
        if block.end - block.start > self._budget:
            self._units.extend(
                Unit(start, end, at, at + 1)
                for start, end in cut_block(self._text, block.start, block.end, first=self._budget, later=self._budget)
            )
        elif self._open < 0:
            self._open = at

    def _least_room(self) -> int:
        """Give what a body must find behind its headings: a quarter of the budget."""
        return (self._budget + 3) // 4

    def _shorten_open(self, start: int, room: int) -> None:
        """Give up open headings, the first ones first, until a body at `start` finds so much room behind the rest."""
        if self._open < 0:
            return
        keep = self._open
        while self._blocks[keep].start < start and start - self._blocks[keep].start + room > self._budget:
            keep += 1
        if keep > self._open:
            self._emit_headings(keep)
            if self._blocks[keep].kind == "heading":
                self._open = keep

    def _emit_headings(self, end: int) -> None:
        """Make a unit of the open headings before block `end`."""
        self._units.append(Unit(self._blocks[self._open].start, self._blocks[end - 1].end, self._open, end))
        self._open = -1

    def _cut(self, at: int, head: int) -> list[Unit]:
        """Cut an over-long block; its first part stands behind the headings from block `head` on."""
        block, start = self._blocks[at], self._blocks[head].start
        lead = block.start - start
        wrapper = self._wrapper(block)
        if wrapper is None:
            prefix = suffix = ""
            ranges = cut_block(self._text, block.start, block.end, first=self._budget - lead, later=self._budget)
        else:
            prefix, suffix = wrapper
            ranges = cut_rows(self._text, block, first=self._budget - lead, later=self._budget, wrapper=wrapper)
        made = [Unit(low, high, at, at + 1, prefix, suffix) for low, high in ranges]
        made[0] = replace(made[0], prefix="")
        made[-1] = replace(made[-1], suffix="")
        if made[0].end - start + len(made[0].suffix) <= self._budget:
            made[0] = replace(made[0], start=start, first=head)
        elif head < at:
            made.insert(0, Unit(start, self._blocks[at - 1].end, head, at))
        return made

    def _wrapper(self, block: Block) -> tuple[str, str] | None:
        """Give what the parts of this block wear; None where it wears nothing or that would leave too little room."""
        wrapper = worn_by_parts(self._text, block)
        if wrapper is None or self._budget - sum(map(len, wrapper)) - _SLACK < self._least_room():
            return None
        return wrapper
