"""Embeddings of chunks: what is embedded, and that nothing is embedded twice."""

import hashlib
from collections.abc import Iterable, Sequence

from knowhub.catalog.vectors import VectorRows
from knowhub.model.chunk import Chunk
from knowhub.ports.clock import Clock
from knowhub.ports.embedder import Embedder, EmbedderProfile

KEPT_SECONDS = 90 * 24 * 3600
"""How long an embedding is kept at the most; it goes earlier, with the last revision that has its text."""


class Embeddings:
    """Embeds chunks with the hub's one embedder, and keeps what it has embedded."""

    def __init__(self, embedder: Embedder, rows: VectorRows, clock: Clock) -> None:
        """Keep the collaborators."""
        self._embedder = embedder
        self._rows = rows
        self._clock = clock

    @property
    def profile(self) -> EmbedderProfile:
        """Say which model it is."""
        return self._embedder.profile

    def of(self, kb_id: int, chunks: Sequence[Chunk]) -> list[Sequence[float] | None]:
        """Give one vector a chunk, in order, None for a text without a direction; only new texts reach the model."""
        identity = self.profile.identity
        digests = [text_digest(chunk) for chunk in chunks]
        known: dict[str, Sequence[float] | None] = dict(self._rows.get(kb_id, identity, dict.fromkeys(digests)))
        new = {digest: chunk for digest, chunk in zip(digests, chunks, strict=True) if digest not in known}
        if new:
            vectors = self._embedder.embed_documents([embedding_text(chunk) for chunk in new.values()])
            made = dict(zip(new, vectors, strict=True))
            kept = {digest: vector for digest, vector in made.items() if vector is not None}
            self._rows.put(kb_id, identity, kept, int(self._clock.now()) + KEPT_SECONDS)
            known |= made
        return [known[digest] for digest in digests]

    def forget(self, kb_id: int, chunks: Iterable[Chunk], but: Iterable[Chunk] = ()) -> None:
        """Remove what is kept of these chunks' texts, but for texts that others still have."""
        gone = {text_digest(chunk) for chunk in chunks} - {text_digest(chunk) for chunk in but}
        self._rows.forget(kb_id, self.profile.identity, sorted(gone))

    def forget_kb(self, kb_id: int) -> None:
        """Remove everything that is kept for a KB."""
        self._rows.forget_kb(kb_id)


def embedding_text(chunk: Chunk) -> str:
    """Write a chunk as it is embedded: where it stands, then what it says."""
    return f"file: {chunk.name} | chunk: {chunk.index} | section: {chunk.header_path or ''}\n{chunk.text}"


def text_digest(chunk: Chunk) -> str:
    """Hash what a chunk says and where, but for its number: chunks that moved on in their document are not new."""
    said = "\0".join((chunk.name, chunk.header_path or "", chunk.text))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
