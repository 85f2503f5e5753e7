"""What the spreadsheet reader carries over: every sheet and every row with a value, under their own numbers."""

import struct

import pytest

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import sheets as reader
from knowhub.readers.sheets_sparse import column_name
from tests.office_files import archive, cell, ods, relationships, rows, xlsx
from tests.ole_files import biff, ole, shape, workbook

FAR_WITHOUT_DATA = '<row><c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c></row>'
FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def read(data: bytes) -> ReadDocument:
    return reader.read(data, "a.xlsx")


def failure(data: bytes) -> object:
    with pytest.raises(Unreadable) as refused:
        read(data)
    return refused.value.detail["reason"]


def data_of(*cells: str) -> str:
    return f'<sheetData><row r="1">{"".join(cells)}</row></sheetData>'


def test_every_sheet_is_read_and_hidden_ones_say_so() -> None:
    tables = {name: rows(["key"], [name.lower()]) for name in ("Shown", "Hidden", "Buried")}
    document = read(xlsx(tables, states={"Hidden": "hidden", "Buried": "veryHidden"}))
    assert document.text == (
        "Sheet: Shown\nkey\nshown\nSheet: Hidden (hidden)\nkey\nhidden\nSheet: Buried (hidden)\nkey\nburied\n"
    )
    assert (document.preserve_lines, document.header_lines, document.chunker_name) == (True, 2, "fixed")
    assert [document.text[at:].partition("\n")[0] for at in document.breaks] == [
        "Sheet: Shown",
        "Sheet: Hidden (hidden)",
        "Sheet: Buried (hidden)",
    ]


def test_every_row_with_a_value_comes_out_under_its_number() -> None:
    table = rows(["a", 1], ["b", 2]).replace("</sheetData>", "") + rows(["c", 3], first=900).replace("<sheetData>", "")
    document = read(xlsx({"T": table}))
    assert document.text == "Sheet: T\na | 1\nb | 2\nc | 3\n"
    found = [(document.text[place.start : place.end], place.sheet, place.row) for place in document.places]
    assert found == [("a | 1\nb | 2\n", "T", 1), ("c | 3\n", "T", 900)]


def test_as_many_rows_come_out_as_go_in() -> None:
    document = read(xlsx({"T": rows(*[[f"row{number}", number] for number in range(5_000)])}))
    assert document.text.count("\n") == 5_001
    assert [(place.row, place.end) for place in document.places] == [(1, len(document.text))]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (cell("A1", 45000, 1), "2023-03-15"),
        (cell("A1", 0.75, 2), "18:00:00"),
        (cell("A1", 45000.25, 3), "2023-03-15 06:00:00"),
        (cell("A1", 3), "3"),
        (cell("A1", 0.1 + 0.2), "0.3"),
        (cell("A1", 1e20), "1e+20"),
        ('<c r="A1" t="b"><v>1</v></c>', "TRUE"),
        ('<c r="A1"><f>1+1</f><v>2</v></c>', "2"),
        ('<c r="A1" t="str"><f>"a"</f><v>text</v></c>', "text"),
        (cell("A1", " two\nlines\r\nof text "), "two lines of text"),
    ],
)
def test_cells_are_shown_as_what_they_mean(written: str, expected: str) -> None:
    assert read(xlsx({"T": data_of(written)})).text == f"Sheet: T\n{expected}\n"


def test_dates_of_the_calendar_from_1904_are_right() -> None:
    document = read(xlsx({"T": data_of(cell("A1", 43538, 1))}, properties='<workbookPr date1904="1"/>'))
    assert document.text == "Sheet: T\n2023-03-15\n"


def test_empty_cells_keep_the_columns_and_merged_ones_are_not_repeated() -> None:
    table = (
        data_of(cell("A1", "wide"), cell("D1", "end")) + '<mergeCells count="1"><mergeCell ref="A1:C1"/></mergeCells>'
    )
    assert read(xlsx({"T": table})).text == "Sheet: T\nwide |  |  | end\n"


