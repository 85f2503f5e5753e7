"""What a command prints: styled on a terminal, plain lines in a pipe, JSON where it was asked for.

Titles, texts and answers come from documents: their control characters never reach the terminal.
"""

import json
import re
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and newline, bidirectional overrides, and halves of surrogate pairs."""


def clean(text: str) -> str:
    """Replace each character that could steer a terminal by one visible one; the length stays."""
    return CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def one_line(text: str) -> str:
    """Clean a text and turn its line ends and tabs into spaces; the length stays."""
    return clean(text).translate({ord("\n"): " ", ord("\t"): " "})


class Output:
    """Results on one stream, remarks on the other."""

    def __init__(self, results: TextIO, remarks: TextIO, *, as_json: bool = False) -> None:
        """Keep the streams; `as_json` makes the results machine-readable and leaves the remarks as they are."""
        self.as_json = as_json
        self._results = Console(file=results, markup=False, highlight=False, emoji=False)
        self._remarks = Console(file=remarks, markup=False, highlight=False, emoji=False)

    @classmethod
    def standard(cls, *, as_json: bool) -> "Output":
        """Print to the process's own streams."""
        return cls(sys.stdout, sys.stderr, as_json=as_json)

    @property
    def remarks(self) -> Console:
        """Give the console beside the results, for a progress bar."""
        return self._remarks

    def json(self, document: Any) -> None:
        """Print one JSON document on one line."""
        self._results.file.write(json.dumps(document, ensure_ascii=False).translate(_LONE_SURROGATES) + "\n")
        self._results.file.flush()

    def text(self, text: Text | str, style: str = "") -> None:
        """Print a cleaned line (or several), wrapped on a terminal only."""
        line = Text(clean(text), style=style) if isinstance(text, str) else text
        self._results.print(line, soft_wrap=not self._results.is_terminal)

    def piece(self, text: str) -> None:
        """Print a cleaned piece of a running text at once, without a line end."""
        self._results.file.write(clean(text))
        self._results.file.flush()

    def note(self, text: str, style: str = "") -> None:
        """Print a remark, which is no result."""
        self._remarks.print(Text(clean(text), style=style), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Print rows: a table on a terminal, tab-separated lines without a head in a pipe."""
        cells = [[one_line("" if cell is None else str(cell)) for cell in row] for row in rows]
        if not self._results.is_terminal:
            for row in cells:
                # Not through rich, which would turn the tabs into spaces.
                self._results.file.write("\t".join(row) + "\n")
            return
        table = Table(box=None, header_style="bold", pad_edge=False)
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in cells:
            table.add_row(*(Text(cell) for cell in row))
        self._results.print(table)


_LONE_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}")
