"""Chunkers by name, and the fingerprint that tells whether chunks made earlier are still the same."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from knowhub.chunkers import fixed, json_values, markdown, recursive
from knowhub.chunkers.options import DEFAULT_SIZE, ChunkOptions
from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Piece

Chunker = Callable[[str, ChunkOptions], list[Piece]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """The function, and the version of its rules: it goes up with every change that moves a boundary."""

    chunk: Chunker
    version: int
    default_size: int = DEFAULT_SIZE
    overlaps: bool = True


_CHUNKERS: MappingProxyType[str, _Entry] = MappingProxyType(
    {
        "fixed": _Entry(fixed.chunk, 2),
        "json": _Entry(json_values.chunk, 1, default_size=json_values.DEFAULT_SIZE, overlaps=False),
        "markdown": _Entry(markdown.chunk, 1),
        "recursive": _Entry(recursive.chunk, 1),
    }
)


def names() -> tuple[str, ...]:
    """List the chunkers by name, in order."""
    return tuple(sorted(_CHUNKERS))


def chunker(name: str) -> Chunker:
    """Look a chunker up; raises `InvalidRequest`, naming those that exist."""
    return _entry(name).chunk


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