def test_a_claimed_extent_costs_nothing() -> None:
    assert read(xlsx({"T": '<dimension ref="A1:XFD1048576"/>' + rows(["x"])})).text == "Sheet: T\nx\n"


def test_a_cell_far_away_without_a_value_does_not_count() -> None:
    far = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>'
    assert read(xlsx({"T": f"<sheetData>{far}</sheetData>"})).text == "Sheet: T\n1\n"


def test_errors_and_formulas_without_a_result_are_losses() -> None:
    cells = (cell("A1", "x"), '<c r="B1" t="e"><v>#DIV/0!</v></c>', '<c r="C1"><f>1+1</f></c>', '<c r="D1"><f/></c>')
    losses = read(xlsx({"T": data_of(*cells)})).losses
    assert [(loss.code, loss.detail[:2]) for loss in losses] == [("CELL_ERROR", "1 "), ("FORMULA_WITHOUT_VALUE", "2 ")]


@pytest.mark.parametrize("empty", ["<v></v>", "<v/>", "<v />", "<v> </v>"])
@pytest.mark.parametrize("formula", ["<f>A2*2</f>", '<f t="shared" si="0"/>'])
def test_a_formula_with_an_empty_result_is_a_loss(formula: str, empty: str) -> None:
    losses = read(xlsx({"T": data_of(cell("A1", "x"), f'<c r="B1">{formula}{empty}</c>')})).losses
    assert [(loss.code, loss.detail[:2]) for loss in losses] == [("FORMULA_WITHOUT_VALUE", "1 ")]


def test_a_formula_whose_result_is_empty_text_or_a_number_is_none() -> None:
    cells = (cell("A1", "x"), '<c r="B1" t="str"><f>IF(1,"")</f><v></v></c>', '<c r="C1"><f>1+1</f><v>2</v></c>')
    assert read(xlsx({"T": data_of(*cells)})).losses == ()


def test_links_to_other_workbooks_are_not_followed() -> None:
    link = '<externalLink xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    table = data_of('<c r="A1"><f>[1]Other!A1</f><v>5</v></c>')
    assert read(xlsx({"T": table}, more={"xl/externalLinks/externalLink1.xml": link})).text == "Sheet: T\n5\n"


def test_files_within_the_workbook_are_losses() -> None:
    document = read(xlsx({"T": rows(["x"])}, more={"xl/embeddings/a.docx": archive({"a": "b"})}))
    assert [(loss.code, loss.where) for loss in document.losses] == [("EMBEDDED_NOT_READ", "xl/embeddings/a.docx")]


def test_open_document_spreadsheets_are_read_with_hidden_tables_marked() -> None:
    text_cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    date_cell = '<table:table-cell office:value-type="date" office:date-value="2024-02-29"/>'
    filling = '<table:table-row table:number-rows-repeated="1048570"><table:table-cell/></table:table-row>'
    hidden = '<style:table-properties table:display="false"/>'
    style = f'<style:style style:name="ta2" style:family="table">{hidden}</style:style>'
    tables = {
        "Shown": f"<table:table-row>{text_cell.format('day')}{date_cell}</table:table-row>{filling}",
        'A &amp; B" table:style-name="ta2': f"<table:table-row>{text_cell.format('x')}</table:table-row>",
    }
    assert read(ods(tables, styles=style)).text == "Sheet: Shown\nday | 2024-02-29\nSheet: A & B (hidden)\nx\n"


