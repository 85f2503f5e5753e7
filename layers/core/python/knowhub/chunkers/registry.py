"""Chunkers by name, and the fingerprint that tells whether chunks made earlier are still the same."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import cast

from knowhub.chunkers.options import DEFAULT_JSON_SIZE, DEFAULT_SIZE, ChunkOptions
from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Piece

Chunker = Callable[[str, ChunkOptions], list[Piece]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """The module whose `chunk` it is, and the version of its rules, which goes up when a boundary moves.

    The module is imported when it is first used: functions that only name chunkers start without them.
    """

    module: str
    version: int
    default_size: int = DEFAULT_SIZE
    overlaps: bool = True


_CHUNKERS: MappingProxyType[str, _Entry] = MappingProxyType(
    {
        "fixed": _Entry("knowhub.chunkers.fixed", 2),
        "json": _Entry("knowhub.chunkers.json_values", 1, default_size=DEFAULT_JSON_SIZE, overlaps=False),
        "markdown": _Entry("knowhub.chunkers.markdown", 1),
        "recursive": _Entry("knowhub.chunkers.recursive", 1),
    }
)


def names() -> tuple[str, ...]:
    """List the chunkers by name, in order."""
    return tuple(sorted(_CHUNKERS))


def chunker(name: str) -> Chunker:
    """Look a chunker up; raises `InvalidRequest`, naming those that exist."""
    return cast("Chunker", import_module(_entry(name).module).chunk)


def default_size(name: str) -> int:
    """Say how large chunks are that nobody gave a size: code points, for JSON bytes; raises as `chunker` does."""
    return _entry(name).default_size


def overlaps(name: str) -> bool:
    """Whether the chunker heeds an overlap; raises as `chunker` does."""
    return _entry(name).overlaps


def fingerprint(name: str, options: ChunkOptions) -> str:
    """Describe everything but the text that decides the chunks; raises `InvalidRequest` for an unknown name."""
    version = _entry(name).version
    flags = f"lines={options.preserve_lines:d},trim={options.trim_whitespace:d},header={options.header_lines}"
    separators = "" if options.separators is None else f",separators={options.separators!r}"
    return f"{name}/{version}:size={options.size},overlap={options.overlap},{flags}{separators}"


def _entry(name: str) -> _Entry:
    found = _CHUNKERS.get(name)
    if found is None:
        message = f"unknown chunking strategy {name!r}; known are {', '.join(names())}"
        error = {"loc": ["chunking", "strategy"], "type": "value_error", "message": message}
        raise InvalidRequest(message, {"errors": [error]})
    return found
