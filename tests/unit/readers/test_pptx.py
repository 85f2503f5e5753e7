"""What the presentation reader carries over: slides in their order with their notes."""

import pytest

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import pptx as reader
from tests.office_files import office, pptx, relationships, shape


def text(*slides: str) -> str:
    return reader.read(pptx(slides), "a.pptx").text


def test_slides_come_in_the_order_they_are_shown_with_notes_and_numbers() -> None:
    slides = [shape("Welcome", kind="ctrTitle") + shape("to all"), shape("Second")]
    read = reader.read(pptx(slides, notes={1: shape("Say hello", kind="body") + shape("1", kind="sldNum")}), "a.pptx")
    assert read.text == "Slide 1\n# Welcome\nto all\n\nNotes: Say hello\n\nSlide 2\nSecond\n\n"
    assert [(place.slide, read.text[place.start : place.end].split("\n")[0]) for place in read.places] == [
        (1, "Slide 1"),
        (2, "Slide 2"),
    ]
    assert read.breaks == tuple(place.start for place in read.places)
    assert (read.title, read.chunker_name) == ("Welcome", "fixed")


def test_hidden_slides_say_so() -> None:
    assert reader.read(pptx([shape("a"), shape("b")], hidden=[2]), "a.pptx").text.split("\n")[3] == "Slide 2 (hidden)"


def test_shapes_are_read_from_top_to_bottom_with_the_title_first() -> None:
    shapes = [
        shape("low", at=(0, 5_000_000)),
        shape("right", at=(6_000_000, 1_010_000)),
        shape("left", at=(0, 1_000_000)),
        shape("Title", kind="title", at=(0, 9_000_000)),
    ]
    assert text("".join(shapes)).split("\n")[1:5] == ["# Title", "left", "right", "low"]


def test_numbers_and_dates_of_slides_are_left_out_and_a_footer_is_read_once() -> None:
    repeated = shape("7", kind="sldNum") + shape("2026", kind="dt") + shape("Company", kind="ftr")
    assert text(shape("words") + repeated, shape("more") + repeated) == "Slide 1\nwords\nCompany\n\nSlide 2\nmore\n\n"


_NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="urn:p"'
    ' xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
_SLIDE_LINKS = "ppt/slides/_rels/slide1.xml.rels"


def read_with(content: str, parts: dict[str, str], *links: tuple[str, str], external: str = "") -> ReadDocument:
    more = {**parts, _SLIDE_LINKS: relationships(links, external=[external])}
    return reader.read(pptx([content], more=more), "a.pptx")


def test_charts_and_diagrams_are_read_in_their_place() -> None:
    words = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    point = '<c:pt idx="0"><c:v>{}</c:v></c:pt>'
    points = f"<c:cat>{point.format('Q1')}</c:cat><c:val>{point.format('4')}</c:val>"
    series = f"<c:ser><c:tx><c:v>North</c:v></c:tx>{points}</c:ser>"
    titled = f"<c:title>{words.format('Sales')}</c:title>{series}"
    chart = f'<c:chartSpace xmlns:c="urn:c" {_NAMES}>{titled}</c:chartSpace>'
    diagram = f'<d:m xmlns:d="urn:d" {_NAMES}><d:pt modelId="1"><d:t>{words.format("Step")}</d:t></d:pt></d:m>'
    frame = "<p:graphicFrame>{}</p:graphicFrame>"
    drawn = frame.format('<c:chart xmlns:c="urn:c" r:id="rId1"/>') + frame.format(
        '<d:relIds xmlns:d="urn:d" r:dm="rId2"/>'
    )
    parts = {"ppt/charts/c.xml": chart, "ppt/diagrams/d.xml": diagram}
    found = read_with(shape("x") + drawn, parts, ("chart", "../charts/c.xml"), ("diagramData", "../diagrams/d.xml"))
    assert found.text == "Slide 1\nx\nChart: Sales\nNorth: Q1 4\n- Step\n\n"
    assert found.losses == ()


def test_the_description_of_a_picture_is_kept_and_the_picture_a_loss() -> None:
    picture = '<p:pic><p:nvPicPr><p:cNvPr descr="A  walrus"/></p:nvPicPr></p:pic>'
    found = reader.read(pptx([f"<p:grpSp>{picture}</p:grpSp>"]), "a.pptx")
    assert found.text == "Slide 1\n[Picture: A walrus]\n\n"
    assert [(loss.code, loss.where) for loss in found.losses] == [("PICTURE_NOT_READ", "slide 1")]


