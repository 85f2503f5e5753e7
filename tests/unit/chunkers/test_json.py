"""The JSON chunker: valid objects under their paths, which give the document back when they are merged."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.chunkers import json_values
from knowhub.chunkers.json_values import ValueTooLarge
from knowhub.chunkers.options import ChunkOptions
from knowhub.errors import Unreadable
from knowhub.model.chunk import Piece


class Spelled(str):
    """A number as it is written."""

    __slots__ = ()


def load(text: str) -> Any:
    return json.loads(text, parse_int=Spelled, parse_float=Spelled)


def chunk(text: str, size: int = 2000, **more: Any) -> list[Piece]:
    return json_values.chunk(text, ChunkOptions(size=size, **more))


def texts(text: str, size: int = 2000) -> list[str]:
    return [piece.text for piece in chunk(text, size)]


def merged(left: Any, right: Any) -> Any:
    """Join objects member by member, and strings that meet."""
    if isinstance(left, dict) and isinstance(right, dict):
        return {**left, **{key: merged(left[key], value) if key in left else value for key, value in right.items()}}
    assert type(left) is str
    assert type(right) is str
    return left + right


def like(value: Any, source: Any) -> Any:
    """Turn objects with indexes as keys back into arrays where the source has arrays."""
    if isinstance(source, list):
        items = value if isinstance(value, list) else [value[str(at)] for at in range(len(value))]
        return [like(item, other) for item, other in zip(items, source, strict=True)]
    if isinstance(source, dict):
        assert value.keys() == source.keys()
        return {key: like(value[key], other) for key, other in source.items()}
    return value


def put_together(pieces: list[Piece], source: Any) -> Any:
    whole: Any = {}
    for piece in pieces:
        whole = merged(whole, load(piece.text))
    return like(whole, source if isinstance(source, dict) else {"content": source})


def test_a_document_that_fits_is_one_object_in_the_fixed_order() -> None:
    assert texts('{ "b": 1, "10": 2, "9": 3, "a": [1, {"z": 1, "y": 2}] }') == [
        '{"9":3,"10":2,"a":[1,{"y":2,"z":1}],"b":1}'
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("[1, 2]", '{"content":[1,2]}'), ('"text"', '{"content":"text"}'), ("1.50", '{"content":1.50}'), ("{}", "{}")],
)
def test_a_root_that_is_no_object_is_wrapped(text: str, expected: str) -> None:
    assert texts(text) == [expected]


@pytest.mark.parametrize("number", ["12345678901234567890123", "1.50", "1e400", "-0", "-0.0", "1E+2", "0.1e-7"])
def test_numbers_stay_as_they_are_written(number: str) -> None:
    assert texts(f'{{"n": {number}}}') == [f'{{"n":{number}}}']


def test_values_keep_their_path_in_every_chunk() -> None:
    document = '{"a": {"b": {"one": "first value", "two": "second value"}}, "c": 1}'
    assert texts(document, 40) == ['{"a":{"b":{"one":"first value"}}}', '{"a":{"b":{"two":"second value"}},"c":1}']


def test_an_array_that_fits_stays_one_and_another_becomes_an_object_by_index() -> None:
    assert texts('{"a": [1, 2], "b": ["aaaaaaaa", "bbbbbbbb", "cccccccc"]}', 32) == [
        '{"a":[1,2],"b":{"0":"aaaaaaaa"}}',
        '{"b":{"1":"bbbbbbbb"}}',
        '{"b":{"2":"cccccccc"}}',
    ]


def test_long_strings_are_cut_under_the_same_path() -> None:
    pieces = texts('{"a": {"text": "One sentence here. Another one there. 第三句在这里。最后一句。"}}', 50)
    assert all(len(piece.encode()) <= 50 for piece in pieces)
    assert "".join(load(piece)["a"]["text"] for piece in pieces) == (
        "One sentence here. Another one there. 第三句在这里。最后一句。"
    )


def test_sizes_are_bytes_of_utf8() -> None:
    assert texts('{"k": "汉字"}', 14) == ['{"k":"汉字"}']
    assert texts('{"k": "汉字"}', 13) == ['{"k":"汉"}', '{"k":"字"}']


@pytest.mark.parametrize(
    ("document", "size", "message"),
    [
        ('{"a": {"b": 123456}}', 15, 'json value at "a.b" requires 18 bytes, exceeds chunk size 15'),
        ('{"a": ["x", 1234567890]}', 20, 'json value at "a.1" requires 22 bytes, exceeds chunk size 20'),
        ('{"key": "汉"}', 11, 'json value at "key" requires 13 bytes, exceeds chunk size 11'),
        ('{"key": {}}', 9, 'json value at "key" requires 10 bytes, exceeds chunk size 9'),
    ],
)
def test_a_value_that_cannot_fit_is_named_with_what_it_needs(document: str, size: int, message: str) -> None:
    with pytest.raises(ValueTooLarge, match=f"^{re.escape(message)}$"):
        chunk(document, size)


def test_chunks_say_where_their_values_stand() -> None:
    document = '{\n"b": [1, 2],\n"a": {"x": "first value",\n"y": "second value"}\n}'
    first, second = chunk(document, 40)
    assert (first.text, first.locator.json_path) == ('{"a":{"x":"first value"}}', "a.x")
    assert document[first.locator.char_start : first.locator.char_end] == '"x": "first value"'
    assert (first.locator.line_start, first.locator.line_end) == (3, 3)
    assert (second.text, second.locator.json_path) == ('{"a":{"y":"second value"},"b":[1,2]}', "$")
    assert [document[span.start : span.end] for span in second.own_spans] == ['"b": [1, 2]', '"y": "second value"']
    assert (second.locator.line_start, second.locator.line_end) == (2, 4)


def test_parts_of_a_string_say_which_part_they_are() -> None:
    document = '["aaaa bbbb cccc"]'
    pieces = chunk(document, 28)
    assert [piece.locator.json_path for piece in pieces] == ["0"] * len(pieces)
    assert "".join(document[span.start : span.end] for piece in pieces for span in piece.own_spans) == document[1:-1]


def test_half_a_surrogate_pair_stays_an_escape() -> None:
    assert texts('{"a": "x\\ud800y"}') == ['{"a":"x\\ud800y"}']


def test_equal_keys_give_the_last_value() -> None:
    assert texts('{"a": 1, "b": 2, "a": {"c": 3}}') == ['{"a":{"c":3},"b":2}']


def test_values_that_json_has_not_are_strings() -> None:
    assert texts('{"a": [NaN, -Infinity, Infinity]}') == ['{"a":["NaN","-Infinity","Infinity"]}']


@pytest.mark.parametrize("text", ["{", "[1,]", '{"a" 1}', "{a: 1}", "[1] x", "01", "+1", "tru", '"\\x"', "nulll"])
def test_text_that_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match=r"no JSON: .* line 1, column"):
        chunk(text)


def test_records_are_packed_under_their_numbers() -> None:
    text = '{"id": 1, "t": "aaaaaaaaaa"}\n\n{"id": 2, "t": "b"}\n{"id": 3, "t": "c"}\n'
    pieces = chunk(text, 60, preserve_lines=True)
    assert [piece.text for piece in pieces] == [
        '{"content":{"0":{"id":1,"t":"aaaaaaaaaa"}}}',
        '{"content":{"1":{"id":2,"t":"b"},"2":{"id":3,"t":"c"}}}',
    ]
    assert [(piece.locator.line_start, piece.locator.line_end) for piece in pieces] == [(1, 1), (3, 4)]


def test_depth_has_a_limit_that_is_told_before_the_stack_ends() -> None:
    assert len(texts("[" * 200 + "]" * 200)) == 1
    with pytest.raises(Unreadable, match="deeper than 200 levels at line 1"):
        chunk("[" * 100_000)
    with pytest.raises(Unreadable, match="deeper than 200 levels"):
        chunk('{"a":' * 10_000 + "1" + "}" * 10_000)


def test_paths_that_would_fill_the_chunks_are_refused() -> None:
    path = "k" * 1900
    items = ",".join(f'"{number:x<60}"' for number in range(20_000))
    with pytest.raises(Unreadable, match=r"paths .* too long"):
        chunk(f'{{"{path}": [{items}]}}')


def test_a_string_of_a_million_characters_is_cut() -> None:
    pieces = chunk(json.dumps({"a": "字" * 300_000 + "x" * 700_000}, ensure_ascii=False))
    assert max(len(piece.text.encode()) for piece in pieces) <= 2000
    assert sum(len(load(piece.text)["a"]) for piece in pieces) == 1_000_000


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=60),
    st.sampled_from(["long words, again. " * 6, "汉字，句子。" * 8, '"\\\n\t' * 9, "\u2028\u0000\U0001f600"]),
)
KEYS = st.one_of(st.sampled_from(["a", "b", "0", "1", "2", "10", "01", "-1", "content", "键"]), st.text(max_size=4))
DOCUMENTS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=20,
)


@given(DOCUMENTS, st.sampled_from([90, 130, 250, 2000]), st.booleans(), st.sampled_from([None, 1]))
def test_merging_all_chunks_gives_the_document_back(
    document: Any, size: int, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only, indent=indent)
    try:
        pieces = chunk(text, size)
    except ValueTooLarge:
        return
    for piece in pieces:
        assert len(piece.text.encode()) <= size
        assert isinstance(load(piece.text), dict)
        where = piece.locator
        assert where.char_start == piece.own_spans[0].start
        assert where.char_end == piece.own_spans[-1].end
        assert where.line_start == text.count("\n", 0, where.char_start) + 1
        assert where.line_end == text.count("\n", 0, where.char_end - 1) + 1
    source = load(text)
    assert put_together(pieces, source) == (source if isinstance(source, dict) else {"content": source})


@given(st.permutations(["b", "a", "10", "9", "x y", "é", "汉", "01"]))
def test_the_order_of_keys_in_the_source_changes_nothing(keys: list[str]) -> None:
    document = "{" + ",".join(f'"{key}": "{key}"' for key in keys) + "}"
    assert list(load(texts(document)[0])) == ["9", "10", "01", "a", "b", "x y", "é", "汉"]


@given(st.text(max_size=80))
def test_any_text_is_cut_or_refused(text: str) -> None:
    try:
        pieces = chunk(text, 500)
    except Unreadable:
        return
    assert all(isinstance(load(piece.text), dict) for piece in pieces)
