"""The chunk index as the use-cases see it: one that serves, written together with the one that is being built."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from knowhub.model.chunk import Chunk
from knowhub.ports.chunk_generations import ChunkGenerations, Generation
from knowhub.ports.chunk_index import ChunkIndex, IndexedChunk
from knowhub.ports.embedder import Embedder, EmbedderProfile
from knowhub.retrieval.analysis import ANALYSER_VERSION
from knowhub.retrieval.legs import Serving
from knowhub.services.embeddings import Embeddings
from knowhub.services.no_chunks import NoChunks


class Indexing:
    """Reads go to the generation that serves; every write goes to the one being built as well.

    A generation gets vectors only from the embedder that it was made for. Where the hub's embedder is another one, the
    dense leg is absent until a new generation has been built.
    """

    def __init__(
        self, generations: ChunkGenerations, embedder: Embedder | None = None, embeddings: Embeddings | None = None
    ) -> None:
        """Keep the collaborators; a process that only searches needs no `embeddings`."""
        self._generations = generations
        self._embedder = embedder
        self._embeddings = embeddings

    def serving(self) -> Serving:
        """Give what searches read; before the first chunk is written there is nothing, and a search makes nothing."""
        generation = self._generations.serving()
        if generation is None:
            return Serving(NoChunks(), self._embedder)
        return Serving(self._generations.index(generation.number), self._embedder if self._fits(generation) else None)

    def outdated(self) -> bool:
        """Tell whether the serving generation was made for another embedder or analyser than the hub's."""
        generation = self._current()
        return (generation.embedder, generation.analyser) != (self._identity, ANALYSER_VERSION)

    def living(self) -> frozenset[int]:
        """Name the generations that writes go to now; what went to fewer of them is not to be shown yet."""
        return frozenset(generation.number for generation in self._living())

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        """Add chunks of one KB, or replace them, wherever they are to be found."""
        for generation in self._living():
            self.write_to(generation, chunks)

    def write_to(self, generation: Generation, chunks: Sequence[IndexedChunk]) -> None:
        """Add chunks of one KB to one generation, with vectors where it was made for the hub's embedder."""
        index = self._generations.index(generation.number)
        if self._embeddings is None or not self._fits(generation) or not chunks:
            index.write(chunks)
            return
        vectors = self._embeddings.of(chunks[0].chunk.kb_id, [one.chunk for one in chunks])
        index.write([replace(one, vector=vector) for one, vector in zip(chunks, vectors, strict=True)])

    def refresh(self) -> None:
        """Make every earlier write and delete of this process durable and findable."""
        self._each(lambda index: index.refresh())

    def delete_revision(self, doc_id: str, revision: int) -> None:
        """Take one revision's chunks out of every generation."""
        self._each(lambda index: index.delete_revision(doc_id, revision))

    def delete_document(self, doc_id: str) -> None:
        """Take a document's chunks out of every generation."""
        self._each(lambda index: index.delete_document(doc_id))

    def delete_kb(self, kb_id: int) -> None:
        """Take a KB's chunks out of every generation."""
        self._each(lambda index: index.delete_kb(kb_id))

    def forget(self, kb_id: int, chunks: Sequence[Chunk], but: Sequence[Chunk] = ()) -> None:
        """Let go of what is kept of chunks that are removed, but for texts that others still have."""
        if self._embeddings is not None:
            self._embeddings.forget(kb_id, chunks, but)

    def forget_kb(self, kb_id: int) -> None:
        """Let go of what is kept for a KB."""
        if self._embeddings is not None:
            self._embeddings.forget_kb(kb_id)

    def create_next(self) -> Generation:
        """Make the next generation for the hub's embedder; raises `Conflict` while another is being built."""
        profile = EmbedderProfile("", 0) if self._embedder is None else self._embedder.profile
        return self._generations.create(profile.identity, profile.dimension, ANALYSER_VERSION)

    def _each(self, act: Callable[[ChunkIndex], None]) -> None:
        for generation in self._living():
            act(self._generations.index(generation.number))

    def _living(self) -> Iterator[Generation]:
        yield self._current()
        building = self._generations.building()
        if building is not None:
            yield building

    def _current(self) -> Generation:
        serving = self._generations.serving()
        return serving if serving is not None else self.create_next()

    def _fits(self, generation: Generation) -> bool:
        """Tell whether a generation holds the vectors of the hub's embedder."""
        return self._embedder is not None and generation.embedder == self._embedder.profile.identity

    @property
    def _identity(self) -> str:
        """Name the hub's embedder; empty without one."""
        return "" if self._embedder is None else self._embedder.profile.identity
