"""What every home of the table port keeps."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from knowhub.errors import ConditionFailed, InvalidRequest, PayloadTooLarge
from knowhub.ports.table import (
    MAX_CHANGES,
    MAX_CONDITION_DEPTH,
    MAX_CONDITIONS,
    MAX_DEPTH,
    MAX_TRANSACTION,
    AllOf,
    AnyOf,
    AtLeast,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    LessThan,
    Missing,
    NotEquals,
    Put,
    Query,
    Table,
    Update,
    Value,
    Write,
)
from tests.contract.table_homes import home, imitation

KEY = Key("DOC#1", "HEAD")


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[Any]:
    with imitation() as client:
        yield client


@pytest.fixture(params=["sqlite", "dynamodb"])
def table(request: pytest.FixtureRequest, tmp_path: Path, dynamodb: Any) -> Iterator[Table]:
    with home(request.param, tmp_path, dynamodb) as table:
        yield table


def row(key: Key = KEY, /, **members: Any) -> Item:
    return {"pk": key.pk, "sk": key.sk, **members}


def nested(levels: int) -> Value:
    value: Value = "core"
    for _ in range(levels):
        value = [value]
    return value


def pages(table: Table, query: Query) -> Iterator[tuple[Item, ...]]:
    while True:
        page = table.query(query)
        yield page.items
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)


def rows(table: Table, query: Query) -> list[Item]:
    return [item for page in pages(table, query) for item in page]


def sort_keys(table: Table, query: Query) -> list[Value]:
    return [item["sk"] for item in rows(table, query)]


# Single rows


def test_an_absent_row_reads_as_none(table: Table) -> None:
    assert table.get(KEY) is None


def test_a_put_returns_the_row_and_a_read_gives_the_same(table: Table) -> None:
    assert table.write(Put(row(title="One"))) == row(title="One")
    assert table.get(KEY) == row(title="One")


def test_a_put_replaces_the_whole_row(table: Table) -> None:
    table.write(Put(row(title="One", list_pk="L", list_sk="1")))
    table.write(Put(row(size=2)))
    assert table.get(KEY) == row(size=2)
    assert table.query(Query("L", index="list")).items == ()


def test_a_row_given_is_not_shared_with_the_store(table: Table) -> None:
    tags = ["a"]
    written = table.write(Put(row(tags=tags)))
    tags.append("b")
    assert written == table.get(KEY) == row(tags=["a"])


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -1,
        10**38 - 1,
        1 - 10**38,
        0.1,
        -2.5e-120,
        1.7976931348623157e125,
        123456789.123456,
        "",
        "é – 知识 😀 \x00 \u2028",
        [],
        {},
        [None, True, 1, 1.5, "", [], {}],
        {"a.b": {"#n0": [{":v0": 1}]}, " ": "x", "S": {"S": "y"}},
    ],
)
def test_a_value_comes_back_as_it_was_with_its_type(table: Table, value: Value) -> None:
    table.write(Put(row(value=value)))
    found = (table.get(KEY) or {})["value"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("given", "kept"), [(1.0, 1), (-0.0, 0), (1e23, 10**23), (1e37, 10**37), (1e40, 1e40)])
def test_a_whole_float_below_38_digits_comes_back_as_an_int(table: Table, given: float, kept: float) -> None:
    written = table.write(Put(row(value=given)))
    for found in (written, table.get(KEY)):
        assert found == row(value=kept)
        assert type((found or {})["value"]) is type(kept)


def test_a_tuple_comes_back_as_a_list(table: Table) -> None:
    assert table.write(Put(row(value=(1, (2,))))) == table.get(KEY) == row(value=[1, [2]])


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        10**38,
        -(10**38),
        1e126,
        1e-131,
        "\ud800",
        {"\udfff": 1},
        {"": 1},
        {"n" * 256: 1},
        {1: 1},
        b"bytes",
        {1, 2},
        object(),
        nested(MAX_DEPTH + 1),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_can_not_be_kept_is_refused_with_its_place(table: Table, value: Any) -> None:
    with pytest.raises(InvalidRequest) as refused:
        table.write(Put(row(value=value)))
    assert refused.value.detail["errors"]
    with pytest.raises(InvalidRequest):
        table.write(Update(KEY, {"value": value}))
    assert table.get(KEY) is None


def test_values_may_be_nested_to_the_limit(table: Table) -> None:
    table.write(Put(row(value=nested(MAX_DEPTH))))
    assert table.get(KEY) == row(value=nested(MAX_DEPTH))


@pytest.mark.parametrize("name", ["size", "name", "status", "order by", "a.b[0]", "#n0", ":v0", "ключ", "'\"\\"])
def test_any_name_may_name_a_member(table: Table, name: str) -> None:
    table.write(Update(KEY, {name: 1}, condition=Missing(name)))
    assert table.write(Update(KEY, increments={name: 1}, condition=Equals(name, 1))) == {**row(), name: 2}
    assert table.write(Update(KEY, removals=(name,), condition=AtLeast(name, 2))) == row()


@pytest.mark.parametrize(
    "key",
    [Key("", "a"), Key("a", ""), Key("p" * 2049, "a"), Key("a", "s" * 1025), Key("\ud800", "a"), Key("a", 1)],  # type: ignore[arg-type]  # refused at run time
)
def test_a_bad_key_is_refused_wherever_it_stands(table: Table, key: Key) -> None:
    operations: list[Write] = [Update(key, {"a": 1}), Delete(key), Put({"pk": key.pk, "sk": key.sk})]
    for operation in operations:
        with pytest.raises(InvalidRequest):
            table.write(operation)
        with pytest.raises(InvalidRequest):
            table.transact([operation])
    with pytest.raises(InvalidRequest):
        table.get(key)
    with pytest.raises(InvalidRequest):
        table.get_many([KEY, key])


def test_keys_may_be_as_long_as_the_limits_and_hold_any_character(table: Table) -> None:
    key = Key("é" * 1024, "\x00" * 1024)
    table.write(Put(row(key)))
    assert table.get(key) == row(key)
    assert table.query(Query(key.pk, prefix="\x00")).items == (row(key),)


def test_a_put_needs_its_key(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        table.write(Put({"pk": "a", "title": "no place"}))


@pytest.mark.parametrize("value", ["", 1, None, ["x"], "x" * 2049])
def test_a_member_of_an_index_is_a_text_that_can_be_a_key(table: Table, value: Value) -> None:
    with pytest.raises(InvalidRequest):
        table.write(Put(row(list_pk=value)))
    with pytest.raises(InvalidRequest):
        table.write(Update(KEY, {"state_sk": value}))
    assert table.get(KEY) is None


def test_a_row_over_400_kb_is_refused_and_one_just_below_is_kept(table: Table) -> None:
    with pytest.raises(PayloadTooLarge) as refused:
        table.write(Put(row(body="x" * 400_000)))
    assert refused.value.detail["limit"] == 400_000
    table.write(Put(row(body="x" * 399_900)))
    with pytest.raises(PayloadTooLarge):
        table.write(Update(KEY, {"more": "x" * 20_000}))
    assert table.get(KEY) == row(body="x" * 399_900)


def test_small_values_count_with_their_weight_in_the_store(table: Table) -> None:
    with pytest.raises(PayloadTooLarge):
        table.write(Put(row(body=[1] * 140_000)))


# Updates


def test_an_update_creates_an_absent_row(table: Table) -> None:
    written = table.write(Update(KEY, {"title": "One"}, {"count": 3}, ("gone",)))
    assert written == table.get(KEY) == row(title="One", count=3)


def test_an_update_changes_what_it_names_and_nothing_else(table: Table) -> None:
    table.write(Put(row(title="One", count=1, old=[1], kept={"a": 1})))
    written = table.write(Update(KEY, {"title": None}, {"count": -3}, ("old", "never there")))
    assert written == table.get(KEY) == row(title=None, count=-2, kept={"a": 1})


def test_an_increment_may_add_to_a_fraction(table: Table) -> None:
    table.write(Put(row(count=0.5)))
    assert table.write(Update(KEY, increments={"count": 2})) == row(count=2.5)


@pytest.mark.parametrize("value", ["1", None, True, [1], {}])
def test_an_increment_of_what_is_no_number_is_refused(table: Table, value: Value) -> None:
    table.write(Put(row(count=value)))
    with pytest.raises(InvalidRequest):
        table.write(Update(KEY, increments={"count": 1}))
    with pytest.raises(InvalidRequest):
        table.transact([Update(KEY, increments={"count": 1}), Put(row(Key("other", "row")))])
    assert table.get(KEY) == row(count=value)
    assert table.get(Key("other", "row")) is None


def test_a_condition_is_decided_before_an_increment(table: Table) -> None:
    table.write(Put(row(count="none")))
    with pytest.raises(ConditionFailed):
        table.write(Update(KEY, increments={"count": 1}, condition=Missing()))


@pytest.mark.parametrize("increment", [1.5, True, "1", 10**38])
def test_an_increment_is_an_int(table: Table, increment: Any) -> None:
    with pytest.raises(InvalidRequest):
        table.write(Update(KEY, increments={"count": increment}))


def test_removals_alone_create_no_row(table: Table) -> None:
    with pytest.raises(ConditionFailed):
        table.write(Update(KEY, removals=("title",)))
    with pytest.raises(ConditionFailed):
        table.write(Update(KEY, removals=("title",), condition=Missing("title")))
    with pytest.raises(ConditionFailed):
        table.transact([Update(KEY, removals=("title",))])
    assert table.get(KEY) is None


@pytest.mark.parametrize(
    "update",
    [
        Update(KEY),
        Update(KEY, {"a": 1}, {"a": 1}),
        Update(KEY, {"a": 1}, removals=("a",)),
        Update(KEY, increments={"a": 1}, removals=("a",)),
        Update(KEY, removals=("a", "a")),
        Update(KEY, {"pk": "x"}),
        Update(KEY, removals=("sk",)),
        Update(KEY, increments={"list_pk": 1}),
        Update(KEY, removals=("",)),
        Update(KEY, {f"m{number}": 1 for number in range(MAX_CHANGES + 1)}),
    ],
)
def test_an_update_that_breaks_its_rules_is_refused(table: Table, update: Update) -> None:
    with pytest.raises(InvalidRequest):
        table.write(update)
    assert table.get(KEY) is None


def test_an_update_may_name_as_many_members_as_the_limit(table: Table) -> None:
    values = {f"member-{number}": number for number in range(MAX_CHANGES)}
    assert table.write(Update(KEY, values)) == row(**values)


# Deletes


def test_a_deleted_row_is_gone_everywhere(table: Table) -> None:
    table.write(Put(row(list_pk="L", list_sk="1")))
    assert table.write(Delete(KEY)) is None
    assert table.get(KEY) is None
    assert table.query(Query(KEY.pk)).items == table.query(Query("L", index="list")).items == ()


def test_deleting_an_absent_row_succeeds_unless_a_condition_says_otherwise(table: Table) -> None:
    assert table.write(Delete(KEY)) is None
    with pytest.raises(ConditionFailed):
        table.write(Delete(KEY, Exists()))


# Conditions

SUBJECT = {"n": 5, "f": 1.5, "s": "m", "none": None, "yes": True, "list": [1], "map": {"a": 1}, "empty": ""}
HOLDING: list[Condition] = [
    Exists(),
    Exists("none"),
    Missing("absent"),
    Equals("pk", KEY.pk),
    Equals("n", 5),
    Equals("n", 5.0),
    Equals("f", 1.5),
    Equals("s", "m"),
    Equals("none", None),
    Equals("yes", True),
    Equals("empty", ""),
    NotEquals("absent", 5),
    NotEquals("absent", None),
    NotEquals("n", 4),
    NotEquals("n", "5"),
    NotEquals("n", None),
    NotEquals("none", 0),
    NotEquals("yes", 1),
    NotEquals("list", 1),
    NotEquals("map", None),
    LessThan("n", 5.5),
    LessThan("n", 10**37),
    LessThan("s", "n"),
    LessThan("s", "é"),
    LessThan("empty", "\x00"),
    AtLeast("n", 5),
    AtLeast("n", -1),
    AtLeast("f", 1),
    AtLeast("s", "m"),
    AtLeast("s", ""),
    AllOf((Exists(),)),
    AllOf((Equals("n", 5), Equals("s", "m"), NotEquals("n", 6))),
    AnyOf((Equals("n", 6), Equals("s", "m"))),
    AnyOf((AllOf((Equals("n", 5), Equals("s", "x"))), AllOf((Equals("n", 5), AnyOf((Missing(), Exists("f"))))))),
    AllOf((AnyOf((AllOf((Exists("n"),)),)), AnyOf((NotEquals("n", 5), NotEquals("s", "z"))))),
]
FAILING: list[Condition] = [
    Missing(),
    Missing("none"),
    Exists("absent"),
    Equals("absent", None),
    Equals("absent", ""),
    Equals("n", True),
    Equals("n", "5"),
    Equals("yes", 1),
    Equals("none", 0),
    Equals("none", ""),
    Equals("list", 1),
    Equals("n", 6),
    NotEquals("n", 5),
    NotEquals("none", None),
    NotEquals("yes", True),
    NotEquals("s", "m"),
    LessThan("n", 5),
    LessThan("n", "6"),
    LessThan("s", 6),
    LessThan("absent", 6),
    LessThan("yes", 2),
    LessThan("none", "x"),
    LessThan("list", 2),
    AtLeast("n", 5.5),
    AtLeast("n", ""),
    AtLeast("yes", 0),
    AtLeast("absent", ""),
    AtLeast("map", 0),
    AllOf((Equals("n", 5), Equals("s", "x"))),
    AnyOf((Missing(), Equals("n", 4))),
    AllOf((AnyOf((Exists(), Missing())), AnyOf((Missing("n"), LessThan("n", 1))))),
]


@pytest.mark.parametrize("condition", HOLDING, ids=repr)
def test_a_write_whose_condition_holds_is_applied(table: Table, condition: Condition) -> None:
    table.write(Put(row(**SUBJECT)))
    assert table.write(Update(KEY, {"touched": 1}, condition=condition)) == row(**SUBJECT, touched=1)
    table.transact([Check(KEY, condition), Put(row(Key("other", "row")))])
    assert table.get(Key("other", "row"))


@pytest.mark.parametrize("condition", FAILING, ids=repr)
def test_a_write_whose_condition_fails_changes_nothing(table: Table, condition: Condition) -> None:
    table.write(Put(row(**SUBJECT)))
    for write in (Update(KEY, {"touched": 1}, condition=condition), Put(row(), condition), Delete(KEY, condition)):
        with pytest.raises(ConditionFailed):
            table.write(write)
    with pytest.raises(ConditionFailed):
        table.transact([Check(KEY, condition), Put(row(Key("other", "row")))])
    assert table.get(KEY) == row(**SUBJECT)
    assert table.get(Key("other", "row")) is None


@pytest.mark.parametrize("condition", [Missing(), Missing("n"), NotEquals("n", 1), NotEquals("n", None)], ids=repr)
def test_an_absent_row_lacks_every_member(table: Table, condition: Condition) -> None:
    assert table.write(Put(row(), condition)) == row()


@pytest.mark.parametrize(
    "condition",
    [
        AllOf(()),
        AnyOf((Exists(), AnyOf(()))),
        Exists(""),
        Equals("n", math.nan),
        Equals("n", 10**38),
        Equals("n", "\ud800"),
        Equals("n", [1]),  # type: ignore[arg-type]  # refused at run time
        LessThan("n", True),
        AtLeast("n", None),  # type: ignore[arg-type]  # refused at run time
        AllOf((Exists(),) * (MAX_CONDITIONS + 1)),
    ],
    ids=lambda condition: repr(condition)[:30],
)
def test_a_condition_that_breaks_its_rules_is_refused(table: Table, condition: Condition) -> None:
    with pytest.raises(InvalidRequest):
        table.write(Put(row(), condition))
    with pytest.raises(InvalidRequest):
        table.transact([Check(KEY, condition)])
    assert table.get(KEY) is None


def test_conditions_may_be_as_many_and_as_deep_as_the_limits(table: Table) -> None:
    wide = AnyOf(tuple(NotEquals(f"member-{number}", number) for number in range(MAX_CONDITIONS)))
    assert table.write(Put(row(), wide)) == row()
    deep: Condition = Exists()
    for _ in range(MAX_CONDITION_DEPTH):
        deep = AllOf((deep, Exists()))
    assert table.write(Put(row(), deep)) == row()
    with pytest.raises(InvalidRequest):
        table.write(Put(row(), AnyOf((deep,))))


# Transactions


def test_a_transaction_applies_every_kind_of_operation(table: Table) -> None:
    table.write(Put(row(Key("a", "checked"), n=1)))
    table.write(Put(row(Key("a", "deleted"))))
    table.write(Put(row(Key("a", "updated"), n=1)))
    table.transact(
        [
            Check(Key("a", "checked"), Equals("n", 1)),
            Delete(Key("a", "deleted"), Exists()),
            Update(Key("a", "updated"), {"s": "x"}, {"n": 1}),
            Put(row(Key("b", "put"), list_pk="L", list_sk="1"), Missing()),
        ]
    )
    assert rows(table, Query("a")) == [row(Key("a", "checked"), n=1), row(Key("a", "updated"), n=2, s="x")]
    assert [item["sk"] for item in rows(table, Query("L", index="list"))] == ["put"]


def test_a_failed_transaction_changes_nothing_and_names_the_operations(table: Table) -> None:
    table.write(Put(row(n=1)))
    with pytest.raises(ConditionFailed) as failed:
        table.transact(
            [
                Put(row(Key("a", "1"))),
                Check(KEY, Equals("n", 2)),
                Update(Key("a", "2"), {"n": 1}),
                Delete(Key("a", "3"), Exists()),
            ]
        )
    assert failed.value.detail["operations"] == [1, 3]
    assert rows(table, Query("a")) == []


def test_a_transaction_takes_1_to_100_operations(table: Table) -> None:
    operations = [Put(row(Key("a", f"{number:03}"))) for number in range(MAX_TRANSACTION + 1)]
    for wrong in ([], operations):
        with pytest.raises(InvalidRequest):
            table.transact(wrong)
    assert rows(table, Query("a")) == []
    table.transact(operations[:MAX_TRANSACTION])
    assert len(rows(table, Query("a"))) == MAX_TRANSACTION


def test_a_transaction_touches_a_key_once(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        table.transact([Put(row()), Check(KEY, Missing())])
    assert table.get(KEY) is None


def test_a_transaction_over_4_mb_is_refused(table: Table) -> None:
    with pytest.raises(PayloadTooLarge):
        table.transact([Put(row(Key("a", str(number)), body="x" * 399_000)) for number in range(11)])
    assert rows(table, Query("a")) == []


def test_a_row_that_grows_too_large_cancels_its_transaction(table: Table) -> None:
    table.write(Put(row(body="x" * 399_000)))
    with pytest.raises(PayloadTooLarge):
        table.transact([Update(KEY, {"more": "x" * 20_000}), Put(row(Key("a", "1")))])
    assert table.get(Key("a", "1")) is None


def test_a_check_stands_in_transactions_only(table: Table) -> None:
    with pytest.raises(InvalidRequest):
        table.write(Check(KEY, Missing()))  # type: ignore[arg-type]  # refused at run time
    with pytest.raises(InvalidRequest):
        table.transact([Check(KEY, None)])  # type: ignore[arg-type]  # refused at run time


# Many rows


def test_many_rows_are_read_by_their_keys_in_the_order_asked(table: Table) -> None:
    keys = [Key(f"p{number % 7}", f"s{number}") for number in range(230)]
    for start in range(0, 230, MAX_TRANSACTION):
        table.transact([Put(row(key, n=key.sk)) for key in keys[start : start + MAX_TRANSACTION]])
    asked = [*reversed(keys), Key("p0", "absent"), keys[0]]
    found = table.get_many(asked)
    assert found == {key: row(key, n=key.sk) for key in keys}
    assert list(found) == list(reversed(keys))
    assert table.get_many([]) == {}


# Queries


def test_rows_come_in_the_order_of_their_utf8_bytes(table: Table) -> None:
    # In UTF-16 the last two would change places.
    ordered = ["!", "A", "Z", "a", "aa", "b", "é", "知", "\uffee", "😀"]
    for sk in (ordered[3], *ordered[:3], *reversed(ordered[4:])):
        table.write(Put(row(Key("p", sk), list_pk="L", list_sk=sk)))
        table.write(Put(row(Key("q", sk))))
    assert sort_keys(table, Query("p")) == ordered
    assert sort_keys(table, Query("p", descending=True, limit=3)) == ordered[::-1]
    assert sort_keys(table, Query("L", index="list", limit=3)) == ordered
    assert sort_keys(table, Query("L", index="list", descending=True)) == ordered[::-1]


@pytest.fixture
def filled(table: Table) -> Table:
    places = ["a", "b", "b#", "b#1", "b#2", "bb", "c", "é1", "é2"]
    operations = [Put(row(Key("p", sk), state_pk="S", state_sk=sk)) for sk in places]
    table.transact([*operations, Put(row(Key("p2", "b#1"), state_pk="S2", state_sk="b#1"))])
    return table


@pytest.mark.parametrize("index", [None, "state"])
@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ({}, ["a", "b", "b#", "b#1", "b#2", "bb", "c", "é1", "é2"]),
        ({"prefix": "b#"}, ["b#", "b#1", "b#2"]),
        ({"prefix": "é"}, ["é1", "é2"]),
        ({"prefix": "z"}, []),
        ({"start": "bb"}, ["bb", "c", "é1", "é2"]),
        ({"start": ""}, ["a", "b", "b#", "b#1", "b#2", "bb", "c", "é1", "é2"]),
        ({"end": "b#1"}, ["a", "b", "b#"]),
        ({"end": "a"}, []),
        ({"end": ""}, []),
        ({"start": "b#", "end": "bb"}, ["b#", "b#1", "b#2"]),
        ({"start": "b#", "end": "ba"}, ["b#", "b#1", "b#2"]),
        ({"start": "b", "end": "b"}, []),
        ({"start": "c", "end": "b"}, []),
    ],
)
def test_bounds_cut_a_partition(filled: Table, bounds: dict[str, str], expected: list[str], index: str | None) -> None:
    for limit in (1, 2, 100):
        query = Query("S" if index else "p", index=index, limit=limit, **bounds)  # type: ignore[arg-type]  # strings only
        assert sort_keys(filled, query) == expected
        assert sort_keys(filled, replace(query, descending=True)) == expected[::-1]


def test_a_page_holds_no_more_than_its_limit_which_may_change(filled: Table) -> None:
    first = filled.query(Query("p", limit=2))
    second = filled.query(Query("p", limit=4, cursor=first.cursor))
    assert [item["sk"] for item in (*first.items, *second.items)] == ["a", "b", "b#", "b#1", "b#2", "bb"]


def test_the_last_page_has_no_cursor(filled: Table) -> None:
    assert filled.query(Query("p")).cursor is None
    assert filled.query(Query("nobody")) == filled.query(Query("nobody", index="due"))
    assert filled.query(Query("nobody")).cursor is None


def test_a_row_enters_and_leaves_an_index_with_its_members(table: Table) -> None:
    table.write(Put(row(due_pk="D")))
    assert table.query(Query("D", index="due")).items == ()
    table.write(Update(KEY, {"due_sk": "1"}))
    assert table.query(Query("D", index="due")).items == (row(due_pk="D", due_sk="1"),)
    table.write(Update(KEY, {"due_pk": "E"}))
    assert table.query(Query("D", index="due")).items == ()
    table.write(Update(KEY, removals=("due_sk",)))
    assert table.query(Query("E", index="due")).items == ()


@pytest.mark.parametrize("descending", [False, True])
def test_rows_that_share_an_index_key_come_once_each(table: Table, descending: bool) -> None:
    keys = [Key(f"p{number % 3}", f"s{number}") for number in range(9)]
    table.transact([Put(row(key, list_pk="L", list_sk="same")) for key in keys])
    query = Query("L", index="list", limit=2, descending=descending)
    found = [Key(str(item["pk"]), str(item["sk"])) for item in rows(table, query)]
    assert sorted(found) == sorted(keys)
    assert rows(table, replace(query, start="a", end="same")) == []
    assert len(rows(table, replace(query, start="same", end="z"))) == len(keys)


@pytest.mark.parametrize("index", [None, "state"])
def test_a_cursor_outlives_the_row_that_it_stands_on(filled: Table, index: str | None) -> None:
    query = Query("S" if index else "p", index=index, limit=3)
    cursor = filled.query(query).cursor
    filled.write(Delete(Key("p", "b#")))
    filled.write(Put(row(Key("p", "b#0"), state_pk="S", state_sk="b#0")))
    assert sort_keys(filled, replace(query, cursor=cursor)) == ["b#0", "b#1", "b#2", "bb", "c", "é1", "é2"]


def test_a_cursor_of_another_query_is_refused(filled: Table) -> None:
    query = Query("p", limit=2)
    cursor = filled.query(query).cursor
    assert cursor
    others = [
        replace(query, partition="p2"),
        replace(query, descending=True),
        replace(query, start="a"),
        replace(query, end="c"),
        replace(query, prefix="b"),
        replace(query, index="state"),
        replace(query, partition="S", index="state"),
        replace(query, end="", start="x"),
    ]
    for other in others:
        with pytest.raises(InvalidRequest):
            filled.query(replace(other, cursor=cursor))


@pytest.mark.parametrize("index", [None, "state"])
def test_a_damaged_cursor_is_refused(filled: Table, index: str | None) -> None:
    query = Query("S" if index else "p", index=index, limit=2)
    cursor = filled.query(query).cursor or ""
    flipped = [cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1 :] for at in range(len(cursor))]
    damaged = [*flipped, cursor[:-1], cursor + "A", cursor + "=", cursor + " ", f"\n{cursor}", cursor * 2]
    for wrong in (*damaged, "", "?", "é", "AAAA", "0" * 50_000):
        with pytest.raises(InvalidRequest):
            filled.query(replace(query, cursor=wrong))


def test_a_cursor_is_safe_in_a_url_and_shows_no_padding(filled: Table) -> None:
    cursor = filled.query(Query("S", index="state", start="é", limit=1)).cursor or "?"
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize(
    "query",
    [
        Query(""),
        Query("\ud800"),
        Query("p", index="gsi9"),
        Query("p", limit=0),
        Query("p", limit=1001),
        Query("p", limit=True),
        Query("p", prefix="a", start="a"),
        Query("p", prefix="a", end="b"),
        Query("p", start="\ud800"),
        Query("p", prefix="x" * 1025),
        Query("p", prefix=None),  # type: ignore[arg-type]  # refused at run time
    ],
    ids=repr,
)
def test_a_query_that_breaks_its_rules_is_refused(table: Table, query: Query) -> None:
    with pytest.raises(InvalidRequest):
        table.query(query)


def test_pages_of_large_rows_are_short_but_lose_nothing(table: Table) -> None:
    for number in range(7):
        table.write(Put(row(Key("p", str(number)), body="x" * 300_000)))
    found = list(pages(table, Query("p", limit=1000)))
    assert [item["sk"] for page in found for item in page] == ["0", "1", "2", "3", "4", "5", "6"]
    assert len(found) > 1


def test_only_expired_rows_are_ever_dropped(table: Table) -> None:
    expiries: list[Value] = [5, 6, None, "5"]
    written = [row(Key(KEY.pk, str(place)), expires_at=each) for place, each in enumerate(expiries)]
    for each in written:
        table.write(Put(each))
    dropped = table.drop_expired(6)
    left = list(table.query(Query(KEY.pk)).items)
    assert left in (written, written[1:])
    assert dropped == len(written) - len(left)


def test_an_expired_row_is_read_until_it_is_dropped(table: Table) -> None:
    table.write(Put(row(expires_at=1)))
    assert table.get(KEY) == row(expires_at=1)
    assert table.query(Query(KEY.pk)).items == (row(expires_at=1),)
