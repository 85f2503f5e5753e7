"""What the presentation reader carries over: slides in their order with their notes."""

import pytest

from knowhub.errors import Unreadable
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


def test_what_repeats_on_every_slide_is_left_out() -> None:
    repeated = shape("7", kind="sldNum") + shape("2026", kind="dt") + shape("Company", kind="ftr")
    assert text(shape("words") + repeated) == "Slide 1\nwords\n\n"


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
