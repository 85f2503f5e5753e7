"""What the Word reader carries over: all text in its order, structure as Markdown, and what is lost."""

import io

import pytest
from docx import Document

from knowhub.errors import Unreadable
from knowhub.readers import docx as reader
from tests.office_files import WORD, archive, docx, office, paragraph, relationships

BOX = (
    "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{0}</w:txbxContent></wps:txbx></w:drawing>"
    "</mc:Choice><mc:Fallback><w:pict><w:txbxContent>{0}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>"
    "</w:r>"
)


def text(body: str) -> str:
    return reader.read(docx(body), "a.docx").text


def part(kind: str, content: str) -> str:
    return f'<w:{kind} xmlns:w="{WORD}">{content}</w:{kind}>'


def row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{each}</w:tc>" for each in cells) + "</w:tr>"


def cell(words: str, properties: str = "") -> str:
    return f"<w:tcPr>{properties}</w:tcPr>{paragraph(words)}"


def failure(data: bytes) -> object:
    with pytest.raises(Unreadable) as refused:
        reader.read(data, "a.docx")
    return refused.value.detail["reason"]


def test_a_document_of_a_word_processor_is_read_with_its_structure() -> None:
    made = Document()
    made.add_heading("Handbook", 0)
    made.add_heading("Part", 1)
    made.add_heading("Section", 2)
    run = made.add_paragraph("Hel")
    run.add_run("lo wor").bold = True
    run.add_run("ld")
    made.add_paragraph("one", style="List Bullet")
    made.add_paragraph("two", style="List Bullet")
    made.add_paragraph("first", style="List Number")
    made.add_paragraph("second", style="List Number")
    table = made.add_table(3, 3)
    for number in range(9):
        table.cell(number // 3, number % 3).text = f"c{number}"
    table.cell(0, 0).merge(table.cell(0, 1))
    table.cell(1, 2).merge(table.cell(2, 2))
    made.sections[0].header.paragraphs[0].text = "On every page"
    buffer = io.BytesIO()
    made.save(buffer)
    read = reader.read(buffer.getvalue(), "a.docx")
    assert read.text == (
        "# Handbook\n\n# Part\n\n## Section\n\nHello world\n\n- one\n- two\n1. first\n2. second\n\n"
        "| c0 c1 |  | c2 |\n| --- | --- | --- |\n| c3 | c4 | c5 c8 |\n| c6 | c7 |  |\n\nOn every page"
    )
    assert (read.title, read.chunker_name, read.losses) == ("Handbook", "fixed", ())


def test_runs_are_joined_as_they_stand() -> None:
    assert text(paragraph("in", "visible", " and ", "so on")) == "invisible and so on"


def test_tabs_breaks_and_hyphens_are_characters() -> None:
    run = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/></w:r>"
    assert text(f"<w:p>{run}</w:p>") == "a\tb\nc-d"


@pytest.mark.parametrize("wrapper", ["hyperlink", "ins", "fldSimple", "smartTag", "moveTo"])
def test_text_within_other_elements_is_kept(wrapper: str) -> None:
    assert text(f"<w:p><w:{wrapper}><w:r><w:t>inside</w:t></w:r></w:{wrapper}></w:p>") == "inside"


def test_deleted_text_and_field_instructions_are_not_text() -> None:
    gone = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
    field = "<w:r><w:fldChar/><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>7</w:t></w:r>"
    assert text(f"<w:p>{gone}{field}</w:p>") == "7"


def test_content_controls_are_opened_everywhere() -> None:
    control = "<w:sdt><w:sdtPr/><w:sdtContent>{}</w:sdtContent></w:sdt>"
    block = control.format(paragraph("block"))
    inline = f"<w:p>{control.format('<w:r><w:t>inline</w:t></w:r>')}</w:p>"
    of_cell = f"<w:tbl>{row(cell('a'), cell('b'))}{control.format(row(cell('c'), cell('d')))}</w:tbl>"
    found = text(block + inline + of_cell)
    assert found == "block\n\ninline\n\n| a | b |\n| --- | --- |\n| c | d |"


def test_a_text_box_follows_its_paragraph_once() -> None:
    box = BOX.format(paragraph("in the box"))
    assert text(f"<w:p><w:r><w:t>anchor</w:t></w:r>{box}</w:p>{paragraph('next')}") == "anchor\n\nin the box\n\nnext"


def test_merged_cells_are_told_by_the_grid_not_by_equal_text() -> None:
    table = (
        row(cell("same"), cell("same"), cell("end"))
        + row(cell("wide", '<w:gridSpan w:val="2"/>'), cell("top", '<w:vMerge w:val="restart"/>'))
        + row(cell("x"), cell("y"), cell("", "<w:vMerge/>"))
    )
    assert text(f"<w:tbl>{table}</w:tbl>").splitlines() == [
        "| same | same | end |",
        "| --- | --- | --- |",
        "| wide |  | top |",
        "| x | y |  |",
    ]


def test_a_row_that_begins_late_keeps_its_columns() -> None:
    late = f'<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc>{cell("b2")}</w:tc></w:tr>'
    assert text(f"<w:tbl>{row(cell('a'), cell('b'))}{late}</w:tbl>").splitlines()[-1] == "|  | b2 |"


def test_bars_and_lines_within_a_cell_do_not_break_the_table() -> None:
    table = f"<w:tbl>{row(cell('a|b') + paragraph('more'), cell('c'))}</w:tbl>"
    assert text(table).splitlines()[0] == "| a\\|b more | c |"


def test_a_table_of_one_cell_is_a_frame() -> None:
    assert text(f"<w:tbl>{row(paragraph('one') + paragraph('two'))}</w:tbl>") == "one\n\ntwo"


def test_a_span_beyond_all_measure_is_cut() -> None:
    wide = cell("x", '<w:gridSpan w:val="99999999"/>')
    assert len(text(f"<w:tbl>{row(wide, cell('y'))}</w:tbl>")) < 20_000


def test_notes_stand_behind_the_body_under_their_marks() -> None:
    body = '<w:p><w:r><w:t>Claim</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = f'<w:footnote w:id="0" w:type="separator">{paragraph("---")}</w:footnote>'
    notes += f'<w:footnote w:id="2">{paragraph("Proof")}</w:footnote>'
    data = docx(body, {"word/footnotes.xml": part("footnotes", notes)}, [("footnotes", "footnotes.xml")])
    assert reader.read(data, "a.docx").text == "Claim[^f2]\n\n[^f2]: Proof"


def test_headers_and_footers_that_sections_share_are_read_once() -> None:
    same = part("hdr", paragraph("Confidential"))
    parts = {"word/h1.xml": same, "word/h2.xml": same, "word/f.xml": part("ftr", paragraph("Page 1"))}
    data = docx(paragraph("Body"), dict(parts), [("header", "h1.xml"), ("header", "h2.xml"), ("footer", "f.xml")])
    assert reader.read(data, "a.docx").text == "Body\n\nConfidential\n\nPage 1"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ('<w:outlineLvl w:val="0"/>', "# x"),
        ('<w:outlineLvl w:val="9"/>', "x"),
        ('<w:pStyle w:val="H2"/>', "## x"),
        ('<w:pStyle w:val="Mine"/>', "## x"),
        ('<w:pStyle w:val="Round"/>', "x"),
        ('<w:pStyle w:val="Missing"/>', "x"),
        ('<w:numPr><w:ilvl w:val="1"/><w:numId w:val="5"/></w:numPr>', "- x"),
        ('<w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr>', "1. x"),
        ('<w:numPr><w:numId w:val="0"/></w:numPr>', "x"),
        ('<w:numPr><w:ilvl w:val="many"/><w:numId w:val="5"/></w:numPr>', "x"),
    ],
)
def test_styles_and_numberings_make_headings_and_items(properties: str, expected: str) -> None:
    styles = (
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:styleId="Mine"><w:name w:val="My own"/><w:basedOn w:val="H2"/></w:style>'
        '<w:style w:styleId="Round"><w:name w:val="r"/><w:basedOn w:val="Round"/></w:style>'
    )
    numbering = (
        '<w:abstractNum w:abstractNumId="3"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num>'
    )
    data = docx(
        paragraph("x", properties=properties),
        {"word/styles.xml": part("styles", styles), "word/numbering.xml": part("numbering", numbering)},
        [("styles", "styles.xml"), ("numbering", "numbering.xml")],
    )
    assert reader.read(data, "a.docx").text.strip() == expected