def test_workbooks_of_before_2007_are_read_with_hidden_sheets_marked() -> None:
    sheets = {"Zoo": [["animal", "count"], ["penguin 企鹅", 3]], "Back": [["x", 1.5]]}
    document = read(ole(workbook(sheets, hidden=["Back"])))
    assert document.text == "Sheet: Zoo\nanimal | count\npenguin 企鹅 | 3\nSheet: Back (hidden)\nx | 1.5\n"
    assert [(place.sheet, place.row) for place in document.places] == [("Zoo", 1), ("Back", 1)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (xlsx({"T": "<sheetData/>"}), "NO_TEXT"),
        (xlsx({"T": FAR_WITHOUT_DATA}), "TOO_SPARSE"),
        (ods({"T": "<table:table-row></table:table>"}), "XML_BROKEN"),
        (archive({"a.xml": "<a/>"}), "DAMAGED"),
        (xlsx({"T": rows(["x"])}, more={"xl/sharedStrings.xml": "<!DOCTYPE a><a/>"}), "XML_DTD"),
        (xlsx({"T": rows(["x"])}, more={"xl/sharedStrings.xml": " " * 30_000_000}), "BOMB"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "DAMAGED"),
    ],
)
def test_a_workbook_that_cannot_be_read_says_why(data: bytes, expected: str) -> None:
    assert failure(data) == expected


def test_cells_far_apart_are_read_with_their_columns_and_rows() -> None:
    document = read(xlsx({"T": f"<sheetData>{FAR}</sheetData>", "U": rows(["a", "b"])}))
    assert document.text == "Sheet: T\nA: 1\nXFD: 1\nSheet: U\na | b\n"
    assert [(place.sheet, place.row) for place in document.places] == [("T", 1), ("T", 1048576), ("U", 1)]


def test_a_sparse_sheet_gives_back_every_cell_whatever_the_length_of_its_rows() -> None:
    names = [column_name(number) for number in range(1, 16_001)]
    wide = "".join(f'<c r="{name}1"><v>{number}</v></c>' for number, name in enumerate(names, 1))
    tall = "".join(f'<row r="{number}"><c r="B{number}" s="1"><v>45000</v></c></row>' for number in range(2, 1_502))
    document = read(xlsx({"T": f'<sheetData><row r="1">{wide}</row>{tall}</sheetData>'}))
    lines = document.text.splitlines()
    assert lines[1] == " | ".join(f"{name}: {number}" for number, name in enumerate(names, 1))
    assert lines[2:] == ["B: 2023-03-15"] * 1_500
    assert [(place.row, place.end) for place in document.places] == [(1, len(document.text))]


def test_columns_are_named_as_in_a_spreadsheet() -> None:
    assert [column_name(number) for number in (1, 26, 27, 702, 703, 16_384)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]


