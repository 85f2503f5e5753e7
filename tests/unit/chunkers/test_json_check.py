"""The quick check of JSON text says what reading it says: the same errors, the same oddities."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import Unreadable
from knowhub.model.json_check import is_regular
from knowhub.model.json_compact import compact
from knowhub.model.json_text import MOST_LEVELS, JsonParser, JsonSyntaxError, Oddities

MARKS = ["{", "}", "[", "]", ",", ":", " ", "\n", '"a"', '"b"', '"a":', '"1":', '"\\u0061":', '"\\"', '"\\ud800"',
         "1", "-0", "1.50", "01", "1.", "1e400", "NaN", "-Infinity", "true", "truex", "null", "\ufeff", "\x0b", '"\n"',
         '"é"', '{"a":1}', "[1,2]", "{}", "[]"]  # fmt: skip
texts = st.lists(st.sampled_from(MARKS), max_size=12).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
)


def found(text: str, *, check: bool) -> tuple[str, Oddities]:
    parser = JsonParser(text)
    try:
        parser.check() if check else parser.document()
    except JsonSyntaxError as error:
        return f"{error} at {error.where}", parser.oddities
    except Unreadable as error:
        return str(error), parser.oddities
    return "read", parser.oddities


def regular(text: str, most_values: int = 1_000_000) -> bool:
    return is_regular(text, most_levels=MOST_LEVELS, most_values=most_values)


@given(texts | values.map(json.dumps))
def test_checking_finds_what_reading_finds(text: str) -> None:
    assert found(text, check=True) == found(text, check=False)


@given(values, st.sampled_from([None, 2]))
def test_json_that_the_standard_library_writes_is_regular(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    assert regular(text) == (not {"NaN", "Infinity", "-Infinity"} & set(map(repr_of, leaves(value))))


@given(values.filter(lambda value: value is not None), st.sampled_from([None, 1]), st.booleans())
def test_a_compact_spelling_has_the_size_that_was_told(value: object, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=True)
    read = JsonParser(text).document()
    spelled = compact(text, read)
    assert len(spelled.encode()) == read.size
    assert compact(spelled, JsonParser(spelled).document()) == spelled


@pytest.mark.parametrize("levels", [MOST_LEVELS, MOST_LEVELS + 1, 5000, 100_000])
def test_what_nests_too_deeply_is_not_regular(levels: int) -> None:
    assert regular("[" * levels + "]" * levels) == (levels <= MOST_LEVELS)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', "[NaN]", "[1,]", "[1] 2", "", "\ufeff1"])
def test_what_is_odd_is_not_regular(text: str) -> None:
    assert not regular(text)


def test_brackets_in_strings_do_not_nest() -> None:
    assert regular(json.dumps(["[" * 1000, '"[' * 1000, "\\"]))


def test_too_many_values_are_not_regular() -> None:
    assert regular(f"[{'1,' * 900}1]", most_values=1000)
    assert not regular(f"[{'1,' * 1000}1]", most_values=1000)


def leaves(value: object) -> list[object]:
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def repr_of(value: object) -> str:
    return json.dumps(value) if isinstance(value, float) else ""
