"""Metadata counters: what visible documents have, by key and value."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowhub.catalog.facets import MOST_PAIRS, MOST_VALUES, FacetRows, changes
from knowhub.ports.table import MAX_TRANSACTION
from knowhub.stores.sqlite.table import SqliteTable


class Counted:
    """A KB's counters, changed as documents come and go."""

    def __init__(self, table: SqliteTable, kb_id: int = 1) -> None:
        self.table = table
        self.kb_id = kb_id
        self.rows = FacetRows(table)

    def move(self, doc_id: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        operations = changes(self.kb_id, doc_id, before, after)
        if operations:
            self.table.transact(operations)

    def shown(self) -> dict[str, dict[Any, int]]:
        return {facet.key: dict(facet.values) for facet in self.rows.of(self.kb_id)}


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Counted]:
    table = SqliteTable(tmp_path / "catalog.sqlite3")
    yield Counted(table)
    table.close()


def test_values_are_counted_by_key_with_the_commonest_first(counted: Counted) -> None:
    counted.move("d1", None, {"team": "core", "year": 2024})
    counted.move("d2", None, {"team": "web", "year": 2024})
    counted.move("d3", None, {"team": "web"})
    assert counted.shown() == {"team": {"web": 2, "core": 1}, "year": {2024: 2}}
    (team, _) = counted.rows.of(1)
    assert team.values[0] == ("web", 2)
    assert not team.more


def test_what_no_document_has_any_more_is_not_shown(counted: Counted) -> None:
    counted.move("d1", None, {"team": "core"})
    counted.move("d1", {"team": "core"}, {"team": "web"})
    assert counted.shown() == {"team": {"web": 1}}
    counted.move("d1", {"team": "web"}, None)
    assert counted.shown() == {}


def test_values_of_different_kinds_are_different_values(counted: Counted) -> None:
    counted.move("d1", None, {"a": "1"})
    counted.move("d2", None, {"a": 1})
    counted.move("d3", None, {"a": True})
    (facet,) = counted.rows.of(1)
    assert sorted(repr(value) for value, _ in facet.values) == ["'1'", "1", "True"]


def test_each_of_several_values_counts_and_what_can_not_be_filtered_by_does_not(counted: Counted) -> None:
    counted.move("d1", None, {"tags": ["a", "b", "a"], "nested": {"x": 1}, "none": None, "long": "x" * 300})
    assert counted.shown() == {"tags": {"a": 1, "b": 1}}


def test_no_more_than_fifty_values_of_a_key_are_shown(counted: Counted) -> None:
    for number in range(MOST_VALUES + 5):
        counted.move(f"d{number}", None, {"n": number})
    (facet,) = counted.rows.of(1)
    assert len(facet.values) == MOST_VALUES
    assert facet.more


def test_two_revisions_changes_fit_into_one_transaction(counted: Counted) -> None:
    old = {f"old{number}": number for number in range(200)}
    new = {f"new{number}": number for number in range(200)}
    assert len(changes(1, "d1", old, new)) == 3 * MOST_PAIRS <= MAX_TRANSACTION - 6
    counted.move("d1", None, old)
    counted.move("d1", old, new)
    assert len(counted.shown()) == MOST_PAIRS


def test_a_knowledge_base_is_forgotten_alone(counted: Counted) -> None:
    other = Counted(counted.table, 2)
    counted.move("d1", None, {"team": "core"})
    other.move("d1", None, {"team": "web"})
    counted.rows.forget_kb(1)
    assert counted.shown() == {}
    assert other.shown() == {"team": {"web": 1}}


_METADATA = st.dictionaries(
    st.text(min_size=1, max_size=5),
    st.one_of(st.text(max_size=5), st.integers(-9, 9), st.booleans(), st.lists(st.sampled_from("ab"), max_size=3)),
    max_size=4,
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["d1", "d2", "d3"]), st.none() | _METADATA), max_size=8))
def test_the_counters_are_what_counting_the_documents_gives(
    counted: Counted, moves: list[tuple[str, dict[str, Any] | None]]
) -> None:
    counted.rows.forget_kb(1)
    living: dict[str, dict[str, Any] | None] = {}
    for doc_id, metadata in moves:
        counted.move(doc_id, living.get(doc_id), metadata)
        living[doc_id] = metadata
    expected: dict[str, dict[tuple[type, Any], int]] = {}
    for metadata in living.values():
        for key, value in (metadata or {}).items():
            for one in {(type(each), each) for each in (value if isinstance(value, list) else [value])}:
                expected.setdefault(key, {})[one] = expected.get(key, {}).get(one, 0) + 1
    found = {facet.key: {(type(value), value): count for value, count in facet.values} for facet in counted.rows.of(1)}
    assert found == expected
