"""The JSON readers: what is kept, what is a loss, what is refused."""

import pytest

from knowhub.errors import Unreadable
from knowhub.model.extraction import ReadDocument
from knowhub.readers import registry


def read(text: str | bytes, name: str = "a.json") -> ReadDocument:
    return registry.read(text if isinstance(text, bytes) else text.encode(), name=name)


def losses(document: ReadDocument) -> list[tuple[str, str]]:
    return [(loss.code, loss.where) for loss in document.losses]


def test_the_text_of_a_document_stays_as_it_is() -> None:
    text = '{\n  "n": 12345678901234567890123, "x": 1.50\n}\n'
    document = read(text)
    assert (document.text, document.chunker_name, document.preserve_lines) == (text, "json", False)
    assert document.losses == ()


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_byte_order_mark_is_dropped(mark: bytes) -> None:
    encoding = "utf-8" if mark[0] == 0xEF else "utf-16-le"
    assert read(mark + '{"a": "字"}'.encode(encoding)).text == '{"a": "字"}'


def test_equal_keys_and_what_json_has_not_are_losses_with_their_line() -> None:
    document = read('{"a": 1,\n"b": NaN,\n"a": Infinity}')
    assert losses(document) == [("JSON_DUPLICATE_KEY", "line 3"), ("JSON_NOT_FINITE", "line 2")]
    assert "2 numbers" in document.losses[1].detail


def test_a_number_beyond_machine_numbers_is_no_loss() -> None:
    assert read('{"a": 1e400, "b": -1e-400}').losses == ()


def test_text_that_is_no_json_is_read_as_text_with_the_place_of_the_fault() -> None:
    document = read('{"a": 1,\n// a comment\n"b": 2}')
    assert (document.chunker_name, losses(document)) == ("fixed", [("JSON_INVALID", "line 2, column 1")])
    assert "a key in double quotes expected" in document.losses[0].detail


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json"])
def test_one_value_a_line_is_read_as_records(name: str) -> None:
    document = read('{"a": 1}\n\n{"a": 2}\n', name)
    assert (document.text, document.chunker_name, document.preserve_lines) == ('{"a": 1}\n\n{"a": 2}\n', "json", True)
    assert document.places[0].row == 1


def test_a_broken_line_is_kept_as_a_string_and_told() -> None:
    document = read('{"a": 1}\n{"a": 2\n{"a": 3}\n', "a.jsonl")
    assert document.text == '{"a": 1}\n"{\\"a\\": 2"\n{"a": 3}\n'
    assert losses(document) == [("JSON_LINE_INVALID", "line 2")]


def test_one_document_over_several_lines_is_no_list_of_records() -> None:
    document = read('{\n"a": 1\n}\n', "a.jsonl")
    assert (document.chunker_name, document.preserve_lines, document.losses) == ("json", False, ())


def test_text_that_is_neither_is_text() -> None:
    document = read("just words\nand more\n", "a.jsonl")
    assert (document.chunker_name, losses(document)) == ("fixed", [("JSON_INVALID", "line 1, column 1")])


@pytest.mark.parametrize("bomb", ["[" * 100_000, '{"a":' * 5_000, "[" * 201 + "]" * 201])
def test_deep_json_is_refused_with_the_reason(bomb: str) -> None:
    with pytest.raises(Unreadable, match="nests deeper than 200 levels") as refused:
        read(bomb)
    assert refused.value.detail["reason"] == "TOO_DEEP"


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowhub.model.json_text.MOST_VALUES", 1_000)
    with pytest.raises(Unreadable, match="more than 1000 values"):
        read("[" + "0," * 1_000 + "0]")


def test_a_line_of_a_megabyte_is_read() -> None:
    assert len(read('{"a": "' + "x" * 1_000_000 + '"}').text) == 1_000_009


def test_records_deeper_than_the_limit_are_refused() -> None:
    with pytest.raises(Unreadable, match="200 levels"):
        read("{}\n" + "[" * 300 + "]" * 300 + "\n", "a.jsonl")