_SPACES = (
    'xmlns:xdr="urn:xdr" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="urn:c"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def _beside(sheet: str, parts: dict[str, str | bytes], *links: tuple[str, str]) -> ReadDocument:
    more = {**parts, "xl/worksheets/_rels/sheet1.xml.rels": relationships(links, external=["https://e.org/a b"])}
    return read(xlsx({"T": rows(["x"]) + sheet}, more=more))


def test_comments_follow_the_rows_of_their_sheet_and_threads_come_once() -> None:
    old = (
        '<comments><authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Is '
        '</t></r><r><t>it so?</t></r></text></comment><comment ref="B2" authorId="9"><text><t>Old form</t></text>'
        "</comment></commentList></comments>"
    )
    thread = (
        '<ThreadedComments><threadedComment ref="B2" personId="p"><text>New form</text></threadedComment>'
        '<threadedComment ref="B2" personId="q"><text>Reply</text></threadedComment></ThreadedComments>'
    )
    parts: dict[str, str | bytes] = {
        "xl/comments1.xml": old,
        "xl/threadedComments/threadedComment1.xml": thread,
        "xl/persons/person.xml": '<personList><person id="p" displayName="Bo"/></personList>',
    }
    links = (("comments", "../comments1.xml"), ("threadedComment", "../threadedComments/threadedComment1.xml"))
    document = _beside("", parts, *links)
    assert document.text == (
        "Sheet: T\nx\nComment on B2 (Bo): New form\nComment on B2: Reply\nComment on A1 (Ann): Is it so?\n"
    )
    assert [(place.sheet, place.row) for place in document.places] == [("T", 1), ("T", None)]
    assert document.losses == ()


def test_comments_that_cannot_be_read_are_a_loss() -> None:
    deep = "<comments>" + "<a>" * 300 + "</a>" * 300 + "</comments>"
    document = _beside("", {"xl/comments1.xml": deep}, ("comments", "../comments1.xml"))
    assert [(loss.code, loss.where) for loss in document.losses] == [("COMMENTS_NOT_READ", "sheet 'T'")]


def test_links_choices_headers_and_footers_are_read() -> None:
    link = f'<hyperlinks {_SPACES}><hyperlink ref="A1" r:id="rId1"/><hyperlink ref="B1" location="X!A1"/></hyperlinks>'
    choices = (
        '<dataValidations><dataValidation type="list" sqref="C1:C9"><formula1>"open,closed"</formula1></dataValidation>'
        '<dataValidation type="list" sqref="D1"><formula1>$A$1:$A$3</formula1></dataValidation></dataValidations>'
    )
    margins = (
        '<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Plans &amp;&amp; costs&amp;R&amp;D</oddHeader>'
        "<oddFooter>&amp;CPage &amp;P</oddFooter></headerFooter>"
    )
    document = _beside(link + choices + margins, {}, ("hyperlink", "https://e.org/a b"))
    assert document.text.splitlines()[2:] == [
        "Link in A1: https://e.org/a%20b",
        "Choices for C1:C9: open, closed",
        "Header: Plans & costs",
    ]


def test_words_of_drawings_are_read_and_pictures_and_controls_are_losses() -> None:
    words = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    drawing = (
        f"<xdr:wsDr {_SPACES}><xdr:sp><xdr:txBody>{words.format('In a box')}</xdr:txBody></xdr:sp>"
        '<xdr:pic><xdr:cNvPr descr="A map"/></xdr:pic><xdr:graphicFrame><c:chart r:id="rId1"/></xdr:graphicFrame>'
        '<xdr:graphicFrame><c:chart r:id="rId9"/></xdr:graphicFrame></xdr:wsDr>'
    )
    chart = (
        f"<c:chartSpace {_SPACES}><c:title>{words.format('Costs')}</c:title><c:ser><c:tx><c:v>n</c:v></c:tx></c:ser>"
        "</c:chartSpace>"
    )
    parts: dict[str, str | bytes] = {
        "xl/drawings/drawing1.xml": drawing,
        "xl/drawings/_rels/drawing1.xml.rels": relationships([("chart", "../charts/chart1.xml")]),
        "xl/charts/chart1.xml": chart,
        "xl/drawings/vml.vml": '<xml><br><ClientData ObjectType="Note"/><ClientData ObjectType="Button"/></xml>',
    }
    links = (("drawing", "../drawings/drawing1.xml"), ("vmlDrawing", "../drawings/vml.vml"))
    document = _beside("", parts, *links)
    assert document.text.splitlines()[2:] == ["Text box: In a box", "Picture: A map", "Chart: Costs"]
    assert [(loss.code, loss.where, loss.detail[:2]) for loss in document.losses] == [
        ("PICTURE_NOT_READ", "sheet 'T'", "1 "),
        ("CHART_NOT_READ", "sheet 'T'", "1 "),
        ("CONTROL_NOT_READ", "sheet 'T'", "1 "),
    ]


def test_a_sheet_with_nothing_but_a_comment_is_read() -> None:
    comments = (
        '<comments><commentList><comment ref="A1"><text><t>Only this</t></text></comment></commentList></comments>'
    )
    more = {
        "xl/comments1.xml": comments,
        "xl/worksheets/_rels/sheet1.xml.rels": relationships([("comments", "../comments1.xml")]),
    }
    document = read(xlsx({"T": "<sheetData/>"}, more=dict(more)))
    assert document.text == "Sheet: T\nComment on A1: Only this\n"
    assert document.breaks == (0,)


def test_the_title_of_a_workbook_is_that_of_its_properties() -> None:
    core = '<c:p xmlns:c="urn:c" xmlns:dc="urn:dc"><dc:title> The  book </dc:title></c:p>'
    links = [("officeDocument", "xl/workbook.xml"), ("metadata/core-properties", "docProps/core.xml")]
    more = {"docProps/core.xml": core, "_rels/.rels": relationships(links)}
    assert read(xlsx({"T": rows(["x"])}, more=dict(more))).title == "The book"


def test_an_indented_open_document_with_empty_settings_is_read() -> None:
    cell_of = '<table:table-cell office:value-type="string">\n <text:p>x y</text:p>\n </table:table-cell>'
    data = ods({"T": f"\n <table:table-row>\n {cell_of}\n </table:table-row>\n "}, more={"Configurations2/a.xml": ""})
    assert read(data).text == "Sheet: T\nx y\n"


def test_what_is_beside_the_cells_of_an_open_document_is_read_or_a_loss() -> None:
    spaces = 'xmlns:draw="urn:draw" xmlns:xlink="urn:xlink" xmlns:dc="urn:dc"'
    remark = "<office:annotation><dc:date>2024</dc:date><text:p>Is it</text:p><text:p>so?</text:p></office:annotation>"
    cells = (
        f'<table:table-row {spaces} table:number-rows-repeated="2"><table:table-cell office:value-type="string">'
        "<text:p>a<text:tab/>b<text:line-break/>c</text:p></table:table-cell></table:table-row>"
        f'<table:table-row {spaces}><table:table-cell table:number-columns-repeated="2"/><table:table-cell'
        f' office:value-type="string">{remark}<text:p><text:a xlink:href="https://e.org/">d</text:a></text:p>'
        "</table:table-cell></table:table-row>"
    )
    shapes = (
        f"<table:shapes {spaces}><draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>"
        '<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame><draw:frame><draw:object xlink:href="O1"/>'
        '<draw:image xlink:href="./ObjectReplacements/O1"/></draw:frame><draw:control/></table:shapes>'
    )
    document = read(ods({"T": shapes + cells}))
    assert document.text.splitlines() == [
        "Sheet: T",
        "a b c",
        "a b c",
        " |  | d",
        "Text box: In a box",
        "Comment on C3: Is it so?",
        "Link in C3: https://e.org/",
    ]
    assert sorted((loss.code, loss.where, loss.detail[:2]) for loss in document.losses) == [
        ("CHART_NOT_READ", "sheet 'T'", "1 "),
        ("CONTROL_NOT_READ", "sheet 'T'", "1 "),
        ("PICTURE_NOT_READ", "sheet 'T'", "1 "),
    ]


def test_what_is_beside_the_cells_of_an_old_workbook_is_read_or_a_loss() -> None:
    beside = [
        biff(0x0014, struct.pack("<HB", 9, 0) + b"&CPlans &P"[:9]),
        *shape(0x19, 1, "Is it so?"),
        *shape(0x06, 2, "In a 箱"),
        *shape(0x08, 3, ""),
        biff(0x001C, struct.pack("<4H", 1, 2, 0, 1) + b"\x03\0\0Ann"),
    ]
    document = read(ole(workbook({"T": [["x"]]}, beside={"T": b"".join(beside)})))
    assert document.text == "Sheet: T\nx\nComment on C2: Is it so?\nText box: In a 箱\nHeader: Plans &\n"
    assert [(loss.code, loss.where) for loss in document.losses] == [("PICTURE_NOT_READ", "sheet 'T'")]


def test_an_old_workbook_with_a_broken_comment_keeps_its_cells() -> None:
    document = read(ole(workbook({"T": [["x"]]}, beside={"T": biff(0x001C, b"\0")})))
    assert document.text == "Sheet: T\nx\n"
    assert [(loss.code, loss.where) for loss in document.losses] == [("COMMENTS_NOT_READ", "sheet 'T'")]
