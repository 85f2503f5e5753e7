"""`knowhub search`: passages that fit, best first."""

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from knowhub_cli.client import Hub
from knowhub_cli.output import Output, one_line
from knowhub_cli.places import place
from knowhub_cli.session import existing_kb, with_hub

MODES = ["hybrid", "keyword", "exact", "dense"]

EXCERPT = 280
"""Code points of a passage that are shown."""

LEAD = 60
"""Code points that are shown before the first match."""


@click.command()
@click.argument("query")
@click.option("--kb", help="Name or id of the knowledge base; without it all that the key can read.")
@click.option("--top-k", type=click.IntRange(1, 50), default=10, show_default=True, help="How many passages.")
@click.option("--mode", type=click.Choice(MODES), default="hybrid", show_default=True, help="How to search.")
@with_hub
def search(hub: Hub, output: Output, query: str, *, kb: str | None, top_k: int, mode: str) -> None:
    """Search the knowledge bases."""
    request: dict[str, object] = {"query": query, "top_k": top_k, "mode": mode}
    if kb is not None:
        request["kb_ids"] = [existing_kb(hub, kb)]
    answer = hub.post("/search", request)
    if output.as_json:
        output.json(answer)
        return
    for hit in answer["hits"]:
        _show(output, hit)
    if not answer["hits"]:
        output.note("nothing found")
    if answer.get("scope_truncated"):
        output.note("only the first knowledge bases were searched; name one with --kb")


def _show(output: Output, hit: Mapping[str, Any]) -> None:
    """Print one passage: its rank, title, place and score, then an excerpt with the matches marked."""
    where = [hit.get("header_path"), place(hit.get("locator")), hit.get("url")]
    head = Text(f"{hit['rank']}. ")
    head.append(one_line(str(hit["title"])), style="bold")
    for part in where:
        if part:
            head.append(f"  {one_line(str(part))}", style="cyan")
    head.append(f"  {float(hit['score']):.2f}", style="dim")
    output.text(head)
    output.text(_excerpt(hit))


def _excerpt(hit: Mapping[str, Any]) -> Text:
    """Cut a passage around its first match and mark the matches; offsets are code points."""
    passage = one_line(str(hit["text"]))
    spans = [(int(span["start"]), int(span["end"])) for span in hit.get("highlights") or []]
    start = max(0, spans[0][0] - LEAD) if spans and spans[0][0] > EXCERPT - LEAD else 0
    end = min(len(passage), start + EXCERPT)
    excerpt = Text("   " + ("…" if start else ""))
    offset = len(excerpt) - start
    excerpt.append(passage[start:end])
    for first, last in spans:
        if start <= first < end:
            excerpt.stylize("bold yellow", first + offset, min(last, end) + offset)
    return excerpt.append("…" if end < len(passage) else "")
