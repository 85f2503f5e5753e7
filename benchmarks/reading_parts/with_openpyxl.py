"""Workbooks through openpyxl in its fast mode."""

import io
from pathlib import Path

from openpyxl import load_workbook

from benchmarks.reading_parts.shapes import Chunkers, Readers


def _read(data: bytes, _: Path) -> str:
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    lines = [
        "\t".join("" if value is None else str(value) for value in row)
        for sheet in book.worksheets
        for row in sheet.iter_rows(values_only=True)
    ]
    book.close()
    return "\n".join(lines)


CHUNKERS: Chunkers = {}
READERS: Readers = {"xlsx": _read}
