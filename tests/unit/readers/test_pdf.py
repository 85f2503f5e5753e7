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


def _turned(lines: list[tuple[str, float, float]], matrix: str) -> bytes:
    return b"\n".join(f"BT /F1 10 Tf {matrix} {x} {y} Tm ({text}) Tj ET".encode() for text, x, y in lines)


UPWARDS, UPSIDE_DOWN, DOWNWARDS = "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"


@pytest.mark.parametrize(
    ("matrix", "first", "second"),
    [
        (UPWARDS, (100, 100), (130, 100)),
        (UPSIDE_DOWN, (400, 400), (400, 430)),
        (DOWNWARDS, (300, 700), (270, 700)),
    ],
)
def test_text_that_stands_sideways_is_read_in_its_own_order(
    matrix: str, first: tuple[float, float], second: tuple[float, float]
) -> None:
    page = _turned([("The second line", *second), ("The first line here", *first)], matrix)
    level = _turned([("A level line", 50, 800)], "1 0 0 1")
    found = reader.read(pdf([page + b"\n" + level]), "a.pdf")
    assert " ".join(found.text.split()) == "A level line The first line here The second line"
    assert found.losses == ()
    boxes = [place.box for place in found.places]
    assert all(box is not None and box[0] < box[2] and box[1] < box[3] for box in boxes)


def test_a_sideways_line_s_box_is_where_it_is_shown() -> None:
    page = _turned([("Upwards", 100, 100)], UPWARDS)
    (place,) = reader.read(pdf([page]), "a.pdf").places
    assert place.box is not None
    left, top, right, bottom = place.box
    assert left < 100 < right
    assert bottom == pytest.approx(742, abs=1)
    assert bottom - top > right - left


def test_a_page_turned_by_its_text_s_turn_is_level() -> None:
    page = _turned([("The first line here", 100, 100), ("The second line", 130, 100)], UPWARDS)
    found = reader.read(pdf([page], page="/MediaBox [0 0 595 842] /Rotate 90"), "a.pdf")
    assert " ".join(found.text.split()) == "The first line here The second line"


def test_text_at_an_angle_is_kept_and_is_a_loss() -> None:
    page = _turned([("A stamp", 200, 300)], "0.7 0.7 -0.7 0.7")
    found = reader.read(pdf([page]), "a.pdf")
    assert found.text == "A stamp"
    assert [(loss.code, loss.where) for loss in found.losses] == [("TEXT_AT_AN_ANGLE", "page 1")]


def test_values_of_form_fields_and_comments_follow_the_page() -> None:
    drawn = [Words("A form", 50, 700)]
    annotations = {
        "field": "<< /Type /Annot /Subtype /Widget /FT /Tx /T (town) /V (Tromso) /Rect [0 0 90 20] >>",
        "off": "<< /Type /Annot /Subtype /Widget /FT /Btn /T (box) /V /Off /Rect [0 0 9 9] >>",
        "note": "<< /Type /Annot /Subtype /Text /Contents (check this) /Rect [0 0 9 9] >>",
    }
    page = "/MediaBox [0 0 595 842] /Annots [6 0 R 7 0 R 8 0 R]"
    found = reader.read(pdf([drawn], extra=annotations, page=page), "a.pdf")
    assert found.text.split("\n")[0] == "A form"
    assert "town: Tromso" in found.text
    assert "Comment: check this" in found.text
    assert "box" not in found.text
    assert found.losses == ()


FORM = {
    "field": "<< /Type /Annot /Subtype /Widget /Parent 9 0 R /Rect [10 800 90 820] >>",
    "box": "<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /V /On /AS /On /AP << /N << /On 3 0 R >> >>"
    " /Rect [0 0 9 9] >>",
    "list": "<< /Type /Annot /Subtype /Widget /FT /Ch /T (colours) /TU (Your colours) /V [(red) (blue)]"
    " /Opt [(red) (green) (blue)] /Ff 2097152 /Rect [0 0 9 9] >>",
    "parent": "<< /FT /Tx /T (town) /V (Tromso) /Kids [6 0 R] >>",
    "form": "<< /Fields [9 0 R 7 0 R 8 0 R] >>",
}


