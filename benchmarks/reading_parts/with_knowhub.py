"""The hub's own chunkers and readers; those of binary formats also in the process that the hub runs them in."""

import importlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.reading_parts.shapes import GIVEN, Chunker, Chunkers, Readers
from knowhub.chunkers import registry as chunkers
from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Piece
from knowhub.readers import registry as readers
from knowhub.readers.child import Child

_TEXT = {"html": "html", "csv": "csv", "json": "json", "jsonl": "jsonl", "md": "markdown", "txt": "text"}
_BINARY = {"pdf": "pdf", "docx": "docx", "xlsx": "sheets", "pptx": "pptx", "eml": "eml"}


def _chunker(name: str, size: int) -> Chunker:
    cut, options = chunkers.chunker(name), ChunkOptions(size=size)
    return Chunker(lambda text: cut(text, options), lambda piece: piece.text, _own, GIVEN if name == "markdown" else "")


def _own(piece: Piece) -> str:
    """Leave out what the piece repeats or wears."""
    text = piece.text
    for span in sorted(piece.synthetic_spans, key=lambda span: span.start, reverse=True):
        text = text[: span.start] + text[span.end :]
    return text[piece.overlap :]


def _read(name: str) -> Callable[[bytes, Path], str]:
    read = importlib.import_module(readers.ISOLATED[name]).read if name in readers.ISOLATED else readers.reader(name)
    return lambda data, path: str(read(data, path.name).text)


def _read_apart(child: Child, name: str, data: bytes, path: Path) -> str:
    return child.read(name, data, path.name).text


CHUNKERS: Chunkers = {name: partial(_chunker, name) for name in ("markdown", "recursive", "fixed", "json")}
READERS: Readers = {extension: _read(name) for extension, name in {**_BINARY, **_TEXT}.items()}


def apart() -> Readers:
    """Give the readers of binary formats, each through one warm process."""
    return {extension: partial(_read_apart, Child(), name) for extension, name in _BINARY.items()}
