"""Query bodies, built from values: terms, ranges and patterns of our own making, never a text that an engine parses."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from knowhub.ports.chunk_filters import Between, Condition, Every, Matching, OneOf, Some, condition
from knowhub.ports.chunk_index import ExactLeg, IndexScope, KeywordLeg
from knowhub.ports.chunk_rules import distinct_phrases, distinct_terms
from knowhub.stores.opensearch.schema import ANALYSER, DOC_ID, KB_ID, REVISION, SEQUENCE, TERMS, VALUES, VECTOR

Query: TypeAlias = dict[str, Any]

_MOST_TERMS = 65_536
"""That an engine takes in one set."""

_MOST_STATES = 100_000
"""Of the automaton of a pattern; `chunk_filters.py` lets no pattern by that comes near."""

_AFTER = "~"
"""Sorts after everything that a term may hold."""


def keyword_query(leg: KeywordLeg) -> Query | None:
    """Build the OR of the distinct terms; None where there is none."""
    terms = distinct_terms(leg)
    return any_of([{"term": {TERMS: {"value": term}}} for term in terms]) if terms else None


def exact_query(leg: ExactLeg) -> Query | None:
    """Build the phrases; None where there is none."""
    phrases = distinct_phrases(leg)
    optional = [_phrase(phrase) for phrase in phrases.optional]
    if phrases.required:
        return {"bool": {"must": [_phrase(phrase) for phrase in phrases.required], "should": optional}}
    return any_of(optional) if optional else None


def within(filters: Sequence[Query], query: Query) -> Query:
    """Restrict a query to what passes every filter, and leave its scores alone."""
    return {"bool": {"must": [query], "filter": list(filters)}}


def everything(filters: Sequence[Query]) -> Query:
    """Match what passes every filter."""
    return {"bool": {"filter": list(filters)}}


def nearest(filters: Sequence[Query], vector: Sequence[float], count: int) -> Query:
    """Match about the nearest to a vector, by its graph, that pass every filter."""
    return {"knn": {VECTOR: {"vector": list(vector), "k": count, "filter": everything(filters)}}}


def compared(filters: Sequence[Query], vector: Sequence[float]) -> Query:
    """Match everything with a vector that passes every filter, scored like `nearest` does."""
    script = {
        "lang": "knn",
        "source": "knn_score",
        "params": {"field": VECTOR, "query_value": list(vector), "space_type": "cosinesimil"},
    }
    held = {"exists": {"field": VECTOR}}
    return {"script_score": {"query": everything([*filters, held]), "script": script}}


def scope_filters(scope: IndexScope) -> list[Query]:
    """Build the filters that keep a search in its scope."""
    filters = [in_kbs(scope.kb_ids)]
    if scope.doc_ids is not None:
        filters.append(one_of(DOC_ID, sorted(scope.doc_ids)))
    if scope.filter is not None:
        filters.append(_condition(condition(scope.filter)))
    return filters


def in_kbs(kb_ids: Iterable[int]) -> Query:
    """Match the chunks of these KBs."""
    return one_of(KB_ID, [str(kb_id) for kb_id in sorted(kb_ids)])


def in_document(doc_id: str, revision: int | None = None) -> Query:
    """Match the chunks of a document, or of one of its revisions."""
    filters = [one_of(DOC_ID, [doc_id])]
    if revision is not None:
        filters.append({"term": {REVISION: {"value": revision}}})
    return everything(filters)


def one_of(field: str, values: Sequence[str]) -> Query:
    """Match what has one of the values."""
    rest = iter(values)
    sets = [{"terms": {field: part}} for part in iter(lambda: list(islice(rest, _MOST_TERMS)), [])]
    return sets[0] if len(sets) == 1 else any_of(sets)


def any_of(queries: Sequence[Query]) -> Query:
    """Match what at least one query matches, with the sum of their scores."""
    if not queries:
        return {"match_none": {}}
    return {"bool": {"should": list(queries), "minimum_should_match": 1}}


def _phrase(tokens: Sequence[str]) -> Query:
    if len(tokens) == 1:
        return {"term": {SEQUENCE: {"value": tokens[0]}}}
    return {"match_phrase": {SEQUENCE: {"query": " ".join(tokens), "analyzer": ANALYSER}}}


def _condition(found: Condition) -> Query:
    if isinstance(found, OneOf):
        return one_of(VALUES, found.terms)
    if isinstance(found, Between):
        return _range(found)
    if isinstance(found, Matching):
        pattern = {"value": found.pattern, "flags": "NONE", "max_determinized_states": _MOST_STATES}
        return {"regexp": {VALUES: pattern}}
    if isinstance(found, Every):
        return everything([_condition(part) for part in found.parts])
    if isinstance(found, Some):
        return any_of([_condition(part) for part in found.parts])
    return {"bool": {"must_not": [_condition(found.part)]}}


def _range(found: Between) -> Query:
    """Keep within the prefix where a side is open: values of other kinds have their terms beside it."""
    bounds: dict[str, str] = {}
    if found.low is None:
        bounds["gte"] = found.prefix
    else:
        bounds["gte" if found.with_low else "gt"] = found.low
    if found.high is None:
        bounds["lt"] = found.prefix + _AFTER
    else:
        bounds["lte" if found.with_high else "lt"] = found.high
    return {"range": {VALUES: bounds}}
