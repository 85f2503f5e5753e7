"""`knowhub ingest`: files and folders into a knowledge base, and waiting until they can be found."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress

from knowhub_cli.client import Hub
from knowhub_cli.failures import Failed, Refused
from knowhub_cli.files import Found, Skipped, TextFile, discover, load
from knowhub_cli.jobs import ENDED, Patience, wait_for
from knowhub_cli.output import Output
from knowhub_cli.session import find_kb, with_hub

NO_SUCH_ROUTE = {404, 405, 501}


@dataclass(slots=True)
class Entry:
    """What became of one argument or file: `state` is sent, ready, unchanged, skipped, failed or waiting."""

    path: str
    state: str
    detail: str = ""
    doc_id: str | None = None
    job_id: str | None = None


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH|URL...")
@click.option("--kb", required=True, help="Name or id of the knowledge base; a missing name is created.")
@click.option("--wait/--no-wait", default=True, help="Wait until the documents can be found (the default).")
@click.option("--timeout", default=600.0, show_default=True, help="Seconds to wait without any document getting ready.")
@with_hub
def ingest(hub: Hub, output: Output, paths: tuple[str, ...], kb: str, *, wait: bool, timeout: float) -> None:
    """Send files, folders and web addresses to a knowledge base.

    A file that was sent before, from the same folder, is updated where it changed. Ends with 1 if anything failed.
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
        for entry in _sent(hub, kb_id, paths):
            if entry.state in {"failed", "skipped"}:
                output.note(f"{entry.state}  {entry.path}: {entry.detail}")
            progress.advance(task)
            yield entry


def _sent(hub: Hub, kb_id: int, paths: Sequence[str]) -> Iterator[Entry]:
    """Send one thing after the other; a failure stops nothing."""
    seen: set[str] = set()
    for argument in paths:
        if argument.lower().startswith(("http://", "https://")):
            yield _send_url(hub, kb_id, argument)
            continue
        for found in discover(Path(argument), Path.cwd()):
            if isinstance(found, Skipped):
                yield Entry(str(found.path), "failed" if found.fault else "skipped", found.reason)
            elif found.external_id not in seen:
                seen.add(found.external_id)
                yield _send_file(hub, kb_id, found)


def _send_file(hub: Hub, kb_id: int, found: Found) -> Entry:
    """Send one file with its id, by which the next time updates it: text as JSON, other bytes as a form."""
    route = f"/kb/{kb_id}/documents"
    try:
        content = load(found.path)
        if isinstance(content, TextFile):
            answer = hub.create(route, _text_document(found, content))
        else:
            fields = {"title": _title(found), "external_id": found.external_id}
            answer = hub.upload(route, fields, (found.path.name, content.data, content.content_type))
    except Refused as refused:
        return Entry(str(found.path), "failed", refused.message)
    except OSError as error:
        return Entry(str(found.path), "failed", error.strerror or type(error).__name__)
    return _accepted(str(found.path), answer)


def _text_document(found: Found, content: TextFile) -> dict[str, object]:
    """Build the request for a text file."""
    return {
        "title": _title(found),
        "text": content.text,
        "content_type": content.content_type,
        "external_id": found.external_id,
    }


def _title(found: Found) -> str:
    """Name a document after its file, within the length that a title may have."""
    return found.path.name[:300]


def _send_url(hub: Hub, kb_id: int, url: str) -> Entry:
    """Import a web address where the hub can."""
    try:
        answer = hub.create(f"/kb/{kb_id}/imports", {"source": {"type": "url", "urls": [url]}})
    except Refused as refused:
        if refused.status in NO_SUCH_ROUTE and refused.code != "KB_NOT_FOUND":
            return Entry(url, "failed", "this version of the hub serves no URL sources")
        return Entry(url, "failed", refused.message)
    return _accepted(url, answer)


def _accepted(path: str, answer: Mapping[str, Any]) -> Entry:
    """Note what the hub took; without a job there is nothing left to do."""
    job_id = answer.get("job_id")
    return Entry(path, "sent" if job_id else "unchanged", "", answer.get("doc_id"), job_id)


def _settle(hub: Hub, output: Output, entries: Sequence[Entry], patience: Patience) -> None:
    """Wait for what was sent, with a line for each failure."""
    waiting = [entry for entry in entries if entry.job_id]
    jobs = wait_for(hub, [str(entry.job_id) for entry in waiting], patience)
    with Progress(console=output.remarks, transient=True, disable=not output.remarks.is_terminal) as progress:
        task = progress.add_task("reading", total=len(waiting))
        for entry, job in zip(waiting, jobs, strict=True):
            _conclude(entry, job)
            if entry.state != "ready":
                output.note(f"{entry.state}  {entry.path}: {entry.detail}")
            progress.advance(task)


def _conclude(entry: Entry, job: Mapping[str, Any]) -> None:
    """Write down how a job ended."""
    if job["state"] == "completed" and not job.get("failed"):
        entry.state = "ready"
    elif job["state"] in ENDED:
        entry.state, entry.detail = "failed", str(job.get("error") or f"the job ended as {job['state']}")
    else:
        entry.state, entry.detail = "waiting", f"not read yet; see job {job['job_id']}"


def _report(output: Output, kb_id: int, entries: Sequence[Entry]) -> None:
    """Print the sum; raises `Failed` where anything failed or is still waiting after the wait."""
    counts = {
        state: number
        for state in ("ready", "unchanged", "sent", "waiting", "failed", "skipped")
        if (number := sum(entry.state == state for entry in entries))
    }
    if output.as_json:
        members = ("path", "state", "detail", "doc_id", "job_id")
        documents = [{name: getattr(entry, name) for name in members} for entry in entries]
        output.json({"kb_id": kb_id, "counts": counts, "documents": documents})
    else:
        output.text(", ".join(f"{number} {state}" for state, number in counts.items()) or "nothing to send")
    if counts.get("failed") or counts.get("waiting"):
        raise Failed(f"{counts.get('failed', 0)} failed, {counts.get('waiting', 0)} not read in time")
