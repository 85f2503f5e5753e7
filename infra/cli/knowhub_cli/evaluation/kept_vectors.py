"""Embeddings kept in a folder, so that the next run over the same texts does not make them again."""

import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path

from knowhub.ports.embedder import Embedder, EmbedderProfile

Vector = Sequence[float]


class KeptVectors:
    """An embedder that keeps what another one gives, a file for each model; queries are kept too."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        """Open the model's file, made where it is absent."""
        self._embedder = embedder
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(embedder.profile.identity.encode()).hexdigest()[:16]
        self._file = sqlite3.connect(folder / f"{name}.sqlite3", isolation_level=None)
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    @property
    def profile(self) -> EmbedderProfile:
        """Give the model's own."""
        return self._embedder.profile

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed the texts that are new."""
        digests = [_digest("document", text) for text in texts]
        known = {digest: row[0] for digest in digests if (row := self._row(digest)) is not None}
        new = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        if new:
            made = dict(zip(new, self._embedder.embed_documents(list(new.values())), strict=True))
            known |= self._keep(made)
        return [_vector(known[digest]) for digest in digests]

    def embed_query(self, text: str) -> Vector | None:
        """Embed a query, unless it is known."""
        digest = _digest("query", text)
        row = self._row(digest)
        if row is None:
            row = (self._keep({digest: self._embedder.embed_query(text)})[digest],)
        return _vector(row[0])

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _row(self, digest: bytes) -> tuple[bytes | None] | None:
        found: tuple[bytes | None] | None = self._file.execute(
            "SELECT vector FROM vectors WHERE digest = ?", (digest,)
        ).fetchone()
        return found

    def _keep(self, made: dict[bytes, Vector | None]) -> dict[bytes, bytes | None]:
        rows = {digest: None if vector is None else array("d", vector).tobytes() for digest, vector in made.items()}
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", list(rows.items()))
        self._file.execute("COMMIT")
        return rows


def _digest(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "surrogatepass")).digest()


def _vector(row: bytes | None) -> Vector | None:
    return None if row is None else array("d", row).tolist()
