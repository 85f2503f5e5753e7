"""Queue batches and the schedule: what failed is named, so that only that comes back."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from knowhub.errors import InvalidRequest
from knowhub.observability import report
from knowhub.services.import_runs import ImportRuns
from knowhub.services.ingest import Ingest
from knowhub.services.maintenance import Maintenance
from knowhub.services.purge import Purge
from knowhub.services.reindex import ReindexRuns
from knowhub.services.uploads import Uploads
from knowhub.services.work import Work, parse


@dataclass(frozen=True, slots=True)
class Workshop:
    """The use-cases of background work."""

    ingest: Ingest
    purge: Purge
    uploads: Uploads
    imports: ImportRuns
    reindex: ReindexRuns
    maintenance: Maintenance


def document_queue_gateway(workshop: Workshop) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """Give the reader function's handler: one batch of the document queue, answered with partial failures.

    A message that is no piece of work is reported and settled: it would be none the next time either.
    """

    def serve(event: Mapping[str, Any], _: Any) -> dict[str, Any]:
        works: dict[str, Work] = {}
        for record in event.get("Records", ()):
            try:
                works[str(record["messageId"])] = _work(json.loads(record["body"]))
            except (InvalidRequest, ValueError, LookupError, TypeError, AttributeError) as error:
                report("unknown message", error, message_id=record.get("messageId"))
        failed = _run(workshop, works)
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}

    return serve


def schedule_gateway(workshop: Workshop) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """Give the sync function's handler: each tick of the schedule sweeps what waits too long.

    Messages of the sync queue are named as failed, since no connector is installed that could have sent them.
    """

    def serve(event: Mapping[str, Any], _: Any) -> dict[str, Any]:
        if "Records" in event:
            records = event["Records"]
            report("sync messages without a connector", count=len(records))
            return {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in records]}
        return {"sent": workshop.maintenance.sweep()}

    return serve


def _run(workshop: Workshop, works: Mapping[str, Work]) -> list[str]:
    """Run a batch, reads together so that they share a refresh, and give the ids of the messages that failed."""
    reads = list(dict.fromkeys(work for work in works.values() if work.kind == "read"))
    failed = set(workshop.ingest.read(reads)) if reads else set()
    for work in dict.fromkeys(works.values()):
        if work.kind == "read":
            continue
        try:
            _do(workshop, work)
        except Exception as error:  # noqa: BLE001 - one piece of work's failure must not take the batch along
            report("work failed", error, kind=work.kind, kb_id=work.kb_id, doc_id=work.doc_id)
            failed.add(work)
    return [message_id for message_id, work in works.items() if work in failed]


def _do(workshop: Workshop, work: Work) -> None:
    if work.kind == "take_upload":
        workshop.uploads.arrived(work.doc_id)
    elif work.kind == "import":
        workshop.imports.work(work)
    elif work.kind in {"reindex", "drop_generation"}:
        workshop.reindex.work(work)
    else:
        workshop.purge.run(work)


def _work(body: Any) -> Work:
    """Read a message of ours, or S3's notice that a file has arrived under `uploads/`."""
    records = body.get("Records")
    if not isinstance(records, list):
        return parse(body)
    # S3 writes one record a notice, and the key as a form does.
    return Work("take_upload", 0, unquote_plus(records[0]["s3"]["object"]["key"]))
