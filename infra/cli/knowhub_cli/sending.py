"""One file or web address on its way to a knowledge base, and what became of it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowhub_cli.client import Hub
from knowhub_cli.failures import Refused
from knowhub_cli.files import DIRECT_BYTES, Found, Skipped, content_type, discover
from knowhub_cli.jobs import ENDED

NO_SUCH_ROUTE = {404, 405, 501}


@dataclass(slots=True)
class Entry:
    """What became of one argument or file: `state` is sent, ready, unchanged, skipped, failed or waiting.

    `losses` are what could not be carried over, `lost` their number. What an import loses are documents: it has failed.
    """

    path: str
    state: str
    detail: str = ""
    doc_id: str | None = None
    job_id: str | None = None
    is_import: bool = False
    losses: Sequence[Mapping[str, Any]] = ()
    lost: int = 0


def send(hub: Hub, kb_id: int, paths: Sequence[str]) -> Iterator[Entry]:
    """Send one thing after the other, each file once; a failure stops nothing."""
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


def conclude(entry: Entry, job: Mapping[str, Any]) -> None:
    """Write down how a job ended."""
    entry.doc_id = entry.doc_id or job.get("doc_id")
    entry.losses = job.get("losses") or ()
    entry.lost = max(int(job.get("loss_count") or 0), len(entry.losses))
    failed = int(job.get("failed") or 0) or (entry.lost if entry.is_import else 0)
    if job["state"] == "completed" and not failed:
        entry.state = "unchanged" if _was_nothing_to_do(job) else "ready"
    elif job["state"] in ENDED:
        so_it_ended = f"{failed} could not be read" if failed else f"the job ended as {job['state']}"
        entry.state, entry.detail = "failed", str(job.get("error") or so_it_ended)
    else:
        entry.state, entry.detail = "waiting", f"not read yet; see job {job['job_id']}"


def _was_nothing_to_do(job: Mapping[str, Any]) -> bool:
    """Tell a job that was over as it was made: the hub makes it so, in one instant, where nothing has changed.

    The answer to what was sent can't tell: a document that is updated is ready, too, with what it said before.
    """
    made = job.get("created_at")
    return made is not None and made == job.get("started_at") == job.get("finished_at")


def _send_file(hub: Hub, kb_id: int, found: Found) -> Entry:
    """Send one file with its id, by which the next time updates it."""
    try:
        send_it = _send_directly if found.size <= DIRECT_BYTES else _send_by_ticket
        answer = send_it(hub, kb_id, found)
    except Refused as refused:
        return Entry(str(found.path), "failed", refused.message)
    except OSError as error:
        return Entry(str(found.path), "failed", error.strerror or type(error).__name__)
    return _accepted(str(found.path), answer)


def _send_directly(hub: Hub, kb_id: int, found: Found) -> Mapping[str, Any]:
    """Send a file in one request: as a form, which unlike JSON makes no text longer than it is."""
    data = found.path.read_bytes()
    fields = {"title": found.title, "external_id": found.external_id}
    file = (found.path.name, data, content_type(found.path, data))
    answer: Mapping[str, Any] = hub.upload(f"/kb/{kb_id}/documents", fields, file)
    return answer


def _send_by_ticket(hub: Hub, kb_id: int, found: Found) -> Mapping[str, Any]:
    """Ask where to put a large file, and put it there."""
    with found.path.open("rb") as file:
        announced = {
            "filename": found.title,
            "title": found.title,
            "size": os.fstat(file.fileno()).st_size,
            "content_type": content_type(found.path),
            "external_id": found.external_id,
        }
        ticket: Mapping[str, Any] = hub.create(f"/kb/{kb_id}/uploads", announced)
        hub.deliver(str(ticket["url"]), ticket["fields"], (found.title, file, str(announced["content_type"])))
    return ticket


def _send_url(hub: Hub, kb_id: int, url: str) -> Entry:
    """Import a web address where the hub can."""
    try:
        answer = hub.create(f"/kb/{kb_id}/imports", {"source": {"type": "url", "urls": [url]}})
    except Refused as refused:
        if refused.status in NO_SUCH_ROUTE and refused.code != "KB_NOT_FOUND":
            return Entry(url, "failed", "this version of the hub serves no URL sources")
        return Entry(url, "failed", refused.message)
    entry = _accepted(url, answer)
    entry.is_import = True
    return entry


def _accepted(path: str, answer: Mapping[str, Any]) -> Entry:
    """Note what the hub took."""
    return Entry(path, "sent", "", answer.get("doc_id"), str(answer["job_id"]))
