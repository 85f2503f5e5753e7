"""One committed state of the text index, as everything that reads sees it."""

from collections.abc import Sequence
from typing import TypeAlias, cast

import tantivy

from knowhub.stores.tantivy.failures import damaged, engine_failures

Hit: TypeAlias = tuple[float, tantivy.DocAddress]
"""A score and where the chunk is within this snapshot."""


class Snapshot:
    """A searcher that stays on its state while others commit; engine failures come out translated."""

    def __init__(self, index: tantivy.Index) -> None:
        """Take the newest committed state."""
        with engine_failures("be read"):
            index.reload()
            self._searcher = index.searcher()
        self.schema: tantivy.Schema = index.schema

    @property
    def size(self) -> int:
        """The number of chunks."""
        return self._searcher.num_docs

    def top(self, query: tantivy.Query, limit: int) -> list[Hit]:
        """Find the best hits, best first; the engine pays for `limit`, not for what it finds."""
        bounded = max(1, min(limit, self.size))
        with engine_failures("be searched"):
            hits: list[Hit] = self._searcher.search(query, bounded, count=False).hits
        return hits

    def first(self, query: tantivy.Query, limit: int, field: str) -> list[Hit]:
        """Find the first that match, in the order of a text field, each with the score 1."""
        bounded = max(1, min(limit, self.size))
        with engine_failures("be searched"):
            found = self._searcher.search(query, bounded, count=False, order_by_field=field, order=tantivy.Order.Asc)
        return [(1.0, address) for _, address in found.hits]

    def count(self, query: tantivy.Query) -> int:
        """Count what matches."""
        with engine_failures("be searched"):
            # The engine's type stub does not know the member.
            found: int = self._searcher.search(query, 1, count=True).count  # type: ignore[attr-defined]
        return found

    def frequency(self, field: str, value: int) -> int:
        """Count the chunks with this value, and deleted ones that are not merged away yet; needs no search."""
        with engine_failures("be searched"):
            return self._searcher.doc_freq(field, value)

    def numbers(self, field: str, hits: Sequence[Hit]) -> list[int]:
        """Read an integer field of each hit without its stored part."""
        with engine_failures("be read"):
            values = self._searcher.fast_field_values(field, [address for _, address in hits])
        if None in values:
            raise damaged(f"{field} is missing")
        return cast("list[int]", values)

    def stored(self, hits: Sequence[Hit]) -> list[tantivy.Document]:
        """Read the stored part of each hit."""
        with engine_failures("be read"):
            return [self._searcher.doc(address) for _, address in hits]


def stored_text(document: tantivy.Document, field: str) -> str:
    """Take a stored text out of a document."""
    value = document.get_first(field)
    if not isinstance(value, str):
        raise damaged(f"{field} is missing")
    return value


def stored_bytes(document: tantivy.Document, field: str) -> bytes:
    """Take stored bytes out of a document."""
    value = document.get_first(field)
    if not isinstance(value, bytes):
        raise damaged(f"{field} is missing")
    return value
