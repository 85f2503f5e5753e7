"""Both homes of the table port get the same random operations and must answer alike.

Where the imitation of DynamoDB differs from what the service documents, the random operations stay clear of it, and the
reason is given:
- It changes a row in place, so an update that fails at its increment keeps what it did before. Updates that increment
  a member which may be no number therefore do nothing else.
- It cancels a transaction at the first increment of a non-number without looking at the remaining conditions; the
  service reports all reasons. There either error is taken.
- It adds numbers in 28 digits and does not know the limit of 38. Numbers here are shorter.
"""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowhub.errors import ConditionFailed, InvalidRequest, KnowhubError
from knowhub.ports.table import (
    INDEXES,
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
    Operation,
    Put,
    Query,
    Table,
    Update,
)
from knowhub.stores.dynamodb.table import DynamoTable
from knowhub.stores.sqlite.table import SqliteTable
from tests.contract.table_homes import create_table, imitation

PARTITIONS = ("P", "Q")
PLACES = ("1", "1#", "1#a", "2", "é", "\uffee", "😀")

keys = st.builds(Key, st.sampled_from(PARTITIONS), st.sampled_from(PLACES))
numbers = st.sampled_from([0, 1, 2, -7, 2.0, 0.5, -0.5, 1e-9, 123456.75, 10**15, 1e15])
texts = st.sampled_from(["", "a", "b", "B", "é", "\uffee", "😀", "\x00"])
scalars = st.one_of(st.none(), st.booleans(), numbers, texts)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(texts, inner, max_size=2)),
    max_leaves=4,
)
odd_values = st.sampled_from([float("nan"), 10**38, "\ud800", b"x", 1e200])
names = st.sampled_from(["s", "size", "a.b", "#n0"])
counters = st.sampled_from(["count", "rank"])
index_members = st.dictionaries(
    st.sampled_from([f"{index}_{part}" for index in INDEXES for part in ("pk", "sk")]),
    st.sampled_from([*PARTITIONS, *PARTITIONS, *PLACES, ""]),
    max_size=4,
)

members = st.builds(
    lambda *parts: {name: value for part in parts for name, value in part.items()},
    st.dictionaries(names, st.one_of(*[values] * 8, odd_values), max_size=3),
    st.dictionaries(counters, numbers, max_size=2),
    index_members,
)
single_conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Exists, st.one_of(st.just("pk"), names)),
    st.builds(Missing, st.one_of(st.just("pk"), names)),
    st.builds(Equals, st.one_of(names, counters), scalars),
    st.builds(NotEquals, st.one_of(names, counters), scalars),
    st.builds(LessThan, st.one_of(names, counters), st.one_of(numbers, texts)),
    st.builds(AtLeast, st.one_of(names, counters), st.one_of(numbers, texts)),
)
conditions: st.SearchStrategy[Condition] = st.recursive(
    single_conditions,
    lambda inner: st.builds(
        lambda kind, parts: kind(tuple(parts)), st.sampled_from([AllOf, AnyOf]), st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)
maybe_condition = st.one_of(st.none(), st.none(), conditions)

puts = st.builds(
    lambda key, rest, condition: Put({**rest, "pk": key.pk, "sk": key.sk}, condition), keys, members, maybe_condition
)
updates = st.builds(
    Update,
    keys,
    members,
    st.dictionaries(counters, st.integers(-3, 3), max_size=2),
    st.lists(st.one_of(names, st.sampled_from(["list_sk", "state_pk"])), max_size=2).map(tuple),
    maybe_condition,
)
counts = st.builds(
    lambda key, name, by, condition: Update(key, {}, {name: by}, (), condition),
    keys,
    names,
    st.integers(-3, 3),
    maybe_condition,
)
deletes = st.builds(Delete, keys, maybe_condition)
checks = st.builds(Check, keys, conditions)
writes = st.one_of(puts, puts, updates, counts, deletes)
transactions = st.lists(
    st.one_of(puts, updates, counts, deletes, checks), min_size=1, max_size=5, unique_by=lambda each: str(_key(each))
)
bounds = st.sampled_from(["", "1", "1#", "1#a", "2", "é", "😀", "z"])
queries = st.builds(
    Query,
    st.sampled_from(PARTITIONS),
    index=st.sampled_from([None, *INDEXES]),
    prefix=st.one_of(st.just(""), st.just(""), bounds),
    start=st.one_of(st.none(), bounds),
    end=st.one_of(st.none(), bounds),
    limit=st.integers(1, 4),
    descending=st.booleans(),
)
steps = st.one_of(writes, writes, transactions, queries)


@pytest.fixture(scope="module")
def dynamodb() -> Iterator[Any]:
    with imitation() as client:
        yield client


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(script=st.lists(steps, min_size=4, max_size=24))
def test_both_homes_answer_alike(script: Sequence[Any], dynamodb: Any) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(SqliteTable(Path(folder) / "table.db")) as sqlite:
        homes = (sqlite, DynamoTable(dynamodb, create_table(dynamodb)))
        for step in script:
            compare(step, homes)
        everything = [Key(pk, sk) for pk in PARTITIONS for sk in PLACES]
        first, second = (plain(home.get_many(everything)) for home in homes)
        assert first == second


def compare(step: Any, homes: tuple[Table, Table]) -> None:
    if isinstance(step, Query):
        compare_pages(step, homes)
    elif isinstance(step, list):
        here, there = (outcome(lambda home=home: home.transact(step)) for home in homes)  # type: ignore[misc]  # bound at once
        excused = {ConditionFailed.__name__, InvalidRequest.__name__}
        assert here == there or (counts_something(step) and {here[0], there[0]} <= excused)
    else:
        here, there = (outcome(lambda home=home: home.write(step)) for home in homes)  # type: ignore[misc]  # bound at once
        assert here == there


def compare_pages(query: Query, homes: tuple[Table, Table]) -> None:
    """Read on with each home's own cursors, and with each cursor in the other home."""
    sqlite, dynamo = homes
    here, there, mixed = (
        outcome(lambda order=order: list(read_all(query, order)))  # type: ignore[misc]  # bound at once
        for order in ([sqlite], [dynamo], [sqlite, dynamo])
    )
    assert here == there == mixed


def read_all(query: Query, order: Sequence[Table]) -> Iterator[Item]:
    for turn in range(100):
        page = order[turn % len(order)].query(query)
        assert len(page.items) <= query.limit
        yield from page.items
        if page.cursor is None:
            return
        query = replace(query, cursor=page.cursor)
    pytest.fail("the pages never end")


def outcome(call: Callable[[], Any]) -> tuple[str, str]:
    try:
        return "done", plain(call())
    except KnowhubError as error:
        return type(error).__name__, plain(error.detail)


def plain(result: Any) -> str:
    """Write a result so that what Python holds for equal (1, 1.0 and True) is told apart."""
    if isinstance(result, dict):
        result = {str(name): value for name, value in result.items()}
    return json.dumps(result, sort_keys=True)


def counts_something(operations: Sequence[Operation]) -> bool:
    return any(isinstance(operation, Update) and operation.increments for operation in operations)


def _key(operation: Operation) -> Key:
    if isinstance(operation, Put):
        return Key(str(operation.item["pk"]), str(operation.item["sk"]))
    return operation.key
