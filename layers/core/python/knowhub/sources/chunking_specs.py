"""How an import wants its documents cut: sizes alone, or a strategy of its own with all that belongs to it."""

from collections.abc import Collection, Mapping
from typing import Any

from knowhub.model.knowledge_base import Chunking
from knowhub.sources.checking import Check, given

_SIZES = range(100, 8001)
_OVERLAPS = range(4001)
_LOC = ("body", "chunking")
_MOST_SEPARATORS, _LONGEST_SEPARATOR = 50, 100
_MEMBERS = frozenset({"strategy", "size", "overlap", "separators", "trim_whitespace", "preserve_lines"})


def sizes(options: Mapping[str, Any], check: Check) -> tuple[int | None, int | None]:
    """Read `chunk_size` and `chunk_overlap`, each None where it is not given."""
    size = overlap = None
    if given(options, "chunk_size"):
        size = check.whole(options["chunk_size"], ("body", "chunk_size"), _SIZES)
    if given(options, "chunk_overlap"):
        overlap = check.whole(options["chunk_overlap"], ("body", "chunk_overlap"), _OVERLAPS)
    if size is not None and overlap is not None and overlap >= size:
        check.fault(("body", "chunk_overlap"), "value_error", "overlap is less than size")
    return size, overlap


def read(value: object, chunkers: Collection[str], check: Check) -> Chunking | None:
    """Read `chunking`; a size that is not given is the strategy's own default."""
    members = check.members(value, _LOC)
    check.known(members, _MEMBERS, _LOC)
    strategy = check.one_of(members.get("strategy"), chunkers, (*_LOC, "strategy"))
    size = _number(members, "size", Chunking.default_size(strategy), _SIZES, check)
    overlap = _number(members, "overlap", 0, _OVERLAPS, check)
    trim = check.flag(members.get("trim_whitespace", False), (*_LOC, "trim_whitespace"))
    lines = None
    if given(members, "preserve_lines"):
        lines = check.flag(members["preserve_lines"], (*_LOC, "preserve_lines"))
    separators = _separators(members, check)
    if size is None or overlap is None:
        return None
    found = Chunking(strategy, size, overlap, separators, trim_whitespace=trim, preserve_lines=lines)
    for member, message in found.faults():
        check.fault((*_LOC, member), "value_error", message)
    return found


def to_json(chunking: Chunking) -> dict[str, Any]:
    """Write it so that `read` gives it back."""
    members: dict[str, Any] = {
        "strategy": chunking.strategy,
        "size": chunking.size,
        "overlap": chunking.overlap,
        "separators": None if chunking.separators is None else list(chunking.separators),
        "trim_whitespace": chunking.trim_whitespace or None,
        "preserve_lines": chunking.preserve_lines,
    }
    return {name: value for name, value in members.items() if value is not None}


def _number(members: Mapping[str, Any], name: str, default: int, within: range, check: Check) -> int | None:
    value = members.get(name)
    return default if value is None else check.whole(value, (*_LOC, name), within)


def _separators(members: Mapping[str, Any], check: Check) -> tuple[str, ...] | None:
    value = members.get("separators")
    if value is None:
        return None
    loc = (*_LOC, "separators")
    if not isinstance(value, list) or not 1 <= len(value) <= _MOST_SEPARATORS:
        check.fault(loc, "list_type", f"a list of 1 to {_MOST_SEPARATORS} texts")
        return None
    for number, each in enumerate(value):
        # White space is a separator like any other, so the usual rule for texts does not fit.
        if not isinstance(each, str) or not 1 <= len(each) <= _LONGEST_SEPARATOR:
            check.fault((*loc, number), "string_type", f"a text of 1 to {_LONGEST_SEPARATOR} characters")
            return None
    return tuple(value)
