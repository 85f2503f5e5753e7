"""Reading: a revision's bytes to text, pieces and what they are found by; pure, so that a retry gives the same."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from knowhub.chunkers import registry as chunkers
from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Chunk, Piece, chunk_id
from knowhub.model.document import DocumentDetail, DocumentHead, Loss, ReadingOptions
from knowhub.model.extraction import Attachment
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.ports.chunk_index import IndexedChunk
from knowhub.readers import encoding
from knowhub.readers import registry as readers
from knowhub.readers.sniffing import sniff
from knowhub.retrieval.analysis import ANALYSER_VERSION
from knowhub.services.chunk_entries import fields_of, indexed
from knowhub.services.cutting import cut, warnings
from knowhub.transformers import registry as transformers

READERS_VERSION = 4
"""Goes up with every change of what a reader or a transformer gives for the same bytes."""

MAX_CHUNKS = 20_000
"""Chunks of one document; what is over is a loss."""

LONGEST_TITLE = 300
"""Code points of a title, whoever gives it."""

_OCTETS = "application/octet-stream"
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of reading a revision.

    `found` is the metadata that the reader found, `metadata` that with the caller's over it. `title` is the document's:
    the caller's, else the reader's, else its file name.
    """

    title: str
    text: str
    chunks: Sequence[IndexedChunk]
    losses: tuple[Loss, ...]
    metadata: Mapping[str, object]
    found: Mapping[str, object]
    attachments: Sequence[Attachment]


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
        title = detail.title or one_line(read.title or "") or detail.name
        titled = replace(head, title=title)
        fields = fields_of(head, detail, metadata, title=title, text=text)
        chunks = [
            indexed(_chunk(titled, detail, metadata, number, piece), fields.values)
            for number, piece in enumerate(pieces[:MAX_CHUNKS], start=1)
        ]
        lost = (*losses, *fields.losses)
        return Outcome(title, text, chunks, lost, metadata, read.metadata, read.attachments)

    def check(self, data: bytes, name: str, content_type: str) -> None:
        """Raise `UnsupportedMediaType` for bytes that no reader takes, from their first bytes alone."""
        readers.detect(data, name=name, content_type=content_type)

    def check_file(self, data: bytes, name: str, content_type: str) -> None:
        """Raise `UnsupportedMediaType` for a file that nobody has chosen to send and no reader takes.

        Its beginning must be text where nothing else is known of it: what a mail carries is often a key or a seal.
        """
        if readers.detect(data, name=name, content_type=content_type) == "text":
            encoding.decode(data[: encoding.SAMPLE_BYTES])

    def media_type(self, data: bytes, declared: str) -> str:
        """Name the type that the bytes tell, else the declared one if it is one."""
        told = sniff(data) or declared
        return told if _MEDIA_TYPE.fullmatch(told) else _OCTETS

    def fingerprint(self, kb: KnowledgeBase, reading: ReadingOptions) -> str:
        """Describe all that decides a document's chunks beside its content: readers, chunking, analysis, by version."""
        chunking = reading.chunking or kb.chunking
        trim, separators = chunking.trim_whitespace, chunking.separators
        options = ChunkOptions(chunking.size, chunking.overlap, trim_whitespace=trim, separators=separators)
        names = chunkers.names() if chunking.strategy is None else (chunking.strategy,)
        rules = [chunkers.fingerprint(name, options) for name in names]
        if chunking.preserve_lines is not None:
            rules.append(f"whole lines: {chunking.preserve_lines}")
        described = json.dumps(
            [READERS_VERSION, reading.reader, [dict(one) for one in reading.transformers], rules, ANALYSER_VERSION]
        )
        return hashlib.sha256(described.encode()).hexdigest()[:16]


def one_line(title: str) -> str:
    """Make a title that a document may have of what was found as one."""
    shown = "".join(char if char.isprintable() else " " for char in title[: 10 * LONGEST_TITLE])
    return " ".join(shown.split())[:LONGEST_TITLE].strip()


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
        name=detail.name,
    )
