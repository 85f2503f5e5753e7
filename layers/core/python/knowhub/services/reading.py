"""Reading: a revision's bytes to text, pieces and what they are found by; pure, so that a retry gives the same."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowhub.chunkers import registry as chunkers
from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Chunk, Piece, chunk_id
from knowhub.model.document import DocumentDetail, DocumentHead, Loss, ReadingOptions
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.ports.chunk_index import IndexedChunk
from knowhub.readers import registry as readers
from knowhub.retrieval.analysis import ANALYSER_VERSION, analyse
from knowhub.services.cutting import cut, warnings
from knowhub.transformers import registry as transformers

READERS_VERSION = 2
"""Goes up with every change of what a reader or a transformer gives for the same bytes."""

MAX_CHUNKS = 20_000
"""Chunks of one document; what is over is a loss."""

_BREAK = "¶"
"""A token that no analysis yields: it keeps a phrase from matching across the end of a title."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of reading a revision; `metadata` is the document's own with the caller's over it."""

    text: str
    chunks: Sequence[IndexedChunk]
    losses: tuple[Loss, ...]
    metadata: Mapping[str, object]


class Reading:
    """Reads with the registered readers and chunkers."""

    def __init__(self, isolated: readers.Isolated | None = None) -> None:
        """Keep the process that reads binary and archive formats, which only who reads them has."""
        self._isolated = isolated

    def read(self, data: bytes, head: DocumentHead, detail: DocumentDetail, kb: KnowledgeBase) -> Outcome:
        """Read one revision; raises the reader's or the chunker's error where that can't be done."""
        read = readers.read(
            data,
            name=detail.name,
            content_type=detail.content_type,
            reader_name=detail.options.reader,
            isolated=self._isolated,
        )
        chunking = detail.options.chunking or kb.chunking
        text, pieces = cut(read, chunking, transformers.build(detail.options.transformers))
        losses = [*read.losses, *warnings(read, chunking)]
        if len(pieces) > MAX_CHUNKS:
            left_out = f"{len(pieces) - MAX_CHUNKS} of {len(pieces)} chunks"
            where = f"from line {pieces[MAX_CHUNKS].locator.line_start}"
            losses.append(Loss("CHUNK_LIMIT", where, left_out))
        metadata = {**read.metadata, **detail.metadata}
        chunks = [
            indexed(_chunk(head, detail, metadata, number, piece), detail.name)
            for number, piece in enumerate(pieces[:MAX_CHUNKS], start=1)
        ]
        return Outcome(text, chunks, tuple(losses), metadata)

    def check(self, data: bytes, name: str, content_type: str) -> None:
        """Raise `UnsupportedMediaType` for bytes that no reader takes, from their first bytes alone."""
        readers.detect(data, name=name, content_type=content_type)

    def fingerprint(self, kb: KnowledgeBase, reading: ReadingOptions) -> str:
        """Describe all that decides a document's chunks beside its content: readers, chunking, analysis, by version."""
        chunking = reading.chunking or kb.chunking
        options = ChunkOptions(size=chunking.size, overlap=chunking.overlap)
        names = chunkers.names() if chunking.strategy is None else (chunking.strategy,)
        rules = [chunkers.fingerprint(name, options) for name in names]
        described = json.dumps(
            [READERS_VERSION, reading.reader, [dict(one) for one in reading.transformers], rules, ANALYSER_VERSION]
        )
        return hashlib.sha256(described.encode()).hexdigest()[:16]


def indexed(chunk: Chunk, name: str) -> IndexedChunk:
    """Analyse a chunk together with its title, file name and headings, which it is found by too."""
    heads = dict.fromkeys(part for part in (chunk.title, name, chunk.header_path) if part)
    parts = [analyse(part) for part in (*heads, chunk.text)]
    terms = [term for part in parts for term in part.terms]
    sequence: list[str] = []
    for part in parts:
        sequence.extend(part.sequence)
        sequence.append(_BREAK)
    return IndexedChunk(chunk, terms, sequence)


def _chunk(head: DocumentHead, detail: DocumentDetail, metadata: dict[str, object], number: int, piece: Piece) -> Chunk:
    return Chunk(
        chunk_id=chunk_id(head.doc_id, detail.revision, number),
        doc_id=head.doc_id,
        kb_id=head.kb_id,
        revision=detail.revision,
        index=number,
        title=head.title,
        text=piece.text,
        locator=piece.locator,
        chunk_type=piece.chunk_type,
        header_path=piece.header_path,
        overlap=piece.overlap,
        url=detail.url,
        source=head.source,
        metadata=metadata,
    )
