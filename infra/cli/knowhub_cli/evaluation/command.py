"""What `knowhub eval` does: read, index, ask, compare, print."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click
from rich.progress import Progress

from knowhub.adapters import ports
from knowhub.errors import KnowhubError
from knowhub.model.query import Mode
from knowhub.ports.embedder import Embedder
from knowhub.retrieval.legs import MODES
from knowhub.settings import Settings
from knowhub_cli.evaluation import runs
from knowhub_cli.evaluation.comparing import Change, Comparison, Incomparable, compare
from knowhub_cli.evaluation.dataset import BadDataset, Dataset, load
from knowhub_cli.evaluation.kept_vectors import KeptVectors
from knowhub_cli.evaluation.library import Library, language_of
from knowhub_cli.evaluation.places import NoPlace, passing_index
from knowhub_cli.failures import Failed
from knowhub_cli.models import models_environment
from knowhub_cli.output import Output

SHOWN = 5
"""Gains and losses that a comparison lists for each mode."""

_ORDER: tuple[Mode, ...] = ("keyword", "exact", "dense", "hybrid")
_WITH_VECTORS = frozenset({"dense", "hybrid"})
_UNUSED = ("KNOWHUB_TABLE", "KNOWHUB_BUCKET", "KNOWHUB_DOCUMENT_QUEUE", "KNOWHUB_CHUNK_INDEX")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The command's options."""

    folder: Path
    split: str | None = None
    modes: str | None = None
    store: str = "embedded"
    embedder: str = "none"
    embedder_weight: str = ""
    embedder_key: str = ""
    vectors: Path | None = None
    language: str | None = None
    limit_queries: int | None = None
    save: Path | None = None
    compare: Path | None = None


def carry_out(choice: Choice, output: Output) -> None:
    """Do what was asked for; raises `Failed` or `click.UsageError` with a line for who asked."""
    modes = _modes(choice)
    try:
        earlier = None if choice.compare is None else runs.restore(choice.compare)
        dataset = load(choice.folder, choice.split).limited(choice.limit_queries)
        run = _run(dataset, modes, choice, output)
        comparisons = [] if earlier is None else compare(earlier, run)
    except (BadDataset, runs.BadRun, Incomparable) as error:
        raise Failed(str(error)) from None
    except NoPlace as error:
        raise click.UsageError(f"--store: {error}") from None
    except KnowhubError as error:
        raise Failed(error.message) from error
    if choice.save is not None:
        runs.save(run, choice.save)
    _print(run, comparisons, output)


def _modes(choice: Choice) -> tuple[Mode, ...]:
    """Read the modes; without a choice all that can be run."""
    if choice.modes is None:
        return tuple(mode for mode in _ORDER if mode != "dense" or choice.embedder != "none")
    modes = list(dict.fromkeys(part.strip() for part in choice.modes.split(",")))
    for mode in modes:
        if mode not in MODES:
            raise click.UsageError(f"--modes: there is no mode {mode!r}; there are {', '.join(_ORDER)}")
    if "dense" in modes and choice.embedder == "none":
        raise click.UsageError("--modes: dense needs vectors; name what makes them with --embedder")
    return cast("tuple[Mode, ...]", tuple(modes))


def _run(dataset: Dataset, modes: Sequence[Mode], choice: Choice, output: Output) -> runs.Run:
    language = language_of(dataset.documents) if choice.language is None else choice.language
    with _embedder(choice, modes) as embedder, passing_index(choice.store, embedder) as index:
        library = Library(index, embedder, language)
        with Progress(console=output.remarks, transient=True, disable=not output.remarks.is_terminal) as progress:
            filling = progress.add_task("documents", total=len(dataset.documents))
            for done in library.fill(dataset.documents):
                progress.update(filling, completed=done)
            asking = progress.add_task("queries", total=len(dataset.queries))
            run = runs.evaluate(library, dataset, modes, lambda: progress.advance(asking))
    shelf = library.shelf
    output.note(f"{len(shelf.heads)} documents in {shelf.chunks} chunks, language: {language or 'not known'}")
    if shelf.empty:
        output.note(f"{len(shelf.empty)} documents without text are not indexed, such as {shelf.empty[0]}")
    return run


@contextmanager
def _embedder(choice: Choice, modes: Sequence[Mode]) -> Iterator[Embedder | None]:
    """Build the embedder, where one is chosen and a mode has use for it."""
    if choice.embedder == "none" or _WITH_VECTORS.isdisjoint(modes):
        yield None
        return
    chosen = {
        "embedder": choice.embedder,
        "embedder_weight": choice.embedder_weight,
        "embedder_key": choice.embedder_key,
    }
    environment = models_environment(chosen, os.environ)
    embedder = ports(Settings.load({**dict.fromkeys(_UNUSED, "unused"), **environment})).embedder
    if embedder is None or choice.vectors is None:
        yield embedder
        return
    kept = KeptVectors(embedder, choice.vectors)
    try:
        yield kept
    finally:
        kept.close()


def _print(run: runs.Run, comparisons: Sequence[Comparison], output: Output) -> None:
    summary = run.summary()
    if output.as_json:
        output.json(summary | {"comparison": [_members(one) for one in comparisons]} if comparisons else summary)
        return
    columns = ("mode", *runs.FIGURES, "queries")
    output.table(columns, [[_shown(mode[column]) for column in columns] for mode in summary["modes"]])
    for one in comparisons:
        _print_comparison(one, output)


def _shown(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _print_comparison(one: Comparison, output: Output) -> None:
    """Print how a mode's nDCG@10 changed, then the queries that gained and lost most."""
    counts = f"{len(one.better)} better, {len(one.worse)} worse, {one.unchanged} unchanged"
    output.text("")
    output.text(f"{one.mode}: {runs.NDCG} {one.mean:+.4f} ({counts}; sign test p = {one.chance:.3f})", style="bold")
    for change in (*one.better[:SHOWN], *one.worse[:SHOWN]):
        output.text(f"  {change.difference:+.4f}  {change.before:.4f} -> {change.after:.4f}  {change.query}")


def _members(one: Comparison) -> dict[str, Any]:
    return {
        "mode": one.mode,
        "mean": round(one.mean, 4),
        "better": len(one.better),
        "worse": len(one.worse),
        "unchanged": one.unchanged,
        "p": round(one.chance, 4),
        "queries": [_change(change) for change in (*one.better, *one.worse)],
    }


def _change(change: Change) -> dict[str, Any]:
    return {"query": change.query, "before": round(change.before, 4), "after": round(change.after, 4)}
