"""Queries, built from values: nothing here or below goes through a query parser."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tantivy import FieldType, Occur, Query, Schema

from knowhub.errors import InvalidRequest
from knowhub.ports.chunk_filters import (
    Between,
    Condition,
    Matching,
    OneOf,
    Some,
    Without,
    condition,
    range_patterns,
)
from knowhub.ports.chunk_index import ExactLeg, IndexScope, KeywordLeg
from knowhub.ports.chunk_rules import distinct_phrases, distinct_terms
from knowhub.stores.tantivy.schema import DOC_ID, KB_ID, ROW, SEQUENCE, TERMS, VALUES

_SET_SIZE = 256
"""Up to here a union of terms is faster than the engine's term set, which walks the whole dictionary (measured)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """A scope that is not empty, with the queries that keep a search in it and leave its scores alone."""

    scope: IndexScope
    filters: tuple[Query, ...]

    def within(self, query: Query) -> Query:
        """Restrict a query to the scope."""
        return Query.boolean_query([(Occur.Must, part) for part in (*self.filters, query)])

    def everything(self) -> Query:
        """Match the scope."""
        return Query.boolean_query([(Occur.Must, part) for part in self.filters])


def keyword_query(schema: Schema, leg: KeywordLeg) -> Query | None:
    """Build the OR of the distinct terms; None where there is none."""
    terms = distinct_terms(leg)
    return any_of([Query.term_query(schema, TERMS, term, "freq") for term in terms]) if terms else None


def exact_query(schema: Schema, leg: ExactLeg) -> Query | None:
    """Build the phrases; None where there is none."""
    phrases = distinct_phrases(leg)
    optional = [_phrase(schema, phrase) for phrase in phrases.optional]
    if not phrases.required:
        return any_of(optional) if optional else None
    wanted = [(Occur.Must, _phrase(schema, phrase)) for phrase in phrases.required]
    return Query.boolean_query(wanted + [(Occur.Should, phrase) for phrase in optional])


def bounds_of(schema: Schema, scope: IndexScope) -> Bounds:
    """Build a scope's queries, once for all legs: an automaton for each pattern of its filter."""
    filters = [one_of(schema, KB_ID, sorted(scope.kb_ids))]
    if scope.doc_ids is not None:
        filters.append(one_of(schema, DOC_ID, sorted(scope.doc_ids)))
    if scope.filter is not None:
        filters.append(_unscored(_condition(schema, condition(scope.filter))))
    return Bounds(scope, tuple(filters))


def any_of(queries: Sequence[Query]) -> Query:
    """Match what at least one query matches, with the sum of their scores."""
    if not queries:
        return Query.empty_query()
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def one_of(schema: Schema, field: str, values: Collection[int] | Collection[str]) -> Query:
    """Match chunks whose field has one of the values, with score 0."""
    if len(values) > _SET_SIZE:
        return _unscored(Query.term_set_query(schema, field, list(values)))
    return _unscored(any_of([Query.term_query(schema, field, value, "basic") for value in values]))


def rows_between(schema: Schema, first: int, last: int) -> Query:
    """Match chunks whose row number is in the closed range, with score 0."""
    return _unscored(Query.range_query(schema, ROW, FieldType.Integer, first, last))


def _condition(schema: Schema, asked: Condition) -> Query:
    if isinstance(asked, OneOf):
        return one_of(schema, VALUES, asked.terms)
    if isinstance(asked, Between):
        return any_of([_pattern(schema, pattern) for pattern in range_patterns(asked)])
    if isinstance(asked, Matching):
        return _pattern(schema, asked.pattern)
    if isinstance(asked, Some):
        return any_of([_condition(schema, part) for part in asked.parts])
    return _all_of(schema, (asked,) if isinstance(asked, Without) else asked.parts)


def _all_of(schema: Schema, parts: Sequence[Condition]) -> Query:
    wanted = [(Occur.Must, _condition(schema, part)) for part in parts if not isinstance(part, Without)]
    unwanted = [(Occur.MustNot, _condition(schema, part.part)) for part in parts if isinstance(part, Without)]
    # The engine needs something to take the unwanted from, and walking everything costs more than what is wanted.
    return Query.boolean_query([*(wanted or [(Occur.Must, Query.all_query())]), *unwanted])


def _pattern(schema: Schema, pattern: str) -> Query:
    try:
        return Query.regex_query(schema, VALUES, pattern)
    except ValueError as error:
        raise InvalidRequest("The filter has a pattern that the index can't be asked") from error


def _phrase(schema: Schema, tokens: tuple[str, ...]) -> Query:
    if len(tokens) == 1:
        return Query.term_query(schema, SEQUENCE, tokens[0], "freq")
    return Query.phrase_query(schema, SEQUENCE, list(tokens))


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)
