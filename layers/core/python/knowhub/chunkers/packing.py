"""Packing units into chunks: greedily, in order, and fairly at the end."""

from collections.abc import Sequence
from itertools import pairwise

from knowhub.chunkers.markdown_units import Unit

Group = Sequence[Unit]
"""Neighbouring units that make one chunk; their gaps come along."""

_PREFIX, _SUFFIX = 4, 5
"""Members of a unit."""

_CLOSED = -1
"""Where a chunk ends that takes no more units."""


def pack(units: Sequence[Unit], *, first: int, later: int) -> list[Group]:
    """Fill each chunk with as many units as fit, then share the last two chunks' units fairly.

    What wears something behind ends its chunk, and what wears something in front begins one.
    """
    bounds: list[int] = []
    limit = _CLOSED
    for at, (start, end, _, _, prefix, suffix) in enumerate(units):
        if prefix or end + len(suffix) > limit:
            bounds.append(at)
            limit = start - len(prefix) + (later if len(bounds) > 1 else first)
        if suffix:
            limit = _CLOSED
    groups: list[Group] = [units[low:high] for low, high in pairwise([*bounds, len(units)])]
    if len(groups) > 1:
        groups[-2:] = _balance(groups[-2], groups[-1], later)
    return groups


def _balance(left: Group, right: Group, later: int) -> list[Group]:
    """Move whole units to the right while that makes a small last chunk less different from the one before."""
    both, at = [*left, *right], len(left)
    if both[at][_PREFIX] or both[at - 1][_SUFFIX] or 2 * _length(both, at, len(both)) >= later:
        return [left, right]
    best = at
    for cut in range(at - 1, 0, -1):
        if _length(both, cut, len(both)) > later or both[cut][_PREFIX]:
            break
        if _difference(both, cut) < _difference(both, best):
            best = cut
    return [both[:best], both[best:]]


def _difference(units: Group, cut: int) -> int:
    return abs(_length(units, 0, cut) - _length(units, cut, len(units)))


def _length(units: Group, low: int, high: int) -> int:
    """Measure neighbouring units as one chunk: the source between their ends, and what is added around it."""
    (start, _, _, _, prefix, _), (_, end, _, _, _, suffix) = units[low], units[high - 1]
    return len(prefix) + end - start + len(suffix)
