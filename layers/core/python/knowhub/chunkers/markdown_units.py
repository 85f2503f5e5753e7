"""From blocks to units: what the packer may put side by side but never cuts.

A section that fits is one unit. One that does not is taken apart at the next level of headings, down to single blocks;
a block that does not fit is cut by its own rules. Headings stay open until a body follows, and belong to its unit.
"""

from collections.abc import Sequence
from typing import TypeAlias

from knowhub.chunkers.cutting import cut_block
from knowhub.chunkers.markdown_blocks import Block
from knowhub.chunkers.markdown_rows import cut_rows, worn_by_parts

_BODY = 7
"""Stands for the level of a block that is no heading: below the deepest one."""

_SLACK = 2
"""Line breaks between a part of a block and what it wears."""

Unit: TypeAlias = tuple[int, int, int, int, str, str]
"""A range of the source, the blocks it touches (half-open), and what the chunker adds before and behind it."""


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
        self._starts = [block.start for block in blocks]
        self._ends = [block.end for block in blocks]
        self._levels = [block.level or _BODY for block in blocks]

    def run(self) -> list[Unit]:
        pending = [(0, len(self._blocks))]
        while pending:
            first, last = pending.pop()
            if self._take_whole(first, last):
                continue
            level = min(self._levels[first + 1 : last], default=_BODY)
            if level < _BODY:
                pending.extend(reversed(self._parts(first, last, level)))
            else:
                self._take_blocks(first, last)
        if self._open >= 0:
            self._emit_headings(len(self._blocks))
        return self._units

    def _take_whole(self, first: int, last: int) -> bool:
        """Make one unit of these blocks and the open headings, where that fits."""
        head = first if self._open < 0 else self._open
        start, end = self._starts[head], self._ends[last - 1]
        if end - start > self._budget or self._levels[last - 1] != _BODY:
            return False
        self._units.append((start, end, head, last, "", ""))
        self._open = -1
        return True

    def _parts(self, first: int, last: int, level: int) -> list[tuple[int, int]]:
        """Split before each heading of this level but one that the range begins with."""
        cuts = [at for at, found in enumerate(self._levels[first + 1 : last], first + 1) if found == level]
        return list(zip([first, *cuts], [*cuts, last], strict=True))

    def _take_blocks(self, first: int, last: int) -> None:
        """Place blocks one by one."""
        starts, ends, levels, budget = self._starts, self._ends, self._levels, self._budget
        for at in range(first, last):
            start = starts[at if self._open < 0 else self._open]
            if ends[at] - start <= budget and levels[at] == _BODY:
                self._units.append((start, ends[at], at if self._open < 0 else self._open, at + 1, "", ""))
                self._open = -1
            else:
                self._take_block(at)

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
                (start, end, at, at + 1, "", "")
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
        self._units.append((self._starts[self._open], self._ends[end - 1], self._open, end, "", ""))
        self._open = -1

    def _cut(self, at: int, head: int) -> list[Unit]:
        """Cut an over-long block; its first part stands behind the headings from block `head` on."""
        block, start = self._blocks[at], self._starts[head]
        lead = block.start - start
        wrapper = self._wrapper(block)
        prefix, suffix = wrapper or ("", "")
        if wrapper is None:
            ranges = cut_block(self._text, block.start, block.end, first=self._budget - lead, later=self._budget)
        else:
            ranges = cut_rows(self._text, block, first=self._budget - lead, later=self._budget, wrapper=wrapper)
        made: list[Unit] = [(low, high, at, at + 1, prefix, suffix) for low, high in ranges]
        low, high, *_ = made[-1]
        made[-1] = (low, high, at, at + 1, prefix, "")
        low, high, _, _, _, suffix = made[0]
        fits = high - start + len(suffix) <= self._budget
        made[0] = (start if fits else low, high, head if fits else at, at + 1, "", suffix)
        if not fits and head < at:
            made.insert(0, (start, self._ends[at - 1], head, at, "", ""))
        return made

    def _wrapper(self, block: Block) -> tuple[str, str] | None:
        """Give what the parts of this block wear; None where it wears nothing or that would leave too little room."""
        wrapper = worn_by_parts(self._text, block)
        if wrapper is None or self._budget - sum(map(len, wrapper)) - _SLACK < self._least_room():
            return None
        return wrapper