def test_values_that_stand_in_a_field_s_parent_boxes_and_lists_are_read() -> None:
    data = pdf(
        [[Words("A form", 50, 700)]], extra=FORM, page="/MediaBox [0 0 595 842] /Annots [6 0 R 7 0 R 8 0 R]",
        catalog="/AcroForm 10 0 R",
    )  # fmt: skip
    found = reader.read(data, "a.pdf")
    assert found.text == "A form\n\ntown: Tromso\nagree: On\nYour colours: red, blue"
    assert found.places[1].box == pytest.approx((10, 22, 90, 42))


def test_a_form_of_another_language_is_a_loss() -> None:
    extra = {"form": "<< /Fields [] /XFA 7 0 R >>", "xfa": "<< /Length 3 >>\nstream\n<a/\nendstream"}
    losses = reader.read(
        pdf([[Words("x", 60, 700)]], extra=extra, catalog="/AcroForm 6 0 R /NeedsRendering true"), "a.pdf"
    ).losses
    assert "FORM_NOT_READ" in [loss.code for loss in losses]


def test_a_scanned_page_with_a_comment_is_still_a_page_without_text() -> None:
    note = {"note": "<< /Type /Annot /Subtype /Text /Contents (check this) /Rect [0 0 9 9] >>"}
    found = reader.read(pdf([b"0 0 9 9 re f"], extra=note, page="/MediaBox [0 0 595 842] /Annots [6 0 R]"), "a.pdf")
    assert found.text == "Comment: check this"
    assert [loss.code for loss in found.losses] == ["PAGE_WITHOUT_TEXT"]


def test_files_and_recordings_on_a_page_are_a_loss() -> None:
    clip = {"clip": "<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 9 9] >>"}
    data = pdf([[Words("x", 60, 700)]], extra=clip, page="/MediaBox [0 0 595 842] /Annots [6 0 R]")
    assert [(loss.code, loss.where) for loss in reader.read(data, "a.pdf").losses] == [
        ("ATTACHMENT_NOT_READ", "page 1")
    ]


def test_pictures_of_all_pages_are_one_loss() -> None:
    image = b"q 100 0 0 100 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q\n"
    data = pdf([content([Words("x", 60, 700)]), image + content([Words("y", 60, 700)]), image * 2])
    losses = reader.read(data, "a.pdf").losses
    assert [(loss.code, loss.where, loss.detail[:2]) for loss in losses] == [
        ("PAGE_WITHOUT_TEXT", "page 3", "th"),
        ("PICTURE_NOT_READ", "page 2", "3 "),
    ]


def test_a_stamp_across_the_page_does_not_mix_with_its_lines() -> None:
    stamp = _turned([("A long stamp over it all", 100, 600)], "0.7 0.7 -0.7 0.7")
    lines = content([Words(f"L{number} {FILLING}", 60, 700 - 14 * number) for number in range(8)])
    found = reader.read(pdf([stamp + b"\n" + lines]), "a.pdf").text
    assert words_in_order(found) == [f"L{number}" for number in range(8)]
    assert found.endswith("A long stamp over it all")


def test_a_form_without_any_other_text_is_read() -> None:
    field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (town) /V (Tromso) /Rect [0 0 90 20] >>"
    found = reader.read(pdf([b""], extra={"field": field}, page="/MediaBox [0 0 595 842] /Annots [6 0 R]"), "a.pdf")
    assert found.text == "town: Tromso"


def test_a_file_within_the_file_is_a_loss() -> None:
    extra = {
        "spec": "<< /Type /Filespec /F (data.csv) /UF (data.csv) /EF << /F 7 0 R >> >>",
        "stream": "<< /Type /EmbeddedFile /Length 3 >>\nstream\na,b\nendstream",
    }
    data = pdf([[Words("Text", 50, 700)]], extra=extra)
    names = b"/Names << /EmbeddedFiles << /Names [(data.csv) 6 0 R] >> >>"
    # The catalog is written first: what follows it moves by as much, and the table of objects is rebuilt by the reader.
    data = data.replace(b"/Type /Catalog ", b"/Type /Catalog " + names + b" ")
    found = reader.read(data, "a.pdf")
    assert [(loss.code, loss.where) for loss in found.losses] == [("ATTACHMENT_NOT_READ", "data.csv")]
