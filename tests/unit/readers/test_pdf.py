"""What the PDF reader makes of pages: order, places, and what is lost."""

import zlib

import pytest

from knowhub.errors import Unreadable
from knowhub.readers import pdf as reader
from knowhub.readers.pdf_text import garbled
from tests.pdf_files import Words, assemble, content, encrypted, pdf

FILLING = "the quick brown fox jumps over"


def text(*pages: list[Words] | bytes) -> str:
    return reader.read(pdf(pages), "a.pdf").text


def column(name: str, left: float, lines: int = 6) -> list[Words]:
    return [Words(f"{name}{number} {FILLING}", left, 700 - 14 * number) for number in range(lines)]


def words_in_order(found: str) -> list[str]:
    return [word for word in found.split() if word[0] in "LMR" and word[1:].isdigit()]


def failure(data: bytes) -> object:
    with pytest.raises(Unreadable) as refused:
        reader.read(data, "a.pdf")
    return refused.value.detail["reason"]


def test_lines_of_a_paragraph_are_one_line_and_paragraphs_are_apart() -> None:
    page = [
        Words("A first line that reaches the margin on the right hand side", 60, 700),
        Words("and ends here.", 60, 686),
        Words("Another paragraph.", 60, 650),
    ]
    expected = "A first line that reaches the margin on the right hand side and ends here.\n\nAnother paragraph."
    assert text(page) == expected


@pytest.mark.parametrize("by_rows", [False, True], ids=["column after column", "row after row"])
def test_columns_are_read_one_after_the_other(by_rows: bool) -> None:
    left, right = column("L", 60), column("R", 310)
    drawn = [word for row in zip(left, right, strict=True) for word in row] if by_rows else [*left, *right]
    expected = [f"{side}{number}" for side in "LR" for number in range(6)]
    assert words_in_order(text(drawn)) == expected


def test_the_right_column_drawn_first_is_still_read_second() -> None:
    assert words_in_order(text([*column("R", 310), *column("L", 60)]))[0] == "L0"


def test_three_columns_are_read_in_order() -> None:
    narrow = [
        Words(f"{name}{number} some words here", left, 700 - 14 * number)
        for name, left in (("L", 50), ("M", 230), ("R", 410))
        for number in range(5)
    ]
    assert words_in_order(text(narrow)) == [f"{side}{number}" for side in "LMR" for number in range(5)]


def test_a_heading_over_both_columns_comes_first_and_a_footer_last() -> None:
    across = "across both of the columns of this page without any gap in between"
    page = [*column("L", 60), *column("R", 310), Words(f"Heading {across}", 60, 760), Words(f"Footer {across}", 60, 60)]
    lines = text(page).split("\n\n")
    assert lines[0].startswith("Heading")
    assert lines[-1].startswith("Footer")


def test_a_table_is_read_row_by_row() -> None:
    cells = [
        Words(word, 60 + 130 * at, 700 - 14 * number)
        for number in range(6)
        for at, word in enumerate((f"item{number}", f"{number}.50", "piece"))
    ]
    assert text(cells).splitlines() == [f"item{number} {number}.50 piece" for number in range(6)]


def test_items_of_a_list_stay_on_their_lines() -> None:
    items = [Words(f"{number}. {FILLING} and is as long", 60, 700 - 14 * number) for number in range(1, 4)]
    assert len(text(items).splitlines()) == 3


def test_every_line_has_its_page_and_box() -> None:
    read = reader.read(pdf([[Words("first", 60, 700)], [Words("second", 100, 500, 20)]]), "a.pdf")
    first, second = read.places
    assert [read.text[place.start : place.end] for place in read.places] == ["first", "second"]
    assert (first.page, second.page) == (1, 2)
    assert first.box is not None
    assert second.box is not None
    left, top, right, bottom = first.box
    assert [left, right] == pytest.approx([60, 79], abs=3)
    assert top < 842 - 700 < bottom
    assert second.box[3] - second.box[1] > 2 * (bottom - top) - 5


@pytest.mark.parametrize(
    ("rotation", "expected"), [(0, (60, 142)), (90, (700, 60)), (180, (535, 700)), (270, (142, 535))]
)
def test_boxes_are_those_of_the_page_as_it_is_shown(rotation: int, expected: tuple[float, float]) -> None:
    data = pdf([[Words("I", 60, 700)]], page=f"/MediaBox [0 0 595 842] /Rotate {rotation}")
    box = reader.read(data, "a.pdf").places[0].box
    assert box is not None
    assert box[0] - 4 <= expected[0] <= box[2] + 4
    assert box[1] - 4 <= expected[1] <= box[3] + 4


def test_boxes_count_from_the_corner_of_the_visible_part() -> None:
    data = pdf([[Words("seen", 160, 700)]], page="/MediaBox [0 0 595 842] /CropBox [100 100 500 800]")
    box = reader.read(data, "a.pdf").places[0].box
    assert box is not None
    assert box[0] == pytest.approx(60, abs=1)
    assert box[1] < 100 < box[3]


