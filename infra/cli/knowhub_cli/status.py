"""`knowhub status`: is the hub well, what does it hold, and what went wrong in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import click

from knowhub_cli.client import Hub
from knowhub_cli.failures import Failed
from knowhub_cli.output import Output
from knowhub_cli.session import existing_kb, with_hub

STATES = ("ready", "pending", "reading", "failed")

SHOWN = 20
"""Troubled documents that are shown of one knowledge base; --json shows all."""

LOOKED_THROUGH = 1000
"""Documents of one knowledge base up to which losses are looked for without --kb: all have to be listed for that."""

WELL = {"ok", "ready", "up", "healthy"}


@dataclass(frozen=True, slots=True)
class Report:
    """One knowledge base: itself, its documents by status, and those that something happened to."""

    kb: Mapping[str, Any]
    counts: Mapping[str, int | None]
    troubled: Sequence[Mapping[str, Any]]


@click.command()
@click.option("--kb", help="Name or id of one knowledge base; losses are listed however many documents it has.")
@with_hub
def status(hub: Hub, output: Output, kb: str | None) -> None:
    """Show the hub's health, its knowledge bases, and documents that failed or lost something."""
    health = hub.get("/health")
    well, parts = _readiness(hub)
    kbs = list(hub.pages("/kb")) if kb is None else [hub.get(f"/kb/{existing_kb(hub, kb)}")]
    reports = [_report(hub, each, with_losses=kb is not None or _is_small(each)) for each in kbs]
    if output.as_json:
        rows = [{**each.kb, "documents": each.counts, "troubled": each.troubled} for each in reports]
        output.json({"url": hub.url, "health": health, "ready": well, "dependencies": parts, "knowledge_bases": rows})
    else:
        _show(output, f"{hub.url}  version {health.get('version', '?')}", parts, reports)
        for each in kbs:
            if kb is None and not _is_small(each):
                output.note(f"{each['name']}: losses are not looked for among so many documents; see --kb")
    if not well:
        raise Failed("The hub is not ready.")


def _is_small(kb: Mapping[str, Any]) -> bool:
    """Tell whether listing every document of a KB takes a few calls only."""
    return int(kb.get("document_count") or 0) <= LOOKED_THROUGH


def _readiness(hub: Hub) -> tuple[bool, Any]:
    """Ask for the dependencies' states; a hub that does not tell them is taken for ready."""
    answered, parts = hub.probe("/health/ready")
    if answered == HTTPStatus.NOT_FOUND:
        return True, None
    return answered < HTTPStatus.BAD_REQUEST, parts


def _report(hub: Hub, kb: Mapping[str, Any], *, with_losses: bool) -> Report:
    """Look into one KB."""
    kb_id = int(kb["kb_id"])
    return Report(kb, _counts(hub, kb_id), list(_troubled(hub, kb_id, with_losses=with_losses)))


def _counts(hub: Hub, kb_id: int) -> dict[str, int | None]:
    """Count a KB's documents by status."""
    return {state: hub.total(f"/kb/{kb_id}/documents", {"status": state}) for state in STATES}


def _troubled(hub: Hub, kb_id: int, *, with_losses: bool) -> Iterator[dict[str, Any]]:
    """Find documents that failed; with `with_losses` those of which something could not be carried over, too."""
    query = {} if with_losses else {"status": "failed"}
    for document in hub.pages(f"/kb/{kb_id}/documents", query):
        losses = document.get("losses") or []
        if document["status"] == "failed" or losses:
            members = ("doc_id", "title", "status", "error")
            yield {**{name: document.get(name) for name in members}, "losses": losses}


def _show(output: Output, head: str, parts: Any, reports: Sequence[Report]) -> None:
    """Print for a person."""
    output.text(head, style="bold")
    for name, state in _states(parts):
        if state not in WELL:
            output.text(f"{name}: {state}", style="red")
    columns = ("id", "name", "visibility", "documents", "chunks", "ready", "waiting", "failed")
    output.table(columns, [_row(report) for report in reports])
    for report in reports:
        _show_trouble(output, str(report.kb["name"]), report.troubled)


def _states(parts: Any) -> list[tuple[str, str]]:
    """Read each dependency's state, given as a word or as an object with a `state` or `status`."""
    listed = parts.get("dependencies") if isinstance(parts, Mapping) else None
    if not isinstance(listed, Mapping):
        return []
    return [
        (str(name), str(value.get("state") or value.get("status")) if isinstance(value, Mapping) else str(value))
        for name, value in listed.items()
    ]


def _row(report: Report) -> tuple[object, ...]:
    """Build a KB's row; documents that are pending or being read are waiting."""
    kb, counts = report.kb, report.counts
    waiting = (counts["pending"] or 0) + (counts["reading"] or 0)
    shown = (kb["kb_id"], kb["name"], kb.get("visibility"), kb.get("document_count"), kb.get("chunk_count"))
    return (*shown, counts["ready"], waiting, counts["failed"])


def _show_trouble(output: Output, name: str, documents: Sequence[Mapping[str, Any]]) -> None:
    """Print what failed or was lost in a KB."""
    for document in documents[:SHOWN]:
        title = f"{name}: {document['title']} ({document['doc_id']})"
        if document["status"] == "failed":
            output.text(f"failed  {title}: {document['error'] or 'no reason given'}", style="red")
        for loss in document["losses"]:
            output.text(
                f"loss    {title}: {loss.get('code')} {loss.get('where')}: {loss.get('detail')}", style="yellow"
            )
    if len(documents) > SHOWN:
        output.text(f"{name}: {len(documents) - SHOWN} more; --json lists them all")
