"""What the spreadsheet reader carries over: every sheet and every row with a value, under their own numbers."""

import pytest

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import sheets as reader
from tests.office_files import archive, cell, ods, rows, xlsx
from tests.ole_files import ole, workbook

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
        (xlsx({"T": f"<sheetData>{FAR}</sheetData>"}), "TOO_SPARSE"),
        (ods({"T": "<table:table-row></table:table>"}), "XML_BROKEN"),
        (archive({"a.xml": "<a/>"}), "DAMAGED"),
        (xlsx({"T": rows(["x"])}, more={"xl/sharedStrings.xml": "<!DOCTYPE a><a/>"}), "XML_DTD"),
        (xlsx({"T": rows(["x"])}, more={"xl/sharedStrings.xml": " " * 30_000_000}), "BOMB"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "DAMAGED"),
    ],
)
def test_a_workbook_that_cannot_be_read_says_why(data: bytes, expected: str) -> None:
    assert failure(data) == expected
