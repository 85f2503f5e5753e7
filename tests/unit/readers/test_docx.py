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


def test_what_has_no_text_is_a_loss_with_its_place() -> None:
    body = paragraph("x") + "<w:p><w:r><w:drawing/></w:r></w:p><w:altChunk/>"
    losses = reader.read(docx(body, {"word/embeddings/sheet.xlsx": archive({"a": "b"})}), "a.docx").losses
    assert [(loss.code, loss.where) for loss in losses] == [
        ("PICTURE_NOT_READ", "paragraph 2"),
        ("FOREIGN_PART_NOT_READ", "paragraph 2"),
        ("EMBEDDED_NOT_READ", "word/embeddings/sheet.xlsx"),
    ]


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


def test_a_character_of_a_symbol_font_is_what_it_looks_like_or_a_loss() -> None:
    symbols = '<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym/></w:r>'
    plain = '<w:r><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr><w:t>\uf0a3 end</w:t></w:r>'
    found = reader.read(docx(f"<w:p>{symbols}{plain}</w:p>"), "a.docx")
    assert found.text == "α✓\ufffd≤ end"
    assert [(loss.code, loss.where, loss.detail[:2]) for loss in found.losses] == [
        ("SYMBOL_NOT_READ", "paragraph 1", "1 ")
    ]


def test_a_private_character_of_an_unknown_font_stays_and_is_a_loss() -> None:
    found = reader.read(docx(paragraph("a\uf0a3b")), "a.docx")
    assert found.text == "a\uf0a3b"
    assert [loss.code for loss in found.losses] == ["SYMBOL_NOT_READ"]


