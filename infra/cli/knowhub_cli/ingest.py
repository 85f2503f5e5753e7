"""`knowhub ingest`: files and folders into a knowledge base, and waiting until they can be found."""

import time
from collections.abc import Iterator, Sequence

import click
from rich.progress import Progress

from knowhub_cli.client import Hub
from knowhub_cli.failures import Failed
from knowhub_cli.jobs import Patience, wait_for
from knowhub_cli.output import Output
from knowhub_cli.sending import Entry, conclude, send
from knowhub_cli.session import find_kb, with_hub


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--kb", required=True, help="Name or id of the knowledge base; a missing name is created.")
@click.option("--wait/--no-wait", default=True, help="Wait until the documents can be found (the default).")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds to wait without any document getting ready.")
@with_hub
def ingest(hub: Hub, output: Output, paths: tuple[str, ...], kb: str, *, wait: bool, timeout: float) -> None:
    """Send files, folders and web addresses to a knowledge base.

    A file that was sent before, from the same folder, is updated where it changed. Ends with 1 if anything failed, or
    if something behind a web address could not be carried over.
    """
    kb_id = _kb_id(hub, output, kb)
    entries = list(_send_all(hub, output, kb_id, paths))
    if wait:
        _settle(hub, output, entries, Patience(timeout, time.sleep, time.monotonic))
    _report(output, kb_id, entries)


def _kb_id(hub: Hub, output: Output, name: str) -> int:
    """Find or create the KB."""
    found = find_kb(hub, name)
    if found is None:
        found = hub.create("/kb", {"name": name})
        output.note(f"created the knowledge base {name} (id {found['kb_id']})")
    return int(found["kb_id"])


def _send_all(hub: Hub, output: Output, kb_id: int, paths: Sequence[str]) -> Iterator[Entry]:
    """Send everything that the command line names, with a line for each thing that is not sent."""
    with Progress(console=output.remarks, transient=True, disable=not output.remarks.is_terminal) as progress:
        task = progress.add_task("sending", total=None)
        for entry in send(hub, kb_id, paths):
            if entry.state in {"failed", "skipped"}:
                output.note(f"{entry.state}  {entry.path}: {entry.detail}")
            progress.advance(task)
            yield entry


def _settle(hub: Hub, output: Output, entries: Sequence[Entry], patience: Patience) -> None:
    """Wait for what was sent, with a line for each failure."""
    waiting = [entry for entry in entries if entry.job_id]
    jobs = wait_for(hub, [str(entry.job_id) for entry in waiting], patience)
    with Progress(console=output.remarks, transient=True, disable=not output.remarks.is_terminal) as progress:
        task = progress.add_task("reading", total=len(waiting))
        for entry, job in zip(waiting, jobs, strict=True):
            conclude(entry, job)
            _tell(output, entry)
            progress.advance(task)


def _tell(output: Output, entry: Entry) -> None:
    """Say what went wrong with one entry, and what of it was lost."""
    for loss in entry.losses:
        output.note(f"loss  {entry.path}: {loss.get('code')} {loss.get('where')}: {loss.get('detail')}")
    if entry.lost > len(entry.losses):
        output.note(f"loss  {entry.path}: and {entry.lost - len(entry.losses)} more")
    if entry.state not in {"ready", "unchanged"}:
        output.note(f"{entry.state}  {entry.path}: {entry.detail}")


def _report(output: Output, kb_id: int, entries: Sequence[Entry]) -> None:
    """Print the sum; raises `Failed` where anything failed or is still waiting after the wait."""
    counts = {
        state: number
        for state in ("ready", "unchanged", "sent", "waiting", "failed", "skipped")
        if (number := sum(entry.state == state for entry in entries))
    }
    if output.as_json:
        members = ("path", "state", "detail", "doc_id", "job_id", "losses")
        documents = [{name: getattr(entry, name) for name in members} for entry in entries]
        output.json({"kb_id": kb_id, "counts": counts, "documents": documents})
    else:
        output.text(", ".join(f"{number} {state}" for state, number in counts.items()) or "nothing to send")
    if counts.get("failed") or counts.get("waiting"):
        raise Failed(f"{counts.get('failed', 0)} failed, {counts.get('waiting', 0)} not read in time")
