"""Rows of embeddings that are kept, so that a text is embedded once: by KB, model and the text's hash.

A KB has its own, so that neither an answer nor its time tells what another KB holds; they go with the documents whose
texts they stand for.
"""

import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence

from knowhub.catalog import keys
from knowhub.catalog.rows import SCHEMA_VERSION
from knowhub.ports.table import MAX_TRANSACTION, Delete, Key, Operation, Put, Query, Table

_PAGE = 500


class VectorRows:
    """Kept embeddings over the table port, in half precision."""

    def __init__(self, table: Table) -> None:
        """Keep the table."""
        self._table = table

    def get(self, kb_id: int, model: str, digests: Iterable[str]) -> dict[str, Sequence[float]]:
        """Read the vectors that are kept, by the hash of their text."""
        wanted = {_key(kb_id, model, digest): digest for digest in digests}
        rows = self._table.get_many(list(wanted))
        return {wanted[key]: _unpacked(str(item["vector"])) for key, item in rows.items()}

    def put(self, kb_id: int, model: str, vectors: Mapping[str, Sequence[float]], expires_at: int) -> None:
        """Keep vectors by the hash of their text, until they are forgotten or expire."""
        self._apply(
            Put(
                {
                    **_key(kb_id, model, digest)._asdict(),
                    "schema_version": SCHEMA_VERSION,
                    "vector": _packed(vector),
                    "expires_at": expires_at,
                }
            )
            for digest, vector in vectors.items()
        )

    def forget(self, kb_id: int, model: str, digests: Iterable[str]) -> None:
        """Remove the vectors of these texts; absent ones are no error."""
        self._apply(Delete(_key(kb_id, model, digest)) for digest in digests)

    def forget_kb(self, kb_id: int) -> None:
        """Remove every vector of a KB, of every model."""
        for shard in range(keys.VECTOR_SHARDS):
            while items := self._table.query(Query(keys.vectors(kb_id, shard), limit=_PAGE)).items:
                self._apply(Delete(Key(str(item["pk"]), str(item["sk"]))) for item in items)

    def _apply(self, operations: Iterable[Put | Delete]) -> None:
        # One transaction is one write to disk for many rows; that they go together does not matter.
        distinct: list[Operation] = list({_place(operation): operation for operation in operations}.values())
        for start in range(0, len(distinct), MAX_TRANSACTION):
            self._table.transact(distinct[start : start + MAX_TRANSACTION])


def _key(kb_id: int, model: str, digest: str) -> Key:
    return Key(keys.vectors(kb_id, int(digest[:2], 16) % keys.VECTOR_SHARDS), f"{digest}#{model}")


def _place(operation: Put | Delete) -> Key:
    if isinstance(operation, Delete):
        return operation.key
    return Key(str(operation.item["pk"]), str(operation.item["sk"]))


def _packed(vector: Sequence[float]) -> str:
    return b64encode(struct.pack(f"<{len(vector)}e", *vector)).decode()


def _unpacked(text: str) -> Sequence[float]:
    data = b64decode(text)
    return struct.unpack(f"<{len(data) // 2}e", data)
