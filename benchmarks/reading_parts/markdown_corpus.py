"""Markdown as people write it: sections of very different lengths with prose, lists, fences, tables and quotes."""

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.reading_parts.words import Language, Writer

DOCUMENT_BYTES = 50_000


def write(folder: Path, language: Language, total: int) -> None:
    """Write files of about `DOCUMENT_BYTES` each, `total` bytes of UTF-8 together."""
    folder.mkdir(parents=True)
    for number in range(max(1, total // DOCUMENT_BYTES)):
        text = document(Writer(language, number), DOCUMENT_BYTES)
        (folder / f"{number:04}.md").write_text(text, encoding="utf-8", newline="")


def document(writer: Writer, least: int) -> str:
    """Write a document of at least `least` bytes of UTF-8."""
    blocks = [f"# {_title(writer)}", writer.paragraph()]
    size = 0
    while size < least:
        section = list(_section(writer))
        blocks.extend(section)
        size += sum(len(block.encode()) + 2 for block in section)
    return "\n\n".join(blocks) + "\n"


def _section(writer: Writer) -> Iterator[str]:
    chooser = writer.chooser
    level = chooser.choice((2, 2, 3, 3, 3, 4, 4, 5))
    yield f"{'#' * level} {_title(writer)}" if level > 2 or chooser.random() < 0.9 else f"{_title(writer)}\n-----"
    if chooser.random() < 0.08:
        return
    for _ in range(chooser.choice((1, 1, 2, 2, 3, 4, 5, 8))):
        block = chooser.choices(_KINDS, weights=_WEIGHTS)[0]
        yield block(writer)


def _title(writer: Writer) -> str:
    return writer.phrase(2, 6).capitalize()


def _wrapped(writer: Writer) -> str:
    return "\n".join(writer.sentence().rstrip() for _ in range(writer.chooser.randint(3, 7)))


def _list(writer: Writer) -> str:
    chooser = writer.chooser
    lines: list[str] = []
    for number in range(1, chooser.randint(3, 8)):
        mark = f"{number}." if chooser.random() < 0.4 else "-"
        lines.append(f"{mark} {writer.sentence().rstrip()}")
        if chooser.random() < 0.4:
            lines.extend(f"    - {writer.phrase(3, 9)}" for _ in range(chooser.randint(1, 4)))
            lines.extend(f"        * {writer.phrase(2, 6)}" for _ in range(chooser.randint(0, 2)))
    return "\n".join(lines)


def _list_with_fence(writer: Writer) -> str:
    code = "\n".join(f"  {line}" if line else "" for line in _code(writer, 3, 10))
    return f"- {writer.sentence().rstrip()}\n\n  ```sh\n{code}\n  ```\n- {writer.sentence().rstrip()}"


def _fence(writer: Writer) -> str:
    chooser = writer.chooser
    marker = chooser.choice(("```", "```", "```", "```", "~~~", "````"))
    long = chooser.random() < 0.08
    lines = _code(writer, 40, 120) if long else _code(writer, 3, 22)
    return "\n".join([f"{marker}{chooser.choice(('python', 'bash', 'json', 'yaml', ''))}", *lines, marker])


def _code(writer: Writer, low: int, high: int) -> list[str]:
    chooser = writer.chooser
    lines: list[str] = []
    for _ in range(chooser.randint(low, high)):
        kind = chooser.randrange(6)
        indent = "    " * chooser.randrange(3)
        if kind == 0:
            lines.append(f"# {writer.phrase(3, 8)}")
        elif kind == 1 and lines and lines[-1]:
            lines.append("")
        elif kind == 2:
            lines.append(f"{indent}def {writer.name()}({writer.name()}):")
        else:
            lines.append(f"{indent}{writer.name()} = {writer.name()}({chooser.randint(1, 9999)}, '{writer.name()}')")
    while not lines[-1]:
        lines.pop()
    return lines


def _table(writer: Writer) -> str:
    chooser = writer.chooser
    columns = chooser.randint(2, 6)
    rows = chooser.randint(15, 40) if chooser.random() < 0.2 else chooser.randint(2, 10)
    lines = [_row(writer.phrase(1, 2) for _ in range(columns)), _row(["---"] * columns)]
    lines.extend(_row([writer.name(), *(writer.phrase(1, 4) for _ in range(columns - 1))]) for _ in range(rows))
    return "\n".join(lines)


def _row(cells: Iterator[str] | list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quote(writer: Writer) -> str:
    return "\n".join(f"> {writer.sentence().rstrip()}" for _ in range(writer.chooser.randint(1, 4)))


def _html(writer: Writer) -> str:
    return f"<details>\n<summary>{writer.phrase(2, 5)}</summary>\n{writer.paragraph(1, 3)}\n</details>"


_BLOCKS: dict[Callable[[Writer], str], int] = {
    Writer.paragraph: 45,
    _wrapped: 10,
    _list: 15,
    _list_with_fence: 2,
    _fence: 13,
    _table: 8,
    _quote: 4,
    _html: 3,
}
_KINDS, _WEIGHTS = tuple(_BLOCKS), tuple(_BLOCKS.values())
