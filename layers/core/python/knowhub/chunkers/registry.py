"""Chunkers by name, and the fingerprint that tells whether chunks made earlier are still the same."""

from collections.abc import Callable
from types import MappingProxyType

from knowhub.chunkers import fixed, markdown
from knowhub.chunkers.options import ChunkOptions
from knowhub.errors import InvalidRequest
from knowhub.model.chunk import Piece

Chunker = Callable[[str, ChunkOptions], list[Piece]]

_CHUNKERS: MappingProxyType[str, tuple[Chunker, int]] = MappingProxyType(
    {"fixed": (fixed.chunk, 1), "markdown": (markdown.chunk, 1)}
)
"""The function, and the version of its rules: it goes up with every change that moves a boundary."""


def names() -> tuple[str, ...]:
    """List the chunkers by name, in order."""
    return tuple(sorted(_CHUNKERS))


def chunker(name: str) -> Chunker:
    """Look a chunker up; raises `InvalidRequest`, naming those that exist."""
    return _entry(name)[0]


def fingerprint(name: str, options: ChunkOptions) -> str:
    """Describe everything but the text that decides the chunks; raises `InvalidRequest` for an unknown name."""
    version = _entry(name)[1]
    flags = f"lines={options.preserve_lines:d},trim={options.trim_whitespace:d}"
    return f"{name}/{version}:size={options.size},overlap={options.overlap},{flags}"


def _entry(name: str) -> tuple[Chunker, int]:
    found = _CHUNKERS.get(name)
    if found is None:
        message = f"unknown chunking strategy {name!r}; known are {', '.join(names())}"
        error = {"loc": ["chunking", "strategy"], "type": "value_error", "message": message}
        raise InvalidRequest(message, {"errors": [error]})
    return found
