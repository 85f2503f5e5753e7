"""Queries, built from values: nothing here or below goes through a query parser."""

from collections.abc import Collection, Sequence

from tantivy import FieldType, Occur, Query, Schema

from knowhub.errors import InvalidRequest
from knowhub.ports.chunk_index import ExactLeg, IndexScope, KeywordLeg
from knowhub.stores.tantivy.codec import token_text
from knowhub.stores.tantivy.schema import DOC_ID, KB_ID, ROW, SEQUENCE, TERMS

_SET_SIZE = 256
"""Up to here a union of terms is faster than the engine's term set, which walks the whole dictionary (measured)."""


def keyword_query(schema: Schema, leg: KeywordLeg) -> Query | None:
    """Build the OR of the distinct terms; None where there is none."""
    distinct = tuple(dict.fromkeys(leg.terms))
    token_text(distinct)
    if not distinct:
        return None
    return any_of([Query.term_query(schema, TERMS, term, "freq") for term in distinct])


def exact_query(schema: Schema, leg: ExactLeg) -> Query | None:
    """Build the phrases; None where there is none."""
    required = dict.fromkeys(leg.required)
    optional = [phrase for phrase in dict.fromkeys(leg.optional) if phrase not in required]
    for phrase in (*required, *optional):
        if not phrase:
            raise InvalidRequest("A phrase has no token")
        token_text(phrase)
    if not required:
        return any_of([_phrase(schema, phrase) for phrase in optional]) if optional else None
    wanted = [(Occur.Must, _phrase(schema, phrase)) for phrase in required]
    return Query.boolean_query(wanted + [(Occur.Should, _phrase(schema, phrase)) for phrase in optional])


def scope_filters(schema: Schema, scope: IndexScope) -> list[Query]:
    """Build the filters that keep a search in its scope and leave its scores alone; the scope is not empty."""
    filters = [one_of(schema, KB_ID, sorted(scope.kb_ids))]
    if scope.doc_ids is not None:
        filters.append(one_of(schema, DOC_ID, sorted(scope.doc_ids)))
    return filters


def within(filters: Sequence[Query], query: Query) -> Query:
    """Restrict a query to what passes every filter."""
    return Query.boolean_query([(Occur.Must, part) for part in (*filters, query)])


def any_of(queries: Sequence[Query]) -> Query:
    """Match what at least one query matches, with the sum of their scores."""
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])


def one_of(schema: Schema, field: str, values: Collection[int] | Collection[str]) -> Query:
    """Match chunks whose field has one of the values, with score 0."""
    if len(values) > _SET_SIZE:
        return _unscored(Query.term_set_query(schema, field, list(values)))
    if not values:
        return Query.empty_query()
    return _unscored(any_of([Query.term_query(schema, field, value, "basic") for value in values]))


def rows_between(schema: Schema, first: int, last: int) -> Query:
    """Match chunks whose row number is in the closed range, with score 0."""
    return _unscored(Query.range_query(schema, ROW, FieldType.Integer, first, last))


def _phrase(schema: Schema, tokens: tuple[str, ...]) -> Query:
    if len(tokens) == 1:
        return Query.term_query(schema, SEQUENCE, tokens[0], "freq")
    return Query.phrase_query(schema, SEQUENCE, list(tokens))


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)
