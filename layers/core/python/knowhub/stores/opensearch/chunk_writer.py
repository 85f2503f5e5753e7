"""The writing side: bulk writes that send again what was turned away, and deletes that leave nothing behind."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from knowhub.ports.chunk_index import IndexedChunk
from knowhub.ports.chunk_rules import check_id, check_identity, check_number, check_vector, chunk_text, token_text
from knowhub.ports.chunk_values import value_terms
from knowhub.stores.opensearch import answers, schema
from knowhub.stores.opensearch.chunk_reader import Facts, encoded
from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.queries import Query, everything, in_document, in_kbs
from knowhub.stores.opensearch.wire import Busy

_MOST_BYTES = 5_000_000
"""Of one bulk request; small instances take no more than 10 MB."""

_MOST_CHUNKS = 500
_DELETES = 5_000
"""Chunks that one request takes out: more would take longer than a request may."""

_VECTOR_DIGITS = 7
"""About what single precision tells apart below 1."""


@dataclass(frozen=True, slots=True)
class _Item:
    chunk_id: str
    lines: bytes


class ChunkWriter:
    """Writes to one index; not for two threads at a time."""

    def __init__(self, engine: Engine, name: str, writes: str, facts: Callable[[], Facts]) -> None:
        """Keep where: `writes` is the alias that bulk writes go to, which no engine makes by itself."""
        self._engine = engine
        self._name = name
        self._writes = writes
        self._facts = facts
        self._unrefreshed = False

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Check every chunk, then write them all."""
        # Of two with one id the later one stays, also where the earlier is turned away and sent again.
        items = {item.chunk_id: item for item in [self._item(indexed) for indexed in chunks]}
        for batch in _batches(list(items.values())):
            self._unrefreshed = True
            self._send(batch)

    def refresh(self) -> None:
        """Make everything that was written findable, on every copy of every shard.

        An explicit refresh and not `refresh=wait_for` on the last write: it holds for every earlier write and delete,
        whichever shard they went to, and does not wait for the index's own interval.
        """
        if self._unrefreshed:
            self._engine.asked("POST", f"/{self._name}/_refresh", None, whole=answers.refreshed, patient=True)
            self._unrefreshed = False

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Delete one revision's chunks."""
        check_id(doc_id)
        check_number(revision)
        self._delete(in_document(doc_id, revision))

    def delete_document(self, doc_id: str) -> None:
        """Delete a document's chunks."""
        check_id(doc_id)
        self._delete(in_document(doc_id))

    def delete_kb(self, kb_id: int) -> None:
        """Delete a KB's chunks."""
        check_number(kb_id)
        self._delete(everything([in_kbs([kb_id])]))

    def _item(self, indexed: IndexedChunk) -> _Item:
        chunk = indexed.chunk
        check_identity(chunk)
        if indexed.vector is not None:
            check_vector(indexed.vector, self._facts().dimension)
        document: dict[str, Any] = {
            schema.CHUNK_ID: chunk.chunk_id,
            schema.DOC_ID: chunk.doc_id,
            schema.KB_ID: str(chunk.kb_id),
            schema.REVISION: chunk.revision,
            schema.TERMS: token_text(indexed.terms),
            schema.SEQUENCE: token_text(indexed.sequence),
            schema.VALUES: value_terms(indexed.values),
            # JSON within JSON; half a surrogate pair, which the engine does not take, is spelt as an escape there.
            schema.CHUNK: chunk_text(chunk).encode("utf-8", "backslashreplace").decode(),
        }
        if indexed.vector is not None:
            document[schema.VECTOR] = [round(float(value), _VECTOR_DIGITS) for value in indexed.vector]
        action = {"index": {"_id": chunk.chunk_id}}
        return _Item(chunk.chunk_id, encoded(action) + b"\n" + encoded(document) + b"\n")

    def _send(self, batch: Sequence[_Item]) -> None:
        left = list(batch)

        def whole(answer: Any) -> None:
            again = answers.left_to_write(answer, len(left))
            left[:] = [left[place] for place in again]
            if left:
                raise Busy("some chunks were turned away")

        # The body is built anew for each attempt: what was taken is not sent again.
        self._engine.asked(
            "POST", f"/{self._writes}/_bulk", lambda: b"".join(item.lines for item in left),
            {"require_alias": "true"}, whole=whole, patient=True,
        )  # fmt: skip

    def _delete(self, query: Query) -> None:
        """Take out everything that a query finds, round by round until a round leaves nothing.

        A delete by query works on what is findable: earlier writes of this process are made so first. Chunks that are
        written anew in that moment are conflicts, which the next round finds again.
        """
        self.refresh()
        self._unrefreshed = True
        params = {"conflicts": "proceed", "refresh": "true", "max_docs": str(_DELETES)}
        body = encoded({"query": query})
        more = True
        while more:
            more = self._engine.asked(
                "POST", f"/{self._name}/_delete_by_query", body, params, whole=_round, patient=True
            )


def _round(answer: Any) -> bool:
    """Tell whether another round is needed; one that took nothing out for conflicts alone waits a moment first."""
    deleted = answers.deletion(answer, _DELETES)
    if deleted.more and not deleted.some:
        raise Busy("nothing could be deleted")
    return deleted.more


def _batches(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    batch: list[_Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) == _MOST_CHUNKS or size + len(item.lines) > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.lines)
    if batch:
        yield batch
