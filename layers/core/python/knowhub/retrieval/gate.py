"""The visibility gate: what the engine found is shown only as far as the catalog, read consistently, still shows it.

An engine lags: it may hold chunks of deleted documents, of replaced revisions, and of KBs that the principal has lost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from knowhub.errors import KnowhubError, SearchUnavailable
from knowhub.model.document import DocumentHead
from knowhub.retrieval.fusion import Fused

BATCH = 100
"""Heads read at once: the most that one batch read of the table takes."""


@dataclass(frozen=True, slots=True)
class Gate:
    """How the gate reads the catalog: heads by document id, and which of these KBs the principal reads now."""

    read_heads: Callable[[Sequence[str]], Mapping[str, DocumentHead]]
    readable: Callable[[frozenset[int]], frozenset[int]]


@dataclass(slots=True)
class Passage:
    """What passed, best first; what was dropped with its reason; documents of which only the revision was wrong."""

    passed: list[Fused] = field(default_factory=list)
    dropped: dict[str, str] = field(default_factory=dict)
    outdated: set[str] = field(default_factory=set)


def pass_gate(gate: Gate, fused: Sequence[Fused], wanted: int) -> Passage:
    """Let through up to `wanted` candidates, reading no more heads than that takes.

    Raises `SearchUnavailable` where the catalog can't be read: an ungated answer is never given.
    """
    passage = Passage()
    try:
        for batch in _batches(fused):
            _pass_batch(gate, batch, passage)
            if len(passage.passed) >= wanted:
                break
    except SearchUnavailable:
        raise
    except KnowhubError as error:
        raise SearchUnavailable("Search is not available right now") from error
    del passage.passed[wanted:]
    return passage


def _pass_batch(gate: Gate, batch: Sequence[Fused], passage: Passage) -> None:
    heads = gate.read_heads(sorted({one.candidate.doc_id for one in batch}))
    readable = gate.readable(frozenset(one.candidate.kb_id for one in batch))
    for one in batch:
        reason = _refusal(one, heads.get(one.candidate.doc_id), readable)
        if reason is None:
            passage.passed.append(one)
            continue
        passage.dropped[one.candidate.chunk_id] = reason
        if reason == "revision":
            passage.outdated.add(one.candidate.doc_id)


def _refusal(one: Fused, head: DocumentHead | None, readable: frozenset[int]) -> str | None:
    if one.candidate.kb_id not in readable:
        return "knowledge_base"
    if head is None or head.deleted or head.kb_id != one.candidate.kb_id or not head.visible_revision:
        return "document"
    return None if head.visible_revision == one.candidate.revision else "revision"


def _batches(fused: Sequence[Fused]) -> Iterator[list[Fused]]:
    """Cut the candidates, in order, into runs that name at most `BATCH` documents."""
    remaining = iter(fused)
    while batch := list(islice(remaining, BATCH)):
        yield batch
