"""Packing units into chunks: greedily, in order, and fairly at the end."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.chunkers.markdown_units import Unit


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring units that make one chunk; their gaps come along."""

    units: tuple[Unit, ...]

    @property
    def start(self) -> int:
        """Where its new text begins in the source."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Where it ends in the source."""
        return self.units[-1].end

    @property
    def length(self) -> int:
        """Code points of the chunk without repeated text of the chunk before."""
        return length_of(self.units)


def length_of(units: Sequence[Unit]) -> int:
    """Measure neighbouring units as one chunk: the source between their ends, and what is added around it."""
    return len(units[0].prefix) + units[-1].end - units[0].start + len(units[-1].suffix)


def pack(units: Sequence[Unit], *, first: int, later: int) -> list[Group]:
    """Fill each chunk with as many units as fit, then share the last two chunks' units fairly.

    What wears something behind ends its chunk, and what wears something in front begins one.
    """
    groups: list[list[Unit]] = []
    for unit in units:
        budget = first if len(groups) <= 1 else later
        if groups and _joins(groups[-1], unit, budget):
            groups[-1].append(unit)
        else:
            groups.append([unit])
    if len(groups) > 1:
        groups[-2:] = _balance(groups[-2], groups[-1], later)
    return [Group(tuple(group)) for group in groups]


def _joins(group: list[Unit], unit: Unit, budget: int) -> bool:
    if group[-1].suffix or unit.prefix:
        return False
    return len(group[0].prefix) + unit.end - group[0].start + len(unit.suffix) <= budget


def _balance(left: list[Unit], right: list[Unit], later: int) -> list[list[Unit]]:
    """Move whole units to the right while that makes a small last chunk less different from the one before."""
    if right[0].prefix or left[-1].suffix or 2 * length_of(right) >= later:
        return [left, right]
    both = [*left, *right]
    best = len(left)
    for cut in range(len(left) - 1, 0, -1):
        if length_of(both[cut:]) > later or both[cut].prefix:
            break
        if _difference(both, cut) < _difference(both, best):
            best = cut
    return [both[:best], both[best:]]


def _difference(units: list[Unit], cut: int) -> int:
    return abs(length_of(units[:cut]) - length_of(units[cut:]))
