"""What reaches a terminal, a pipe and a program."""

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from knowhub_cli.output import Output, clean, one_line
from knowhub_cli.places import place
from knowhub_cli.search import EXCERPT, _excerpt


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*, as_json: bool = False) -> tuple[Output, io.StringIO, io.StringIO]:
    results, remarks = io.StringIO(), io.StringIO()
    return Output(results, remarks, as_json=as_json), results, remarks


@given(st.text())
def test_cleaning_keeps_the_length_and_leaves_nothing_that_steers(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert not set(cleaned) & {"\x1b", "\r", "\x07", "\x9b", "\u202e"}
    cleaned.encode("utf-8")


def test_line_ends_become_spaces_on_one_line() -> None:
    assert one_line("a\nb\tc") == "a b c"


def test_a_long_line_is_not_wrapped_in_a_pipe() -> None:
    output, results, _ = printed()
    output.text("word " * 100)
    assert results.getvalue().count("\n") == 1


def test_markup_in_a_document_stays_text() -> None:
    output, results, remarks = printed()
    output.text("[bold]x[/bold] :smile:")
    output.note("[red]y")
    assert results.getvalue() == "[bold]x[/bold] :smile:\n"
    assert remarks.getvalue() == "[red]y\n"


def test_a_table_is_tab_separated_without_a_head_in_a_pipe() -> None:
    output, results, _ = printed()
    output.table(["id", "name"], [[1, "a\tb"], [2, None]])
    assert results.getvalue() == "1\ta b\n2\t\n"


def test_a_table_has_a_head_on_a_terminal() -> None:
    terminal = Terminal()
    Output(terminal, io.StringIO()).table(["id", "name"], [[1, "office"]])
    assert "name" in terminal.getvalue()
    assert "office" in terminal.getvalue()


def test_json_is_one_line_even_with_half_a_character() -> None:
    output, results, _ = printed(as_json=True)
    output.json({"text": "知识\n\ud800"})
    assert results.getvalue().count("\n") == 1
    assert json.loads(results.getvalue()) == {"text": "知识\n\N{REPLACEMENT CHARACTER}"}


def _hit(text: str, *spans: tuple[int, int]) -> dict[str, Any]:
    return {"text": text, "highlights": [{"start": start, "end": end} for start, end in spans]}


def test_matches_are_marked_where_they_stand() -> None:
    excerpt = _excerpt(_hit("知识 hub is here", (3, 6)))
    assert [excerpt.plain[span.start : span.end] for span in excerpt.spans] == ["hub"]


def test_an_excerpt_is_cut_around_its_first_match() -> None:
    excerpt = _excerpt(_hit("x" * 1000 + "NEEDLE" + "y" * 1000, (1000, 1006)))
    assert [excerpt.plain[span.start : span.end] for span in excerpt.spans] == ["NEEDLE"]
    assert excerpt.plain.startswith("   …")
    assert excerpt.plain.endswith("…")
    assert len(excerpt.plain) <= EXCERPT + 5


@given(st.text(min_size=1, max_size=900), st.data())
def test_any_match_in_an_excerpt_is_marked_or_out_of_sight(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    excerpt = _excerpt(_hit(text, (start, end)))
    for span in excerpt.spans:
        assert one_line(text[start:end]).startswith(excerpt.plain[span.start : span.end].rstrip("…"))


def test_places_are_named_by_their_most_telling_part() -> None:
    lines = {"line_start": 3, "line_end": 9, "page": None}
    assert place(lines) == "lines 3-9"
    assert place({**lines, "line_end": 3}) == "lines 3"
    assert place({**lines, "page": 2}) == "page 2"
    assert place({**lines, "slide": 4}) == "slide 4"
    assert place({**lines, "sheet": "Q1", "row_start": 2, "row_end": 5}) == "sheet Q1 rows 2-5"
    assert place({**lines, "sheet": "Q1"}) == "sheet Q1"
    assert place({**lines, "json_path": "a.b[0]"}) == "a.b[0]"
    assert place(None) == ""