def _field(instruction: str, result: str) -> str:
    marks = [f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end")]
    return f"{marks[0]}<w:r><w:instrText>{instruction}</w:instrText></w:r>{marks[1]}{result}{marks[2]}"


def _run(words: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{words}</w:t></w:r>'


def test_fields_are_their_results_and_those_within_an_instruction_are_none() -> None:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    asked = _field("MERGEFIELD sex", _run("f"))
    nested = f"{begin}<w:r><w:instrText>IF </w:instrText></w:r>{asked}{separate}{_run('Dear Madam')}{end}"
    assert text(f"<w:p>{nested}{_run(', page ')}{_field('PAGE', _run('7'))}</w:p>") == "Dear Madam, page 7"


def test_a_field_that_nothing_ends_takes_no_text_with_it() -> None:
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
    assert text(f"<w:p>{begin}{_run('kept')}</w:p>{paragraph('next')}") == "kept\n\nnext"


def test_boxes_and_lists_of_a_form_are_what_they_show() -> None:
    def form(inside: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{inside}</w:ffData></w:fldChar></w:r>'

    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    on = form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>')
    off = form('<w:checkBox><w:default w:val="0"/></w:checkBox>')
    entries = '<w:listEntry w:val="red"/><w:listEntry w:val="blue"/>'
    choices = form(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>')
    found = text(f"<w:p>{on}{end}{_run(' yes ')}{off}{end}{_run(' no ')}{choices}{end}</w:p>")
    assert found == "☒ yes ☐ no blue"


def test_links_keep_where_they_lead() -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId7" '
        'Type="x/hyperlink" Target="https://e.org/a (b)" TargetMode="External"/></Relationships>'
    )
    spaces = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    link = f'<w:hyperlink {spaces} r:id="rId7">{_run("the page")}</w:hyperlink>'
    other = _field(' HYPERLINK "mailto:a@e.org" ', _run("mail"))
    same = _field(' HYPERLINK "https://e.org/" ', _run("https://e.org"))
    data = docx(f"<w:p>{link}{_run(' or ')}{other} {same}</w:p>", {"word/_rels/document.xml.rels": relations})
    found = reader.read(data, "a.docx").text
    assert found == "[the page](https://e.org/a%20%28b%29) or [mail](mailto:a@e.org)https://e.org"


def test_comments_stand_behind_the_body_under_their_marks() -> None:
    body = f'<w:p>{_run("Claim")}<w:r><w:commentReference w:id="4"/></w:r></w:p>'
    comments = f'<w:comment w:id="4" w:author="Ann">{paragraph("Is it so?")}</w:comment>'
    data = docx(body, {"word/comments.xml": part("comments", comments)}, [("comments", "comments.xml")])
    found = reader.read(data, "a.docx")
    assert found.text == "Claim[^c4]\n\n[^c4]: Ann: Is it so?"
    assert found.losses == ()


def test_rows_that_were_deleted_are_not_read() -> None:
    gone = f'<w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>{cell("gone")}</w:tc><w:tc>{cell("too")}</w:tc></w:tr>'
    assert text(f"<w:tbl>{row(cell('a'), cell('b'))}{gone}</w:tbl>") == "| a | b |\n| --- | --- |"


def test_text_in_an_element_that_nobody_knows_is_kept() -> None:
    inline = f"<w:p><w:newThing>{_run('inline')}</w:newThing></w:p>"
    assert text(f"{inline}<w:newBlock>{paragraph('block')}</w:newBlock>") == "inline\n\nblock"


def test_the_pronunciation_of_a_word_stands_in_brackets() -> None:
    ruby = f"<w:ruby><w:rubyPr/><w:rt>{_run('かんじ')}</w:rt><w:rubyBase>{_run('漢字')}</w:rubyBase></w:ruby>"
    assert text(f"<w:p><w:r>{ruby}</w:r></w:p>") == "漢字(かんじ)"


def _math(inside: str) -> str:
    return f"<w:p>{_run('So ')}<m:oMathPara><m:oMath>{inside}</m:oMath></m:oMathPara></w:p>"


def _m(words: str) -> str:
    return f"<m:r><m:t>{words}</m:t></m:r>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (f"<m:f><m:fPr/><m:num>{_m('a+1')}</m:num><m:den>{_m('b')}</m:den></m:f>", "(a+1)/b"),
        (f"<m:sSup><m:e>{_m('x')}</m:e><m:sup>{_m('2')}</m:sup></m:sSup>{_m('+y')}", "x^2+y"),
        (f"<m:sSub><m:e>{_m('a')}</m:e><m:sub>{_m('i+1')}</m:sub></m:sSub>", "a_(i+1)"),
        (f"<m:rad><m:deg/><m:e>{_m('x+1')}</m:e></m:rad>", "√(x+1)"),
        pytest.param(
            f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{_m("i=1")}</m:sub><m:sup>{_m("n")}</m:sup>'
            f"<m:e>{_m('i')}</m:e></m:nary>",
            "∑_(i=1)^n i",
        ),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{_m("x")}</m:e></m:d>', "[x]"),
        (
            f"<m:m><m:mr><m:e>{_m('1')}</m:e><m:e>{_m('2')}</m:e></m:mr><m:mr><m:e>{_m('3')}</m:e></m:mr></m:m>",
            "[1, 2; 3]",
        ),
        (f"<m:acc><m:accPr/><m:e>{_m('v')}</m:e></m:acc>", "v"),
    ],
)
def test_formulas_keep_what_is_above_and_below_apart(formula: str, expected: str) -> None:
    assert text(_math(formula)) == f"So {expected}"


_DRAWN = (
    'xmlns:wp="urn:wp" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="urn:pic"'
    ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    ' xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)


def _drawn(inside: str) -> str:
    return f"<w:p>{_run('See')}<w:r><w:drawing {_DRAWN}>{inside}</w:drawing></w:r></w:p>"


def test_the_description_of_a_picture_is_kept_and_the_picture_a_loss() -> None:
    picture = '<wp:docPr descr="A walrus\non ice"/><pic:pic><pic:cNvPr descr="A walrus on ice"/></pic:pic>'
    found = reader.read(docx(_drawn(f"<wp:inline>{picture}</wp:inline>")), "a.docx")
    assert found.text == "See[Picture: A walrus on ice]"
    assert [(loss.code, loss.where) for loss in found.losses] == [("PICTURE_NOT_READ", "paragraph 1")]


def test_decorated_letters_such_as_a_watermark_are_read() -> None:
    mark = '<w:p><w:r><w:pict xmlns:v="urn:v"><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r></w:p>'
    found = reader.read(docx(paragraph("x") + mark), "a.docx")
    assert (found.text, found.losses) == ("x\n\nDRAFT", ())


CHART = (
    f"<c:chartSpace {_DRAWN}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx>"
    '</c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt>'
    '</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>Q1</c:v></c:pt><c:pt idx="1">'
    '<c:v>Q2</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx="0">'
    '<c:v>4.2999999999999998</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>'
    "</c:barChart></c:plotArea></c:chart></c:chartSpace>"
)
DIAGRAM = (
    f'<dgm:dataModel {_DRAWN}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
    + "".join(
        f'<dgm:pt modelId="{key}"><dgm:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for key, words in (("3", "after"), ("1", "first"), ("2", "inner"))
    )
    + "</dgm:ptLst><dgm:cxnLst>"
    + "".join(
        f'<dgm:cxn modelId="c{order}{key}" srcId="{above}" destId="{key}" srcOrd="{order}"/>'
        for above, key, order in (("0", "3", 1), ("0", "1", 0), ("1", "2", 0))
    )
    + "</dgm:cxnLst></dgm:dataModel>"
)


def test_charts_and_diagrams_follow_their_paragraph_in_words() -> None:
    body = _drawn('<c:chart r:id="rId1"/>') + _drawn('<dgm:relIds r:dm="rId2"/>') + paragraph("next")
    parts = {"word/charts/chart1.xml": CHART, "word/diagrams/data1.xml": DIAGRAM}
    data = docx(body, dict(parts), [("chart", "charts/chart1.xml"), ("diagramData", "diagrams/data1.xml")])
    found = reader.read(data, "a.docx")
    assert found.text == ("See\n\nChart: Sales\nNorth: Q1 4.3; Q2 7\n\nSee\n\n- first\n  - inner\n- after\n\nnext")
    assert found.losses == ()


def test_a_chart_whose_part_is_missing_or_broken_is_a_loss() -> None:
    body = _drawn('<c:chart r:id="rId1"/>') + _drawn('<c:chart r:id="rId9"/>')
    data = docx(body, {"word/charts/chart1.xml": "<broken"}, [("chart", "charts/chart1.xml")])
    losses = reader.read(data, "a.docx").losses
    assert [(loss.code, loss.where, loss.detail[:2]) for loss in losses] == [("CHART_NOT_READ", "paragraph 1", "2 ")]


def test_a_diagram_that_goes_round_in_a_circle_ends() -> None:
    looped = DIAGRAM.replace("</dgm:cxnLst>", '<dgm:cxn srcId="2" destId="1" srcOrd="0"/></dgm:cxnLst>')
    data = docx(_drawn('<dgm:relIds r:dm="rId1"/>'), {"word/d.xml": looped}, [("diagramData", "d.xml")])
    assert reader.read(data, "a.docx").text.count("- ") == 3