def test_comments_of_both_kinds_follow_the_notes() -> None:
    old = f'<p:cmLst {_NAMES}><p:cm authorId="0"><p:text>Is it so?</p:text></p:cm></p:cmLst>'
    new = (
        f'<p:cmLst {_NAMES}><p:cm authorId="7"><p:replyLst><p:reply><p:txBody><a:p><a:r><a:t>It is</a:t></a:r></a:p>'
        "</p:txBody></p:reply></p:replyLst><p:txBody><a:p><a:r><a:t>Really</a:t></a:r></a:p></p:txBody></p:cm></p:cmLst>"
    )
    parts = {"ppt/comments/a.xml": old, "ppt/comments/b.xml": new, "ppt/comments/c.xml": "<broken"}
    links = [("comments", f"../comments/{name}.xml") for name in "abc"]
    more = {**parts, _SLIDE_LINKS: relationships(links)}
    more["ppt/authors.xml"] = f'<p:lst {_NAMES}><p:cmAuthor id="0" name="Ann"/></p:lst>'
    found = reader.read(pptx([shape("x")], more=more, links=[("commentAuthors", "authors.xml")]), "a.pptx")
    assert found.text == ("Slide 1\nx\n\nComment (Ann): Is it so?\n\nComment: Really\n\nComment: It is\n\n")
    assert [(loss.code, loss.where) for loss in found.losses] == [("COMMENTS_NOT_READ", "slide 1")]


def test_words_of_the_layout_and_its_master_are_read_with_the_first_slide_that_shows_them() -> None:
    tree = f"<p:sld {_NAMES}><p:cSld><p:spTree>{{}}</p:spTree></p:cSld></p:sld>"
    parts = {
        "ppt/slideLayouts/l.xml": tree.format(shape("Click to add a title", kind="title") + shape("Confidential")),
        "ppt/slideLayouts/_rels/l.xml.rels": relationships([("slideMaster", "../slideMasters/m.xml")]),
        "ppt/slideMasters/m.xml": tree.format(shape("Company")),
        "ppt/slides/_rels/slide2.xml.rels": relationships([("slideLayout", "../slideLayouts/l.xml")]),
        _SLIDE_LINKS: relationships([("slideLayout", "../slideLayouts/l.xml")]),
    }
    found = reader.read(pptx([shape("x"), shape("y")], more=parts), "a.pptx")
    assert found.text == "Slide 1\nx\nConfidential\nCompany\n\nSlide 2\ny\n\n"


def test_links_and_formulas_in_paragraphs_are_kept() -> None:
    click = '<a:r><a:rPr><a:hlinkClick r:id="rId1"/></a:rPr><a:t>site</a:t></a:r>'
    formula = (
        '<mc:AlternateContent><mc:Choice><m:oMath xmlns:m="urn:m"><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den>'
        "<m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></mc:Choice><mc:Fallback><a:r><a:t>no</a:t></a:r></mc:Fallback>"
        "</mc:AlternateContent>"
    )
    words = f"<a:p>{click}<a:r><a:t> </a:t></a:r>{formula}</a:p>"
    body = f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody>{words}</p:txBody></p:sp>"
    found = read_with(body, {}, ("hyperlink", "https://e.org/x"), external="https://e.org/x")
    assert found.text == "Slide 1\n[site](https://e.org/x) 1/2\n\n"


def test_runs_levels_groups_and_tables_are_read() -> None:
    run = "<a:r><a:t>{}</a:t></a:r>"
    level = f'<a:p><a:pPr lvl="1"/>{run.format("in")}{run.format("ner")}</a:p>'
    grouped = f"<p:grpSp><p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody>{level}</p:txBody></p:sp></p:grpSp>"
    cells = "".join(f"<a:tc{mark}><a:txBody><a:p>{run.format(word)}</a:p></a:txBody></a:tc>" for word, mark in
                    (("a|b", ' gridSpan="2"'), ("", ' hMerge="1"'), ("c", "")))  # fmt: skip
    table = f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cells}</a:tr></a:tbl></a:graphic></p:graphicFrame>"
    assert text(grouped + table) == "Slide 1\n  - inner\n| a\\|b |  | c |\n| --- | --- | --- |\n\n"


def test_pictures_and_charts_are_losses_of_their_slide() -> None:
    chart = '<p:graphicFrame><c:chart xmlns:c="urn:chart"/></p:graphicFrame>'
    losses = reader.read(pptx([shape("x"), shape("y") + "<p:pic/>" + chart]), "a.pptx").losses
    assert [(loss.code, loss.where) for loss in losses] == [
        ("PICTURE_NOT_READ", "slide 2"),
        ("CHART_NOT_READ", "slide 2"),
    ]


def test_a_broken_slide_is_a_loss_and_the_others_are_read() -> None:
    read = reader.read(pptx(["<broken>", shape("fine")]), "a.pptx")
    assert read.text == "Slide 2\nfine\n\n"
    assert [(loss.code, loss.where) for loss in read.losses] == [("SLIDE_FAILED", "slide 1")]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (pptx([]), "NO_TEXT"),
        (pptx([""]), "NO_TEXT"),
        (office("ppt/presentation.xml", {"ppt/presentation.xml": "<!DOCTYPE a><a/>"}), "XML_DTD"),
        (office("ppt/presentation.xml", {"_rels/x.rels": relationships([])}), "PART_MISSING"),
    ],
)
def test_a_presentation_that_cannot_be_read_says_why(data: bytes, expected: str) -> None:
    with pytest.raises(Unreadable) as refused:
        reader.read(data, "a.pptx")
    assert refused.value.detail["reason"] == expected
