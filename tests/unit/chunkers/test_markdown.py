"""The Markdown chunker on documents that show one rule each, in English and Chinese."""

import pytest

from knowhub.chunkers import markdown
from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Piece


def pieces_of(source: str, size: int, overlap: int = 0) -> list[Piece]:
    return markdown.chunk(source, ChunkOptions(size=size, overlap=overlap))


def texts(source: str, size: int) -> list[str]:
    return [piece.text for piece in pieces_of(source, size)]


def paths(source: str, size: int) -> list[str | None]:
    return [piece.header_path for piece in pieces_of(source, size)]


GUIDE = """# Guide

Intro of the guide.

## Install

Run the installer and wait until it is done.

## Use

Open the console and type a question there.
"""

CHINESE = """# 手册

本手册介绍知识库。

## 安装

先下载安装包，然后运行安装程序。

## 使用

打开控制台，输入问题即可得到答案。
"""


def test_a_document_that_fits_is_one_untouched_piece_without_a_path() -> None:
    (piece,) = pieces_of(GUIDE, len(GUIDE))
    assert piece.text == GUIDE
    assert piece.header_path is None


def test_sections_are_packed_while_they_fit() -> None:
    assert texts(GUIDE, 100) == [
        "# Guide\n\nIntro of the guide.\n\n## Install\n\nRun the installer and wait until it is done.",
        "## Use\n\nOpen the console and type a question there.",
    ]
    assert paths(GUIDE, 100) == ["Guide", "Guide > Use"]


def test_each_section_alone_carries_its_own_path() -> None:
    assert paths(GUIDE, 60) == ["Guide", "Guide > Install", "Guide > Use"]


def test_chinese_sections_are_cut_alike() -> None:
    assert texts(CHINESE, 40) == [
        "# 手册\n\n本手册介绍知识库。\n\n## 安装\n\n先下载安装包，然后运行安装程序。"[:40],
        "## 使用\n\n打开控制台，输入问题即可得到答案。",
    ]
    assert paths(CHINESE, 30) == ["手册", "手册 > 安装", "手册 > 使用"]


def test_setext_headings_are_headings() -> None:
    source = "Guide\n=====\n\nIntro text here.\n\nPart two\n--------\n\nMore text follows here.\n"
    assert paths(source, 45) == ["Guide", "Guide > Part two"]


def test_a_rule_behind_a_list_item_is_no_heading() -> None:
    source = "# Real\n\n- item one\n---\n\nText that stands behind the rule, long enough to be cut.\n"
    assert set(paths(source, 50)) == {"Real"}


@pytest.mark.parametrize(
    "opaque",
    ["```sh\n# install\nrun\n```", "~~~\n# install\n```\n~~~", "<div>\n# install\n</div>", "<!--\n\n# install\n\n-->"],
)
def test_a_hash_in_a_fence_or_html_block_is_no_heading(opaque: str) -> None:
    source = f"# Real\n\n{opaque}\n\nText that stands behind the block, long enough to be cut.\n"
    assert set(paths(source, 60)) == {"Real"}


def test_a_fence_that_fits_is_never_cut() -> None:
    fence = "```python\n" + "x = 1\n\n" * 10 + "```"
    source = f"# A\n\n{'word ' * 15}\n\n{fence}\n\n{'word ' * 15}\n"
    assert any(fence in text for text in texts(source, 90))


def test_a_longer_fence_is_closed_and_opened_again_with_its_info_string() -> None:
    lines = [f"line_{number} = {number}" for number in range(12)]
    source = "````python title=x\n" + "\n".join(lines) + "\n````\n"
    pieces = pieces_of(source, 90)
    assert len(pieces) > 2
    for piece in pieces:
        assert piece.text.startswith("````python title=x\n")
        assert piece.text.endswith("\n````")
        assert piece.chunk_type == "code"
    code = [line for piece in pieces for line in piece.text.split("\n")[1:-1]]
    assert code == lines
    assert [len(piece.synthetic_spans) for piece in pieces] == [1, *[2] * (len(pieces) - 2), 1]


def test_what_was_added_is_marked() -> None:
    source = "```py\n" + "a = 1\n" * 20 + "```\n"
    piece = pieces_of(source, 60)[1]
    added = [piece.text[span.start : span.end] for span in piece.synthetic_spans]
    assert added == ["```py\n", "\n```"]


