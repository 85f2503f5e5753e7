"""`knowhub eval`: how well the search finds what a collection's judges call relevant."""

from pathlib import Path
from typing import Any

import click

from knowhub_cli.models import OPTIONS
from knowhub_cli.output import Output

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(name="eval")
@click.option(
    "--dataset",
    "folder",
    required=True,
    type=FOLDER,
    help="A folder as BEIR has it: corpus.jsonl, queries.jsonl, qrels/*.tsv.",
)
@click.option("--split", help="Take the judgements of qrels/SPLIT.tsv alone, not those of every file.")
@click.option(
    "--modes", help="Which modes: keyword, exact, dense, hybrid, with commas between. Default: all that there are."
)
@click.option(
    "--store",
    default="embedded",
    show_default=True,
    help="Where to index: embedded, or the URL of an OpenSearch. It gets an index of its own, which is removed again.",
)
@click.option(
    "--embedder",
    default="offline",
    show_default=True,
    envvar=OPTIONS["embedder"],
    help="What turns texts into vectors: offline, none, or openai:URL?model=NAME.",
)
@click.option(
    "--embedder-weight",
    default="",
    envvar=OPTIONS["embedder_weight"],
    help="How much vectors count beside words, whose weight is 1. Default: the embedder's own.",
)
@click.option(
    "--embedder-key",
    default="",
    envvar=OPTIONS["embedder_key"],
    help="Where the embedder's key lies: file:PATH or env:NAME.",
)
@click.option("--vectors", type=FOLDER, help="Keep vectors in this folder, so that the next run need not make them.")
@click.option("--language", help="The knowledge base's language, such as en or zh. Default: that of most documents.")
@click.option("--limit-queries", type=click.IntRange(1), help="Ask the first ones only.")
@click.option("--save", type=FILE, help="Write the figures of every query to this file.")
@click.option("--compare", type=FILE, help="Compare with the figures in this file, query by query.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def evaluate(*, as_json: bool, **options: Any) -> None:
    """Index a collection in a store of its own, ask its queries, and say how good the answers are.

    nDCG@10, recall@100, MRR@10 and hit@1 count documents; a document stands where its best passage does.
    """
    # The hub's own package, which other commands do without.
    from knowhub_cli.evaluation.command import Choice, carry_out  # noqa: PLC0415 - see above

    carry_out(Choice(**options), Output.standard(as_json=as_json))
