"""Events that are no HTTP request: queue batches, uploads, ticks."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus
from uuid import uuid4

from knowhub.ports.blobs import BlobInfo
from knowhub.ports.queue import Message
from knowhub_cli.local.blueprint import Tick
from knowhub_cli.local.intrinsics import ACCOUNT, REGION


def json_bytes(event: Mapping[str, Any]) -> bytes:
    """Write an event as it travels: in UTF-8, as limits count bytes; half a surrogate pair is escaped."""
    try:
        return json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(event, separators=(",", ":")).encode()


def sqs_event(queue: str, messages: Sequence[Message]) -> dict[str, Any]:
    """Build the event of one batch."""
    return {"Records": [_sqs_record(queue, message) for message in messages]}


def _sqs_record(queue: str, message: Message) -> dict[str, Any]:
    sent = str(int(message.sent_at * 1000))
    group = {} if message.group is None else {"MessageGroupId": message.group}
    return {
        "messageId": message.message_id,
        "receiptHandle": message.receipt,
        "body": message.body,
        "attributes": {
            "ApproximateReceiveCount": str(message.receive_count),
            "SentTimestamp": sent,
            "SenderId": ACCOUNT,
            "ApproximateFirstReceiveTimestamp": sent,
            **group,
        },
        "messageAttributes": {},
        # The protocol's own check sum, no protection.
        "md5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{queue}",
        "awsRegion": REGION,
    }


def upload_event(bucket: str, blob: BlobInfo, *, now: float) -> dict[str, Any]:
    """Build the notification that S3 puts into a queue when an object was created by a presigned POST."""
    return {
        "Records": [
            {
                "eventVersion": "2.1",
                "eventSource": "aws:s3",
                "awsRegion": REGION,
                "eventTime": _iso(now),
                "eventName": "ObjectCreated:Post",
                "s3": {
                    "s3SchemaVersion": "1.0",
                    "bucket": {"name": bucket, "arn": f"arn:aws:s3:::{bucket}"},
                    # S3 writes keys as a form does; a reader has to undo that.
                    "object": {"key": quote_plus(blob.key, safe="/"), "size": blob.size},
                },
            }
        ]
    }


def tick_event(tick: Tick, *, now: float) -> dict[str, Any]:
    """Build what the scheduler sends where the template writes no payload."""
    return {
        "version": "0",
        "id": str(uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": _iso(now),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{tick.name}"],
        "detail": {},
    }


def _iso(now: float) -> str:
    return datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
