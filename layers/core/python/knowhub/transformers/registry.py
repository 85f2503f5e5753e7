"""Transformers by name, made from what a caller sends: `{"name": "char_dedup", "strings": [" "]}`."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from knowhub.errors import InvalidRequest
from knowhub.transformers.char_dedup import CharDedup
from knowhub.transformers.char_filter import CharFilter
from knowhub.transformers.transformer import Transformer

MOST_STRINGS = 100
LONGEST_STRING = 1000
"""Code points; a search for many or long strings takes time for each character of the text."""

_TRANSFORMERS: MappingProxyType[str, Callable[..., Transformer]] = MappingProxyType(
    {"char_filter": CharFilter, "char_dedup": CharDedup}
)


def names() -> tuple[str, ...]:
    """List the transformers by name, in order."""
    return tuple(sorted(_TRANSFORMERS))


def build(described: Sequence[Mapping[str, object]]) -> list[Transformer]:
    """Make transformers in order; raises `InvalidRequest` for an unknown name or member, or strings that are none."""
    return [_one(each, number) for number, each in enumerate(described)]


def _one(described: Mapping[str, object], number: int) -> Transformer:
    name, strings = described.get("name"), described.get("strings", [])
    make = _TRANSFORMERS.get(name) if isinstance(name, str) else None
    if make is None:
        raise _refused(f"unknown transformer {name!r}; known are {', '.join(names())}", number, "name")
    unknown = sorted(set(described) - {"name", "strings"})
    if unknown:
        raise _refused(f"a transformer has no member {unknown[0]!r}", number, unknown[0])
    if not isinstance(strings, list | tuple) or not all(map(_is_short, strings)) or len(strings) > MOST_STRINGS:
        limits = f"at most {MOST_STRINGS}, each of at most {LONGEST_STRING} characters"
        raise _refused(f"the strings of a transformer are a list of strings, {limits}", number, "strings")
    return make(*strings)


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_STRING


def _refused(message: str, number: int, member: str) -> InvalidRequest:
    error = {"loc": ["transformers", number, member], "type": "value_error", "message": message}
    return InvalidRequest(message, {"errors": [error]})