def test_a_page_without_text_is_a_loss() -> None:
    read = reader.read(pdf([[Words("words", 60, 700)], b"0 0 100 100 re f", [Words("more", 60, 700)]]), "a.pdf")
    assert read.text == "words\n\nmore"
    assert [(loss.code, loss.where) for loss in read.losses] == [("PAGE_WITHOUT_TEXT", "page 2")]
    assert read.places[1].page == 3


def test_a_garbled_page_is_a_loss() -> None:
    read = reader.read(pdf([[Words("words", 60, 700)], [Words("(cid:12)(cid:44)(cid:3) x", 60, 700)]]), "a.pdf")
    assert [(loss.code, loss.where) for loss in read.losses] == [("PAGE_GARBLED", "page 2")]
    assert "cid" not in read.text


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ("Plain text, 正常的文字。", False),
        ("(cid:1)(cid:2)", True),
        ("A paragraph about (cid:3) in a long text that is fine in all other respects, as one can see.", False),
        ("\ue001\ue002\ue003", True),
        ("\ufffd\ufffdab", True),
        ("a\ufffdbcdefghijk", False),
    ],
)
def test_garbage_is_told_by_its_share(layer: str, expected: bool) -> None:
    assert garbled(layer) is expected


def test_a_page_that_cannot_be_opened_is_a_loss_and_the_others_are_read() -> None:
    whole = pdf([[Words("one", 60, 700)], [Words("two", 60, 700)]])
    read = reader.read(whole.replace(b"/Kids [4 0 R 6 0 R]", b"/Kids [4 0 R 5 0 R]"), "a.pdf")
    assert read.text == "one"
    assert [loss.where for loss in read.losses] == ["page 2"]


def test_the_title_of_the_file_is_taken() -> None:
    data = pdf([[Words("x", 60, 700)]], extra={"info": "<< /Title (The  handbook) >>"}, trailer="/Info 6 0 R")
    assert reader.read(data, "a.pdf").title == "The handbook"


def test_a_file_that_needs_a_password_says_so() -> None:
    assert failure(encrypted([Words("secret", 60, 700)], b"pass")) == "ENCRYPTED"


def test_a_file_that_only_forbids_changes_is_read() -> None:
    assert reader.read(encrypted([Words("open to all", 60, 700)], b""), "a.pdf").text == "open to all"


def test_a_file_without_any_text_fails_with_a_reason() -> None:
    assert failure(pdf([b"0 0 100 100 re f"])) == "NO_TEXT"


@pytest.mark.parametrize("data", [b"%PDF-1.7\n", b"%PDF-1.4\nnothing of a PDF", b"%PDF-" + b"\0" * 500])
def test_a_file_that_is_no_pdf_inside_is_damaged(data: bytes) -> None:
    assert failure(data) == "DAMAGED"


def test_a_page_tree_in_a_circle_ends() -> None:
    data = assemble([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 3 >>"])
    assert failure(data) in {"NO_TEXT", "DAMAGED"}


def test_a_page_tree_that_claims_a_million_pages_is_capped() -> None:
    data = pdf([[Words("only", 60, 700)]]).replace(b"/Count 1 ", b"/Count 1000000 ")
    read = reader.read(data, "a.pdf")
    assert read.text == "only"
    assert read.losses[-1].code == "PAGE_LIMIT"
    assert len(read.losses) <= 5_001


def test_a_table_of_objects_that_points_at_itself_ends() -> None:
    data = pdf([[Words("x", 60, 700)]])
    start = data.rindex(b"startxref")
    at = int(data[start:].split()[1])
    looped = data.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d" % at)
    assert reader.read(looped, "a.pdf").text == "x"


def test_deeply_nested_objects_end() -> None:
    data = pdf([[Words("x", 60, 700)]], extra={"deep": "[" * 50_000 + "]" * 50_000})
    assert reader.read(data, "a.pdf").text == "x"


def test_a_compressed_page_is_read_and_a_cut_one_is_a_loss() -> None:
    packed = zlib.compress(content([Words("packed", 60, 700)]))
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream"
    fonts = b"/Resources << /Font << /F1 6 0 R >> >>"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R " + fonts + b" >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R 7 0 R] /Count 2 >>",
        page % 4,
        stream % (len(packed), packed),
        stream % (6, packed[:6]),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        page % 5,
    ]
    read = reader.read(assemble(objects), "a.pdf")
    assert read.text == "packed"
    assert [loss.where for loss in read.losses] == ["page 2"]


def test_a_page_of_scattered_letters_takes_linear_time() -> None:
    page = [Words("x", 10 + (7919 * number) % 570, 10 + (104_729 * number) % 820, 4) for number in range(4_000)]
    assert text(page).count("x") == 4_000
