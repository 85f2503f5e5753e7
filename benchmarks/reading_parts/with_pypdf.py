"""PDF through pypdf."""

import io
from pathlib import Path

from pypdf import PdfReader

from benchmarks.reading_parts.shapes import Chunkers, Readers


def _read(data: bytes, _: Path) -> str:
    return "\n\n".join(page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)


CHUNKERS: Chunkers = {}
READERS: Readers = {"pdf": _read}
