"""Word files through python-docx: paragraphs and the cells of tables, in order."""

import io
from pathlib import Path

import docx
from docx.table import Table

from benchmarks.reading_parts.shapes import Chunkers, Readers


def _read(data: bytes, _: Path) -> str:
    parts = []
    for item in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(item, Table):
            parts.extend(" | ".join(cell.text for cell in row.cells) for row in item.rows)
        else:
            parts.append(item.text)
    return "\n\n".join(parts)


CHUNKERS: Chunkers = {}
READERS: Readers = {"docx": _read}
