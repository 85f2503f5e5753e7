"""A judged collection as rows: the chunks that the hub makes of it, and the vectors of the offline embedder."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.search_parts import rows as files
from benchmarks.search_parts.rows import Query, Row
from knowhub.embedders.offline import LENGTH, OfflineEmbedder
from knowhub.ports.chunk_index import IndexedChunk
from knowhub_cli.evaluation import metrics
from knowhub_cli.evaluation.dataset import load
from knowhub_cli.evaluation.kept_vectors import KeptVectors
from knowhub_cli.evaluation.library import Library, language_of


@dataclass(frozen=True)
class Judged:
    """What was written, and what is relevant to each query, in the queries' order."""

    name: str
    rows: int
    grades: Sequence[Mapping[str, int]]
    names: Mapping[str, str]

    def ndcg(self, found: Sequence[Sequence[str]]) -> float:
        """Judge the rows found for each query: a document stands where its best row does."""
        rankings = [list(dict.fromkeys(self.names[row.partition(":")[0]] for row in rows)) for rows in found]
        return fmean(metrics.ndcg(one, grades, 10) for one, grades in zip(rankings, self.grades, strict=True))


class _Gathering:
    """Takes what is written to an index."""

    def __init__(self) -> None:
        self.entries: list[IndexedChunk] = []

    def write(self, chunks: Sequence[IndexedChunk]) -> None:
        self.entries.extend(chunks)

    def refresh(self) -> None:
        pass


def write(folder: Path, data: Path, kept: Path) -> Judged:
    """Write a collection's rows and queries."""
    dataset, gathering = load(data), _Gathering()
    with closing(KeptVectors(OfflineEmbedder(), kept)) as embedder:
        library = Library(gathering, embedder, language_of(dataset.documents))  # type: ignore[arg-type]  # only written to
        for _ in library.fill(dataset.documents):
            pass
        nowhere = [0.0] * LENGTH
        rows = [_row(entry) for entry in gathering.entries]
        vectors = [entry.vector or nowhere for entry in gathering.entries]
        asked = [Query(text, "") for text in dataset.queries.values()]
        files.write(folder, rows, vectors, asked, [embedder.embed_query(query.text) or nowhere for query in asked])
    return Judged(dataset.name, len(rows), [dataset.judgements[name] for name in dataset.queries], library.shelf.names)


def _row(entry: IndexedChunk) -> Row:
    chunk = entry.chunk
    return Row(chunk.chunk_id, chunk.kb_id, chunk.doc_id, "", chunk.title, chunk.text)
