"""The chunks and the text of a revision as derived blobs: what lists and previews read, whatever the engine holds."""

from collections.abc import Sequence

from knowhub.errors import NotFound
from knowhub.model.chunk import Chunk
from knowhub.model.chunk_json import decode_chunk, encode_chunk
from knowhub.ports.blobs import Blobs


def derived_prefix(kb_id: int, doc_id: str, revision: int | None = None) -> str:
    """Name the folder of a document's derived files, or of one revision's."""
    return f"derived/{kb_id}/{doc_id}/" + ("" if revision is None else f"{revision}/")


class ChunkFiles:
    """Derived files over the blobs port."""

    def __init__(self, blobs: Blobs) -> None:
        """Keep the blobs."""
        self._blobs = blobs

    def write(self, kb_id: int, doc_id: str, revision: int, text: str, chunks: Sequence[Chunk]) -> None:
        """Keep the extracted text and the chunks, one JSON object a line."""
        prefix = derived_prefix(kb_id, doc_id, revision)
        lines = "".join(f"{encode_chunk(chunk)}\n" for chunk in chunks)
        self._blobs.put(f"{prefix}text.txt", text.encode(), content_type="text/plain; charset=utf-8")
        self._blobs.put(f"{prefix}chunks.jsonl", lines.encode(), content_type="application/x-ndjson")

    def read(self, kb_id: int, doc_id: str, revision: int) -> list[Chunk]:
        """Read the chunks in order; raises `NotFound` where the revision's files are gone."""
        data = self._blobs.get(f"{derived_prefix(kb_id, doc_id, revision)}chunks.jsonl")
        # Only "\n" ends a record: a text may hold other line ends, such as U+2028, unescaped.
        return [decode_chunk(line) for line in data.decode().split("\n") if line]

    def read_if_there(self, kb_id: int, doc_id: str, revision: int) -> list[Chunk]:
        """Read the chunks in order; none where the revision's files are gone or were never written."""
        try:
            return self.read(kb_id, doc_id, revision)
        except NotFound:
            return []

    def read_text(self, kb_id: int, doc_id: str, revision: int) -> str:
        """Read the extracted text; raises `NotFound` where the revision's files are gone."""
        return self._blobs.get(f"{derived_prefix(kb_id, doc_id, revision)}text.txt").decode()

    def delete(self, prefix: str) -> None:
        """Remove every blob under a prefix."""
        while True:
            page = self._blobs.list(prefix)
            self._blobs.delete(page.keys)
            if page.cursor is None:
                return
