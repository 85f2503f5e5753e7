"""Files of each format that a reader takes, of the size that people send, the same words in every run."""

import io
import json
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import docx

from benchmarks.reading_parts.markdown_corpus import document
from benchmarks.reading_parts.words import CHINESE, ENGLISH, Writer
from tests import office_files, pdf_files

FILES = 12
_LINE = 86


def write(folder: Path) -> None:
    """Write a folder of `FILES` files for each kind, every other one in Chinese where the format's font has it."""
    for kind, (extension, make) in KINDS.items():
        (folder / kind).mkdir(parents=True)
        for number in range(FILES):
            language = CHINESE if number % 2 and extension != "pdf" else ENGLISH
            (folder / kind / f"{number:02}.{extension}").write_bytes(make(Writer(language, number)))


def _pdf(writer: Writer, show: Callable[[Writer, str], str]) -> bytes:
    """Write ten pages of 48 lines."""
    return pdf_files.pdf([_page(writer, show) for _ in range(10)])


def _page(writer: Writer, show: Callable[[Writer, str], str]) -> bytes:
    drawn = []
    for number in range(48):
        shown = show(writer, writer.paragraph(2, 2)[:_LINE])
        drawn.append(f"BT /F1 10 Tf 1 0 0 1 60 {790 - 15 * number} Tm {shown} ET")
    return "\n".join(drawn).encode("cp1252")


def _as_string(_: Writer, line: str) -> str:
    """Show a line in one piece, as simple programs do."""
    return f"({_escaped(line)}) Tj"


def _kerned(writer: Writer, line: str) -> str:
    """Show a line in pieces of a few letters with small moves between them, as typesetting programs do."""
    pieces = []
    while line:
        length = writer.chooser.randint(1, 6)
        pieces.append(f"({_escaped(line[:length])}) {writer.chooser.randint(-30, 30)}")
        line = line[length:]
    return f"[{' '.join(pieces)}] TJ"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _docx(writer: Writer) -> bytes:
    """Write twelve sections of ten paragraphs and a table each."""
    made = docx.Document()
    for _ in range(12):
        made.add_heading(writer.phrase(2, 6), level=writer.chooser.randint(1, 3))
        for _ in range(10):
            made.add_paragraph(writer.paragraph(1, 4))
        table = made.add_table(rows=0, cols=4)
        for _ in range(6):
            for cell, text in zip(table.add_row().cells, [writer.phrase(1, 4) for _ in range(4)], strict=True):
                cell.text = text
    buffer = io.BytesIO()
    made.save(buffer)
    return buffer.getvalue()


def _xlsx(writer: Writer) -> bytes:
    """Write two sheets of 400 rows and eight columns, half of them numbers."""
    sheets = {}
    for name in ("First", "Second"):
        rows: list[list[float | str]] = [[writer.name() for _ in range(8)]]
        for _ in range(400):
            texts = [writer.phrase(1, 4) for _ in range(4)]
            rows.append([*texts, *(writer.chooser.randint(1, 10**6) / 100 for _ in range(4))])
        sheets[name] = office_files.rows(*rows)
    return office_files.xlsx(sheets)


def _pptx(writer: Writer) -> bytes:
    """Write twenty slides of a title and six lines."""
    slides = []
    for _ in range(20):
        body = office_files.shape(*(writer.phrase(5, 12) for _ in range(6)), kind="body")
        slides.append(office_files.shape(writer.phrase(2, 6), kind="title") + body)
    return office_files.pptx(slides)


def _eml(writer: Writer) -> bytes:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = writer.phrase(3, 6), "a@example.com", "b@example.com"
    text = "\n\n".join(writer.paragraph() for _ in range(12))
    message.set_content(text)
    message.add_alternative(f"<p>{text}</p>", subtype="html")
    return message.as_bytes()


def _html(writer: Writer) -> bytes:
    """Write eighty sections of a heading, two paragraphs and a list."""
    parts = []
    for _ in range(80):
        items = "".join(f"<li>{writer.phrase(3, 9)}</li>" for _ in range(5))
        paragraphs = "".join(f"<p>{writer.paragraph()}</p>" for _ in range(2))
        parts.append(f"<h2>{writer.phrase(2, 5)}</h2>{paragraphs}<ul>{items}</ul>")
    page = f"<html><head><title>{writer.phrase(2, 4)}</title></head><body>{''.join(parts)}</body></html>"
    return page.encode()


def _records(writer: Writer) -> list[dict[str, object]]:
    return [
        {"id": number, "name": writer.name(), "text": writer.sentence(), "tags": [writer.phrase(1, 2)], "value": 0.5}
        for number in range(400)
    ]


def _csv(writer: Writer) -> bytes:
    """Write a thousand rows of six columns."""
    rows = [",".join(writer.name() for _ in range(6))]
    rows.extend(",".join(f'"{writer.phrase(1, 5)}"' for _ in range(6)) for _ in range(1000))
    return "\r\n".join(rows).encode()


def _jsonl(writer: Writer) -> bytes:
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in _records(writer)).encode()


def _text(writer: Writer) -> bytes:
    return "\n\n".join(writer.paragraph() for _ in range(120)).encode()


KINDS: dict[str, tuple[str, Callable[[Writer], bytes]]] = {
    "pdf, a string a line": ("pdf", lambda writer: _pdf(writer, _as_string)),
    "pdf, kerned pieces": ("pdf", lambda writer: _pdf(writer, _kerned)),
    "docx": ("docx", _docx),
    "xlsx": ("xlsx", _xlsx),
    "pptx": ("pptx", _pptx),
    "eml": ("eml", _eml),
    "html": ("html", _html),
    "csv": ("csv", _csv),
    "json": ("json", lambda writer: json.dumps({"records": _records(writer)}, ensure_ascii=False).encode()),
    "jsonl": ("jsonl", _jsonl),
    "md": ("md", lambda writer: document(writer, 50_000).encode()),
    "txt": ("txt", _text),
}
"""What is read: the extension of each kind of file, and what makes one."""