def test_what_has_no_text_is_a_loss() -> None:
    body = paragraph("x") + "<w:p><w:r><w:drawing/></w:r></w:p><w:altChunk/>"
    links = [("comments", "comments.xml")]
    data = docx(body, {"word/embeddings/sheet.xlsx": archive({"a": "b"}), "word/comments.xml": "<c/>"}, links)
    losses = reader.read(data, "a.docx").losses
    assert {loss.code for loss in losses} == {
        "PICTURE_NOT_READ",
        "FOREIGN_PART_NOT_READ",
        "COMMENTS_NOT_READ",
        "EMBEDDED_NOT_READ",
    }
    assert losses[-1].where == "word/embeddings/sheet.xlsx"


def test_strict_files_are_read_like_others() -> None:
    body = f'<document xmlns="http://purl.oclc.org/ooxml/x"><body>{_plain("strict")}</body></document>'
    assert reader.read(office("word/document.xml", {"word/document.xml": body}), "a.docx").text == "strict"


def _plain(words: str) -> str:
    return f"<p><r><t>{words}</t></r></p>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (docx(""), "NO_TEXT"),
        (docx("<w:p/>"), "NO_TEXT"),
        (docx(paragraph("x"))[:-30], "DAMAGED"),
        (archive({"a": "b"}), "PART_MISSING"),
        (archive({"_rels/.rels": relationships([("officeDocument", "word/gone.xml")])}), "PART_MISSING"),
        (office("word/document.xml", {"word/document.xml": "<a/>"}), "PART_MISSING"),
        (office("word/document.xml", {"word/document.xml": "<!DOCTYPE a><a/>"}), "XML_DTD"),
        (office("word/document.xml", {"word/document.xml": "<a>"}), "XML_BROKEN"),
        (office("word/document.xml", {"word/document.xml": " " * 30_000_000}), "BOMB"),
        (docx("<w:sdt>" * 300 + "</w:sdt>" * 300), "TOO_DEEP"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, expected: str) -> None:
    assert failure(data) == expected
