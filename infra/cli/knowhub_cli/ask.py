"""`knowhub ask`: an answer as it is written, then what it rests on."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from knowhub_cli.client import Hub
from knowhub_cli.events import Event
from knowhub_cli.failures import Failed, refusal
from knowhub_cli.output import Output, one_line
from knowhub_cli.places import place
from knowhub_cli.session import existing_kb, with_hub

ENDINGS = {
    "no_evidence": "no passage answers this",
    "length": "the answer was cut off at its limit",
    "error": "the answer broke off",
}


@click.command()
@click.argument("question")
@click.option("--kb", help="Name or id of the knowledge base; without it all that the key can read.")
@with_hub
def ask(hub: Hub, output: Output, question: str, kb: str | None) -> None:
    """Ask a question; the answer quotes its sources by number. With --json: one event a line."""
    route = "/ask" if kb is None else f"/kb/{existing_kb(hub, kb)}/ask"
    incoming = hub.stream(route, {"question": question, "stream": True})
    if output.as_json:
        for name, data in _checked(hub, incoming):
            output.json({"event": name, **data})
        return
    _show(output, _checked(hub, incoming))


def _checked(hub: Hub, incoming: Iterable[Event]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give the events up to `done`; raises `Refused` for an error event and `Failed` where the stream just ends."""
    for event in incoming:
        data = _object(event)
        if event.name == "error":
            raise refusal(200, data, hub.url)
        yield event.name, data
        if event.name == "done":
            return
    raise Failed("The answer broke off: the connection ended before it was done.")


def _object(event: Event) -> dict[str, Any]:
    """Parse an event's data; raises `Failed` for anything but a JSON object."""
    try:
        data = json.loads(event.data)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise Failed(f"The hub sent a {event.name!r} event that is no JSON object.")
    return data


def _show(output: Output, incoming: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Print the pieces as they come, then the sources."""
    sources: Sequence[Mapping[str, Any]] = []
    ending: Mapping[str, Any] = {}
    started = False
    try:
        for name, data in incoming:
            if name == "sources":
                sources = data.get("sources") or []
            elif name == "delta":
                output.piece(str(data.get("text", "")))
                started = True
            elif name == "done":
                ending = data
    finally:
        if started:
            output.piece("\n")
    reason = str(ending.get("finish_reason"))
    _show_sources(output, [] if reason == "no_evidence" else sources)
    remark = ENDINGS.get(reason)
    if remark:
        output.note(remark)


def _show_sources(output: Output, sources: Sequence[Mapping[str, Any]]) -> None:
    """Print the numbered sources."""
    if sources:
        output.text("")
    for source in sources:
        line = Text(f"[{source['idx']}] ")
        line.append(one_line(str(source["title"])), style="bold")
        for part in (place(source.get("locator")), source.get("url")):
            if part:
                line.append(f"  {one_line(str(part))}", style="cyan")
        output.text(line)
