"""A caller's filter: what is read, what is refused and where, and that nothing else ever comes out."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest
from knowhub.model.filter import AllOf, AnyOf, Comparison, Filter, Negation, Operator
from knowhub.retrieval.filters import (
    FIELDS,
    MAX_CONDITIONS,
    MAX_DEPTH,
    MAX_VALUES,
    OPERATORS,
    SCHEMA,
    combined,
    parse_filter,
)
from tests.filter_strategies import FILTERS

Json = dict[str, Any]


def one(operator: str, value: Any = None, field: str = "title") -> Json:
    return {"field": field, "operator": operator, "value": value}


def written(asked: Filter) -> Json:
    """Write a filter as a caller does."""
    if isinstance(asked, AllOf):
        return {"operator": "and", "value": [written(part) for part in asked.parts]}
    if isinstance(asked, AnyOf):
        return {"operator": "or", "value": [written(part) for part in asked.parts]}
    if isinstance(asked, Negation):
        return {"operator": "not", "value": written(asked.part)}
    if asked.operator == "exists":
        return {"field": asked.field, "operator": "exists"}
    many = asked.operator in {"in", "not in", "between"}
    return one(asked.operator, list(asked.values) if many else asked.values[0], asked.field)


def refused(value: Any) -> tuple[str, str]:
    """Give the place and the words of a refusal."""
    with pytest.raises(InvalidRequest) as error:
        parse_filter(value)
    errors = error.value.detail["errors"]
    assert isinstance(errors, list)
    (told,) = errors
    assert error.value.message == f"{told['loc']} {told['message']}"
    return told["loc"], told["message"]


@pytest.mark.parametrize(
    ("operator", "value", "values"),
    [
        ("eq", "a", ("a",)),
        ("ne", True, (True,)),
        ("gt", 1, (1,)),
        ("gte", 1.5, (1.5,)),
        ("lt", "2024-01-01", ("2024-01-01",)),
        ("lte", -3, (-3,)),
        ("in", ["a", 1, False], ("a", 1, False)),
        ("not in", ["a"], ("a",)),
        ("like", "a%_", ("a%_",)),
        ("not like", "%", ("%",)),
        ("between", [1, 2.5], (1, 2.5)),
    ],
)
def test_each_comparison_is_read(operator: Operator, value: Any, values: tuple[Any, ...]) -> None:
    assert parse_filter(one(operator, value)) == Comparison("title", operator, values)


@pytest.mark.parametrize("operator", ["NOT IN", "Not  In", " not in ", "not\tin"])
def test_operators_may_be_in_any_case(operator: str) -> None:
    assert parse_filter(one(operator, ["a"])) == Comparison("title", "not in", ("a",))


def test_exists_may_be_asked_for_and_against() -> None:
    there = Comparison("title", "exists")
    assert parse_filter({"field": "title", "operator": "exists"}) == there
    assert parse_filter(one("exists", value=True)) == there
    assert parse_filter(one("exists", value=False)) == Negation(there)


@pytest.mark.parametrize("value", [0, 1, 0.0, "", "true", [], {}])
def test_exists_takes_no_other_value(value: Any) -> None:
    assert refused(one("exists", value))[0] == "filter.value"


def test_combinations_nest() -> None:
    asked = {
        "operator": "AND",
        "value": [one("eq", 1), {"operator": "or", "value": [{"operator": "Not", "value": one("eq", 2)}]}],
    }
    assert parse_filter(asked) == AllOf(
        (Comparison("title", "eq", (1,)), AnyOf((Negation(Comparison("title", "eq", (2,))),)))
    )


@pytest.mark.parametrize(
    "field", [*sorted(FIELDS - {"content"}), "metadata.a", "metadata.a.b", "metadata. ", "metadata.海"]
)
def test_each_field_is_known(field: str) -> None:
    assert parse_filter(one("eq", "a", field)) == Comparison(field, "eq", ("a",))


@pytest.mark.parametrize(
    "field", ["", "Title", "kb_id", "metadata", "metadata.", "meta.a", 1, None, ["title"], "metadata." + "x" * 200]
)
def test_other_fields_are_refused(field: Any) -> None:
    place, words = refused({"field": field, "operator": "eq", "value": 1})
    assert place == "filter.field"
    assert "metadata." in words


@pytest.mark.parametrize("operator", ["like", "eq", "exists"])
def test_content_is_refused_in_words(operator: str) -> None:
    place, words = refused(one(operator, "a%", "content"))
    assert place == "filter.field"
    assert "knowledge bases with code" in words


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], "filter"),
        ("title eq 1", "filter"),
        (None, "filter"),
        ({}, "filter.operator"),
        (one("equals", 1), "filter.operator"),
        ({"field": "title", "operator": ["eq"], "value": 1}, "filter.operator"),
        (one("eq", None), "filter.value"),
        (one("eq", [1]), "filter.value"),
        (one("eq", {"a": 1}), "filter.value"),
        (one("eq", float("nan")), "filter.value"),
        (one("eq", float("inf")), "filter.value"),
        (one("eq", 10**400), "filter.value"),
        (one("eq", "x" * 257), "filter.value"),
        (one("gt", value=True), "filter.value"),
        (one("like", 5), "filter.value"),
        (one("like", "%a" + "_" * 12 + "b"), "filter.value"),
        (one("not like", "%a" + "_" * 12 + "b"), "filter.value"),
        (one("in", []), "filter.value"),
        (one("in", "abc"), "filter.value"),
        (one("in", list(range(MAX_VALUES + 1))), "filter.value"),
        (one("in", [1, None]), "filter.value[1]"),
        (one("between", [1]), "filter.value"),
        (one("between", [1, 2, 3]), "filter.value"),
        (one("between", [1, "a"]), "filter.value"),
        (one("between", ["2024-01-01", "soon"]), "filter.value"),
        ({**one("eq", 1), "boost": 2}, "filter"),
        ({"field": "title", "operator": "and", "value": [one("eq", 1)]}, "filter"),
        ({"operator": "and", "value": []}, "filter.value"),
        ({"operator": "or", "value": one("eq", 1)}, "filter.value"),
        ({"operator": "not", "value": [one("eq", 1)]}, "filter.value"),
        ({"operator": "and", "value": [one("eq", 1), one("eq", 1), one("is", 1)]}, "filter.value[2].operator"),
        ({"operator": "not", "value": {"operator": "or", "value": [one("eq", 1, "x")]}}, "filter.value.value[0].field"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_place(value: Any, place: str) -> None:
    assert refused(value)[0] == place


def test_depth_is_bounded() -> None:
    asked = one("eq", 1)
    for _ in range(MAX_DEPTH - 1):
        asked = {"operator": "not", "value": asked}
    parse_filter(asked)
    place, words = refused({"operator": "not", "value": asked})
    assert place == "filter" + ".value" * MAX_DEPTH
    assert "deep" in words


def test_conditions_are_counted_over_the_whole_filter() -> None:
    half = {"operator": "or", "value": [one("eq", 1)] * (MAX_CONDITIONS // 2)}
    parse_filter({"operator": "and", "value": [half, half]})
    assert refused({"operator": "and", "value": [half, half, one("eq", 1)]})[0] == "filter"


def test_what_is_too_much_together_is_refused_before_a_search() -> None:
    long = [one("gt", f"{number:02}" * 120) for number in range(64)]
    place, words = refused({"operator": "and", "value": long})
    assert place == "filter"
    assert "fewer patterns or ranges" in words


@given(FILTERS)
@settings(deadline=None)
def test_what_is_written_is_what_is_read(asked: Filter) -> None:
    try:
        assert parse_filter(json.loads(json.dumps(written(asked)))) == asked
    except InvalidRequest as error:
        # Random comparisons hold what the parser refuses: an order of truth values, a costly pattern.
        assert "value" in error.message or "asks too much" in error.message  # noqa: PT017 - not every example raises


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
NAMES = st.sampled_from(["field", "operator", "value"]) | st.text(max_size=5)
KNOWN = st.sampled_from([*OPERATORS, *FIELDS, "metadata.a", "AND"])
ANYTHING = st.recursive(
    LEAVES | KNOWN,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(NAMES, inner, max_size=4),
        st.fixed_dictionaries({"operator": KNOWN, "value": inner}, optional={"field": KNOWN}),
    ),
    max_leaves=20,
)


@given(ANYTHING)
@settings(deadline=None, max_examples=400)
def test_nothing_crashes_it(value: Any) -> None:
    try:
        parse_filter(value)
    except InvalidRequest as error:
        json.dumps(error.detail)


def test_filters_are_asked_for_together() -> None:
    a, b = Comparison("title", "eq", (1,)), Comparison("title", "eq", (2,))
    assert combined() is None
    assert combined(None, None) is None
    assert combined(None, a) == a
    assert combined(a, None, b) == AllOf((a, b))


def test_the_schema_names_every_operator_and_refers_to_nothing() -> None:
    text = json.dumps(dict(SCHEMA))
    assert "$ref" not in text
    assert SCHEMA["properties"]["operator"]["enum"] == list(OPERATORS)
    assert all(field in text for field in FIELDS - {"content"})
