"""How chunks and deletes become the engine's operations."""

import tantivy

from knowhub.ports.chunk_index import IndexedChunk
from knowhub.ports.chunk_rules import check_identity, token_text
from knowhub.ports.chunk_values import value_terms
from knowhub.stores.tantivy import schema
from knowhub.stores.tantivy.codec import encode_chunk
from knowhub.stores.tantivy.writer import Operation


class Entry:
    """A chunk as it is about to be written: checked, and all but its row number in place."""

    def __init__(self, indexed: IndexedChunk) -> None:
        """Build the document; raises `InvalidRequest` for what can't be indexed."""
        chunk = indexed.chunk
        check_identity(chunk)
        terms, sequence, stored = token_text(indexed.terms), token_text(indexed.sequence), encode_chunk(chunk)
        built = tantivy.Document()
        built.add_text(schema.TERMS, terms)
        built.add_text(schema.SEQUENCE, sequence)
        built.add_text(schema.CHUNK_ID, chunk.chunk_id)
        built.add_text(schema.DOC_ID, chunk.doc_id)
        built.add_text(schema.REVISION_KEY, schema.revision_key(chunk.doc_id, chunk.revision))
        built.add_integer(schema.KB_ID, chunk.kb_id)
        built.add_integer(schema.REVISION, chunk.revision)
        values = value_terms(indexed.values)
        for term in values:
            built.add_text(schema.VALUES, term)
        built.add_bytes(schema.CHUNK, stored)
        self.kb_id = chunk.kb_id
        self.vector = indexed.vector
        self._chunk_id = chunk.chunk_id
        self._document = built
        self._size = len(terms) + len(sequence) + len(stored) + sum(map(len, values))

    def replacement(self, row: int) -> Operation:
        """Add the document in the place of the one with its chunk id; one commit makes both happen."""
        self._document.add_integer(schema.ROW, row)

        def replace(writer: tantivy.IndexWriter) -> None:
            writer.delete_documents_by_term(schema.CHUNK_ID, self._chunk_id)
            writer.add_document(self._document)

        return Operation(replace, self._size)


def removal(field: str, value: str | int) -> Operation:
    """Delete every document that has the value."""

    def remove(writer: tantivy.IndexWriter) -> None:
        writer.delete_documents_by_term(field, value)

    return Operation(remove)
