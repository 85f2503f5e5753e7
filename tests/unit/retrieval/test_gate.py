"""The visibility gate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from knowhub.errors import SearchUnavailable, Unavailable
from knowhub.model.document import DocumentHead
from knowhub.ports.chunk_index import Candidate
from knowhub.retrieval.fusion import Fused
from knowhub.retrieval.gate import BATCH, Gate, pass_gate

HEAD = DocumentHead(
    doc_id="d",
    kb_id=1,
    title="t",
    status="ready",
    last_revision=2,
    visible_revision=2,
    pending_revision=0,
    chunk_count=1,
    content_hash="",
    fingerprint="",
    attempts=0,
    created_at="",
    updated_at="",
)


def fused(*candidates: tuple[str, int, int]) -> list[Fused]:
    return [
        Fused(Candidate(f"{doc_id}:{revision}:1", doc_id, kb_id, revision, 1.0), 1.0)
        for doc_id, kb_id, revision in candidates
    ]


def gate(heads: Mapping[str, DocumentHead], readable: frozenset[int] = frozenset({1})) -> Gate:
    return Gate(lambda ids: {doc_id: heads[doc_id] for doc_id in ids if doc_id in heads}, lambda kbs: kbs & readable)


@pytest.mark.parametrize(
    ("head", "readable", "reason"),
    [
        (HEAD, frozenset({1}), None),
        (HEAD, frozenset[int](), "knowledge_base"),
        (None, frozenset({1}), "document"),
        (replace(HEAD, deleted=True), frozenset({1}), "document"),
        (replace(HEAD, visible_revision=0), frozenset({1}), "document"),
        (replace(HEAD, kb_id=2), frozenset({1}), "document"),
        (replace(HEAD, visible_revision=1), frozenset({1}), "revision"),
        (replace(HEAD, visible_revision=3), frozenset({1}), "revision"),
    ],
)
def test_only_the_visible_revision_of_a_live_document_in_a_readable_kb_passes(
    head: DocumentHead | None, readable: frozenset[int], reason: str | None
) -> None:
    passage = pass_gate(gate({} if head is None else {"d": head}, readable), fused(("d", 1, 2)), 10)
    assert (len(passage.passed) == 1) == (reason is None)
    assert list(passage.dropped.values()) == ([] if reason is None else [reason])
    assert passage.outdated == ({"d"} if reason == "revision" else set())


def test_no_more_heads_are_read_than_the_answer_takes() -> None:
    read: list[Sequence[str]] = []

    def heads(ids: Sequence[str]) -> Mapping[str, DocumentHead]:
        read.append(ids)
        return {doc_id: replace(HEAD, doc_id=doc_id) for doc_id in ids}

    found = fused(*((f"d{number}", 1, 2) for number in range(3 * BATCH)))
    passage = pass_gate(Gate(heads, lambda kbs: kbs), found, 10)
    assert [one.candidate.doc_id for one in passage.passed] == [f"d{number}" for number in range(10)]
    assert [len(ids) for ids in read] == [BATCH]


def test_dropped_candidates_are_made_up_for_from_further_down() -> None:
    gone = [(f"a{number}", 1, 2) for number in range(BATCH + 5)]
    passage = pass_gate(gate({"d": HEAD}), fused(*gone, ("d", 1, 2)), 1)
    assert [one.candidate.doc_id for one in passage.passed] == ["d"]


def test_a_catalog_that_is_away_is_an_unavailable_search_and_no_ungated_answer() -> None:
    def away(_: Sequence[str]) -> Mapping[str, DocumentHead]:
        raise Unavailable("away")

    with pytest.raises(SearchUnavailable):
        pass_gate(Gate(away, lambda kbs: kbs), fused(("d", 1, 2)), 1)
