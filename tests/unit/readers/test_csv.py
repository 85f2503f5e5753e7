"""The readers of comma- and tab-separated values."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import registry
from knowhub.readers.csv_records import delimiter, records


def read(text: str, name: str = "a.csv") -> ReadDocument:
    return registry.read(text.encode(), name=name)


def test_one_record_is_one_line_under_a_header() -> None:
    document = read("id,name\r\n1,walrus\r\n2,海象\r\n")
    assert document.text == "id | name\n1 | walrus\n2 | 海象\n"
    assert (document.chunker_name, document.preserve_lines, document.header_lines) == ("fixed", True, 1)
    assert [(place.start, place.end, place.row) for place in document.places] == [(0, len(document.text), 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a,b\n"x, y","say ""hi"""\n', 'a | b\nx, y | say "hi"\n'),
        ('a,b\n"two\nlines",2\n', "a | b\ntwo lines | 2\n"),
        ('a,b\n"one\r\n\r\n  two",2\n', "a | b\none two | 2\n"),
        ("a,b,c\n1\n1,2,3,4\n", "a | b | c\n1\n1 | 2 | 3 | 4\n"),
        ('a,b\n1, "x, y"\n', "a | b\n1 | x, y\n"),
        ('a,b\n"x" y,2\n', "a | b\nx y | 2\n"),
        ("a,b\n\n\n1,2", "a | b\n1 | 2\n"),
        ('a,b\n"",x\n', "a | b\n | x\n"),
        ("a,b\n1,\n", "a | b\n1 |\n"),
    ],
)
def test_fields_are_read_as_written(text: str, expected: str) -> None:
    assert read(text).text == expected


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1, 2\t3\n", "\t"),
        ("a|b|c\n1|2,5|3\n", "|"),
        ('a;b\n"x,y,z";2\n', ";"),
        ("no delimiter\nat all\n", ","),
    ],
)
def test_the_delimiter_is_told_by_the_first_records(text: str, mark: str) -> None:
    assert delimiter(text) == mark


def test_a_tab_separated_file_is_split_at_tabs() -> None:
    assert read("a,b\tc\n1,2\t3\n", "a.tsv").text == "a,b | c\n1,2 | 3\n"


def test_a_first_record_of_numbers_is_no_header() -> None:
    assert read("1,2\n3,4\n").header_lines == 0
    assert read("name,2020,2021\nx,1,2\n").header_lines == 1
    assert read("only,one\n").header_lines == 0


def test_a_quote_that_nothing_closes_is_a_character_and_told() -> None:
    document = read('a,b\n1,"open\n2,x\n3,y\n')
    assert document.text == 'a | b\n1 | "open\n2 | x\n3 | y\n'
    assert [(loss.code, loss.where) for loss in document.losses] == [("CSV_UNBALANCED_QUOTE", "line 2")]


def test_a_quote_closed_by_a_later_records_quote_is_a_character() -> None:
    document = read('a,b\n1,"open\n2,"x y"\n3,z\n')
    assert document.text == 'a | b\n1 | "open\n2 | x y\n3 | z\n'


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    assert registry.read(b"\xef\xbb\xbfid,b\n1,2\n", name="a.csv").text.startswith("id | b\n")


@pytest.mark.parametrize(
    "text", ["," * 1_000_000, 'x,"' * 300_000, '"x\n' * 300_000, '""' * 500_000, "x" * 1_000_000, '"a""\n' * 200_000]
)
def test_hostile_tables_are_read_in_one_pass(text: str) -> None:
    assert read("a,b\n" + text).text.startswith("a | b\n")


@given(st.lists(st.lists(st.text("ab ,;|\"'字\n", max_size=6), min_size=2, max_size=4), min_size=1, max_size=8))
def test_records_come_back_as_they_were_written(rows: list[list[str]]) -> None:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert [record.fields for record in records(buffer.getvalue(), ",")] == rows


@given(st.text('a,"\n ;', max_size=80))
def test_every_character_but_quotes_and_delimiters_is_kept(text: str) -> None:
    found = "".join(field for record in records(text, ",") for field in record.fields)
    assert found.count("a") == text.count("a")


@pytest.mark.parametrize("first", ["sep=;", "SEP=;", '"sep=;"'])
def test_excels_line_for_the_delimiter_is_no_record(first: str) -> None:
    document = read(f'{first}\r\na;b\r\n1,5,5;"open\r\n')
    assert document.text == 'a | b\n1,5,5 | "open\n'
    assert (document.header_lines, document.losses[0].where) == (1, "line 3")


def test_excels_line_comes_before_the_name_and_the_first_records() -> None:
    assert read("sep=|\na,b|c\td\n", "a.tsv").text == "a,b | c\td\n"
    assert read("sep=x\n1,2\n").text == "sep=x\n1 | 2\n"


@pytest.mark.parametrize("text", [",,", ",,\n,,\n", "sep=;\n", "sep=;\n;;\n", '"",""\n', "; ;\t\n"])
def test_a_table_of_separators_alone_has_no_text(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(text)
    assert refused.value.detail["reason"] == "NO_TEXT"


def test_a_null_character_is_replaced_and_told() -> None:
    document = registry.read(b"a,b\n1,\x002\n", name="a.csv")
    assert document.text == "a | b\n1 | \ufffd2\n"
    assert [(loss.code, loss.where) for loss in document.losses] == [("UNDECODABLE_BYTES", "line 2")]


def test_a_quote_left_open_to_the_end_names_its_line_and_loses_nothing() -> None:
    document = read("a,b\n1,2\n" + '3,"open\n' + "4,5\n" * 1_000)
    assert document.text.count("\n") == 1_003
    assert [(loss.code, loss.where) for loss in document.losses] == [("CSV_UNBALANCED_QUOTE", "line 3")]
