"""A collection in an index of its own, searched by the hub's kernel as a knowledge base is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from knowhub.errors import Unreadable
from knowhub.model.document import DocumentHead, ReadingOptions, Submission
from knowhub.model.file_names import file_name
from knowhub.model.knowledge_base import Chunking, KnowledgeBase
from knowhub.model.query import Mode, SearchRequest
from knowhub.ports.chunk_index import ChunkIndex, IndexedChunk
from knowhub.ports.embedder import Embedder
from knowhub.retrieval.gate import Gate
from knowhub.retrieval.legs import Serving
from knowhub.retrieval.scripts import language_of_text
from knowhub.retrieval.search import Kernel
from knowhub.services.acceptance import accepted
from knowhub.services.embeddings import embedding_text
from knowhub.services.reading import Reading
from knowhub_cli.evaluation.dataset import Article

_KB = 1
_THEN = "2026-01-01T00:00:00Z"
_AT_ONCE = 256
"""Documents that are read, embedded and written together."""


@dataclass(slots=True)
class Shelf:
    """What has been written: each document's head by its id in the index, its own id, and sums."""

    heads: dict[str, DocumentHead] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    chunks: int = 0
    empty: list[str] = field(default_factory=list)


class Library:
    """A knowledge base of one collection; every document of it is visible."""

    def __init__(self, index: ChunkIndex, embedder: Embedder | None, language: str, shelf: Shelf | None = None) -> None:
        """Keep the collaborators; `language` is the KB's, empty where it is not known.

        With the `shelf` of another library its index is searched in another way: nothing is to be filled.
        """
        self._index = index
        self._embedder = embedder
        self.language = language
        self.shelf = shelf or Shelf()
        self._kernel = Kernel(lambda: Serving(index, embedder))
        self._gate = Gate(self._heads, lambda kb_ids: kb_ids)

    def fill(self, documents: Mapping[str, Article]) -> Iterator[int]:
        """Write every document as the hub would, and say after each batch how many are done."""
        kb = KnowledgeBase(
            _KB, "evaluation", "", "private", "nobody", "nobody", self.language, Chunking(), 1, _THEN, _THEN
        )
        remaining, reading, done = iter(documents.items()), Reading(), 0
        while batch := list(islice(remaining, _AT_ONCE)):
            entries: list[IndexedChunk] = []
            for number, (name, article) in enumerate(batch, start=done):
                entries += self._read(reading, kb, f"d{number:09}", name, article)
            self._index.write(self._with_vectors(entries))
            self.shelf.chunks += len(entries)
            done += len(batch)
            yield done
        self._index.refresh()

    def ranking(self, query: str, mode: Mode, top_k: int) -> tuple[list[str], bool]:
        """Rank documents by their best chunk among the `top_k` best ones; also tell whether that were all there are."""
        result = self._kernel.search(SearchRequest(query, mode=mode, top_k=top_k), {_KB: self.language}, self._gate)
        found = dict.fromkeys(self.shelf.names[hit.chunk.doc_id] for hit in result.hits)
        return list(found), len(result.hits) < top_k

    def _read(
        self, reading: Reading, kb: KnowledgeBase, doc_id: str, name: str, article: Article
    ) -> Sequence[IndexedChunk]:
        submission = Submission(
            title=article.title or None,
            name=file_name(article.title) or "document",
            content_type="text/plain",
            data=article.text.encode(),
            options=ReadingOptions(reader="text"),
        )
        head, detail = accepted(kb, doc_id, None, submission, fingerprint="", now=_THEN)
        try:
            outcome = reading.read(submission.data, head, detail, kb)
        except Unreadable:
            self.shelf.empty.append(name)
            return ()
        self.shelf.heads[doc_id] = replace(head, status="ready", visible_revision=1, pending_revision=0)
        self.shelf.names[doc_id] = name
        return outcome.chunks

    def _with_vectors(self, entries: Sequence[IndexedChunk]) -> Sequence[IndexedChunk]:
        if self._embedder is None:
            return entries
        vectors = self._embedder.embed_documents([embedding_text(entry.chunk) for entry in entries])
        return [replace(entry, vector=vector) for entry, vector in zip(entries, vectors, strict=True)]

    def _heads(self, doc_ids: Sequence[str]) -> Mapping[str, DocumentHead]:
        return {doc_id: self.shelf.heads[doc_id] for doc_id in doc_ids if doc_id in self.shelf.heads}


def language_of(documents: Mapping[str, Article]) -> str:
    """Name the language of most of the documents whose language can be told; empty where there are none."""
    told = Counter(language_of_text(f"{one.title}\n{one.text}") for one in documents.values())
    del told[None]
    return max(sorted(filter(None, told)), key=lambda language: told[language], default="")
