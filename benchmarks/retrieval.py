"""How good the search is, on every collection of a folder, in every mode and on both homes of the chunk index.

Run by `make bench-retrieval DATA=DIR`. Each folder in DIR is a collection as BEIR lays it out. Collections of
which reference figures are known are printed beside them, with the bars that the hub is held to.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.retrieval_parts.references import KNOWN, SLACK, Known
from benchmarks.retrieval_parts.remembered import Remembered
from knowhub.embedders.offline import OfflineEmbedder
from knowhub.model.query import Mode
from knowhub.ports.embedder import Embedder, EmbedderProfile
from knowhub_cli.evaluation.dataset import Dataset, load
from knowhub_cli.evaluation.kept_vectors import KeptVectors
from knowhub_cli.evaluation.library import Library, language_of
from knowhub_cli.evaluation.places import EMBEDDED, passing_index
from knowhub_cli.evaluation.runs import FIGURES, HIT, NDCG, Run, evaluate

MODES: tuple[Mode, ...] = ("keyword", "exact", "dense", "hybrid")
WEIGHTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3)
LEGEND = """\
Documents count: one stands where its best passage does. nDCG has the grade as gain and log2(rank + 1) as discount, as
trec_eval and BEIR have it. `reference` is nDCG@10 of a plain BM25 (k1 1.2, b .75) on the same split."""


@dataclass(frozen=True)
class Weighted:
    """An embedder that counts for another share."""

    embedder: Embedder
    weight: float

    @property
    def profile(self) -> EmbedderProfile:
        """Give the model's with the other weight."""
        return replace(self.embedder.profile, weight=self.weight)

    def embed_documents(self, texts: Sequence[str]) -> list[Sequence[float] | None]:
        """Embed as the model does."""
        return self.embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Sequence[float] | None:
        """Embed as the model does."""
        return self.embedder.embed_query(text)


def main() -> None:
    """Measure every collection, on every store, and print a table a collection."""
    options = _options()
    folders = sorted(path.parent for path in options.data.glob("*/corpus.jsonl"))
    chosen = [folder for folder in folders if not options.only or folder.name in options.only.split(",")]
    if not chosen:
        sys.exit(f"{options.data} has no folder with a corpus.jsonl" + (f" among {options.only}" if folders else ""))
    print(LEGEND)
    kept: dict[str, dict[float, Run]] = {}
    with closing(KeptVectors(OfflineEmbedder(), options.vectors)) as embedder, _stores(options.opensearch) as stores:
        for folder in chosen:
            dataset = load(folder).limited(options.limit_queries)
            kept[dataset.name] = collection(dataset, stores, embedder, swept=options.sweep)
    if options.sweep:
        weights(kept)


def collection(dataset: Dataset, stores: Mapping[str, str], embedder: Embedder, *, swept: bool) -> dict[float, Run]:
    """Print a collection's figures on each store; give the runs of its sweep, which is made on the first of them."""
    language, known = language_of(dataset.documents), KNOWN.get(dataset.name, Known())
    print(f"\n{dataset.name}: {len(dataset.documents)} documents, {len(dataset.queries)} queries, language {language}")
    print(f"{'store':<12}{'mode':<9}" + "".join(f"{name:>12}" for name in FIGURES) + f"{'reference':>11}{'s':>7}  bars")
    sweep: dict[float, Run] = {}
    for name, place in stores.items():
        with passing_index(place, embedder) as index:
            library = Library(index, embedder, language)
            for _ in library.fill(dataset.documents):
                pass
            rows(name, library, dataset, known)
            if swept and not sweep:
                sweep = _swept(Remembered(index), library, embedder, dataset)
    return sweep


def rows(store: str, library: Library, dataset: Dataset, known: Known) -> None:
    """Print a row a mode."""
    keyword = 0.0
    for mode in MODES:
        began = time.perf_counter()
        (figures,) = evaluate(library, dataset, [mode], lambda: None).summary()["modes"]
        keyword = figures[NDCG] if mode == "keyword" else keyword
        bars = ", ".join(known.verdicts(mode, figures, keyword))
        reference = f"{known.reference:.3f}" if mode == "keyword" and known.reference else "-"
        shown = "".join(f"{figures[name]:>12.4f}" for name in FIGURES)
        print(f"{store:<12}{mode:<9}{shown}{reference:>11}{time.perf_counter() - began:>7.0f}  {bars}", flush=True)


def weights(kept: Mapping[str, Mapping[float, Run]]) -> None:
    """Print keyword's nDCG@10 and hybrid's for each weight of the dense leg, and the largest that costs nothing."""
    print(f"\nhybrid {NDCG} (and {HIT}) by the dense leg's weight in the collection's own language")
    print(f"{'collection':<12}{'keyword':>9}" + "".join(f"{weight:>15.2f}" for weight in WEIGHTS))
    good = set(WEIGHTS)
    for name, runs in kept.items():
        figures = {weight: {one["mode"]: one for one in run.summary()["modes"]} for weight, run in runs.items()}
        keyword = figures[WEIGHTS[0]]["keyword"][NDCG]
        hybrid = {weight: one["hybrid"] for weight, one in figures.items()}
        good -= {weight for weight, one in hybrid.items() if one[NDCG] < keyword - SLACK}
        cells = "".join(f"{one[NDCG]:>8.4f} ({one[HIT]:.2f})" for one in hybrid.values())
        print(f"{name:<12}{keyword:>9.4f}{cells}")
    best = f"{max(good):.2f}" if good else "none of them"
    print(f"largest weight with hybrid at or above keyword - {SLACK} on every collection: {best}")


def _swept(index: Remembered, library: Library, embedder: Embedder, dataset: Dataset) -> dict[float, Run]:
    """Run the kernel with each weight; keyword, which has none, once."""
    runs = {}
    for weight in WEIGHTS:
        again = Library(index, Weighted(embedder, weight), library.language, library.shelf)  # type: ignore[arg-type]  # it only reads
        modes: list[Mode] = ["keyword", "hybrid"] if weight == WEIGHTS[0] else ["hybrid"]
        runs[weight] = evaluate(again, dataset, modes, lambda: None)
    return runs


@contextmanager
def _stores(opensearch: str) -> Iterator[dict[str, str]]:
    """Name the stores: the embedded one, and the engine at a URL or one that is started for this."""
    if not opensearch:
        yield {"embedded": EMBEDDED}
        return
    if opensearch != "node":
        yield {"embedded": EMBEDDED, "opensearch": opensearch}
        return
    # Its parts are gathered with Maven once, which nobody needs who does not ask for it.
    from tests.opensearch.node import node  # noqa: PLC0415 - see above

    with node() as running:
        yield {"embedded": EMBEDDED, "opensearch": running.url}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that holds the collections' folders")
    parser.add_argument("--only", default="", help="of the collections only these, with commas between")
    parser.add_argument("--opensearch", default="", help="an engine's URL, or `node` to start one for this run")
    parser.add_argument("--sweep", action="store_true", help="also try weights of the offline embedder's dense leg")
    parser.add_argument("--limit-queries", type=int, help="ask the first ones only")
    parser.add_argument(
        "--vectors",
        type=Path,
        default=Path(tempfile.gettempdir(), "knowhub-bench-vectors"),
        help="where embeddings are kept for the next run",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