def test_a_nested_fence_is_opened_again_at_its_place() -> None:
    source = "- ```sh\n" + "  run me\n" * 12 + "  ```\n\n> ```sh\n" + "> run me\n" * 12 + "> ```\n"
    pieces = pieces_of(source, 60)
    assert {piece.text.split("\n")[0] for piece in pieces} == {"- ```sh", "  ```sh", "> ```sh"}
    assert all(piece.text.endswith("```") for piece in pieces)


TABLE = "| name | value |\n|------|-------|\n" + "".join(f"| n{number:02d} | {number:5d} |\n" for number in range(20))


def test_a_longer_table_repeats_its_header_in_every_piece() -> None:
    pieces = pieces_of(TABLE, 120)
    assert len(pieces) > 2
    rows = [row for piece in pieces for row in piece.text.split("\n")[2:]]
    assert rows == TABLE.strip().split("\n")[2:]
    for piece in pieces:
        assert piece.text.startswith("| name | value |\n|------|-------|\n")
        assert piece.chunk_type == "table"
    assert pieces[1].synthetic_spans[0].end == len("| name | value |\n|------|-------|\n")


def test_a_table_that_fits_is_never_cut() -> None:
    table = TABLE[:150].rsplit("\n", 1)[0]
    source = f"{'word ' * 20}\n\n{table}\n\n{'word ' * 20}\n"
    assert any(table in text for text in texts(source, 160))


def test_a_heading_goes_with_its_body_and_never_ends_a_piece() -> None:
    source = f"# One\n\n{'a' * 80}\n\n# Two\n\n{'b' * 80}\n\n# Three\n\n{'c' * 80}\n"
    assert texts(source, 100) == [
        f"# {name}\n\n{body * 80}" for name, body in zip(["One", "Two", "Three"], "abc", strict=True)
    ]


def test_headings_without_a_body_stay_open_and_join_the_next_one() -> None:
    source = f"# One\n\n## Two\n\n### Three\n\n{'a' * 60}\n\n{'b' * 60}\n"
    assert texts(source, 100) == [f"# One\n\n## Two\n\n### Three\n\n{'a' * 60}", "b" * 60]
    assert paths(source, 100) == ["One > Two > Three"] * 2


def test_a_heading_may_end_the_document() -> None:
    assert texts(f"{'a' * 60}\n\n{'b' * 60}\n\n# End\n", 80)[-1].endswith("# End")


def test_empty_headings_are_safe() -> None:
    source = f"#\n\n{'a' * 60}\n\n## \n\n{'b' * 60}\n\n### Named ###\n\n{'c' * 60}\n"
    assert paths(source, 75) == [None, None, "Named"]


def test_a_packed_piece_carries_the_path_that_its_sections_share() -> None:
    source = "# A\n\n## B\n\n### C\n\nccc\n\n### D\n\nddd\n\n# E\n\n" + "e" * 60 + "\n"
    assert paths(source, 65) == ["A > B", "E"]


def test_a_long_paragraph_is_cut_at_sentences() -> None:
    source = "# 标题\n\n" + "这是一个完整的句子。" * 12
    for text in texts(source, 50):
        assert text.endswith("。")
        assert len(text) <= 50


def test_the_last_two_pieces_share_their_units() -> None:
    source = "\n\n".join(letter * 30 for letter in "abcdefg")
    sizes = [len(text) for text in texts(source, 100)]
    assert sizes == [94, 62, 62]


def test_overlap_never_begins_inside_a_fence_or_table() -> None:
    source = f"{'word ' * 10}\n\n```py\nx = 1\ny = 2\n```\n\n{'more ' * 16}\n\n{'last ' * 16}\n"
    pieces = pieces_of(source, 120, overlap=20)
    assert len(pieces) > 1
    assert all(piece.text.count("```") % 2 == 0 for piece in pieces)
    assert any(piece.overlap for piece in pieces)


def test_crlf_documents_are_cut_alike() -> None:
    assert [text.replace("\r\n", "\n") for text in texts(GUIDE.replace("\n", "\r\n"), 60)] == texts(GUIDE, 60)


def test_indentation_of_nested_lists_is_kept() -> None:
    source = f"# A\n\n{'a' * 60}\n\n  - one\n    - two\n      - three {'b' * 50}\n"
    assert texts(source, 80)[1].startswith("  - one\n    - two\n      - three")


def test_an_endless_heading_is_cut_in_paths() -> None:
    pieces = pieces_of("# " + "h" * 3000 + "\n\nbody\n", 100)
    assert max(len(piece.header_path or "") for piece in pieces) == 200
