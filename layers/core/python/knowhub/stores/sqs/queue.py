"""The queue port over Amazon SQS."""

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from botocore.exceptions import ClientError

from knowhub.errors import Unavailable
from knowhub.ports.queue import Message, OutgoingMessage, QueueDepth
from knowhub.ports.queue_rules import check_outgoing, check_receive, check_visibility
from knowhub.stores.sqs.batches import MAX_ENTRIES, batches
from knowhub.stores.sqs.faults import is_stale, meaning, translated

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.type_defs import (
        BatchResultErrorEntryTypeDef,
        DeleteMessageBatchRequestEntryTypeDef,
        MessageTypeDef,
        SendMessageBatchRequestEntryTypeDef,
    )

_ATTEMPTS = 4
_FIRST_PAUSE = 0.1


class SqsQueue:
    """One queue by its URL, FIFO where that ends in `.fifo`; its redrive policy is set where it is deployed.

    The client's own retries serve whole calls; entries of a batch that failed by themselves are sent again here, up to
    four times in all, with pauses from 0.1 s that double.
    """

    def __init__(self, client: "SQSClient", queue_url: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._url = queue_url
        self._fifo = queue_url.endswith(".fifo")
        self._sleep = sleep

    def send(self, messages: Sequence[OutgoingMessage]) -> None:
        """Send in batches of up to 10 and 1 MiB, on a FIFO queue with one message of a group each."""
        check_outgoing(messages, fifo=self._fifo)
        for batch in batches(messages, one_of_a_group=self._fifo):
            self._send_batch([self._entry(place, message) for place, message in enumerate(batch)])

    def receive(self, *, limit: int = 1, visibility_seconds: int = 30, wait_seconds: float = 0) -> list[Message]:
        """Ask once; the service holds the call for up to `wait_seconds`, rounded up to whole seconds."""
        check_receive(limit=limit, visibility_seconds=visibility_seconds, wait_seconds=wait_seconds)
        with translated(self._url):
            answer = self._client.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=limit,
                VisibilityTimeout=visibility_seconds,
                WaitTimeSeconds=math.ceil(wait_seconds),
                MessageSystemAttributeNames=["ApproximateReceiveCount", "MessageGroupId", "SentTimestamp"],
            )
        return [_message(each) for each in answer.get("Messages", [])]

    def delete(self, receipts: Sequence[str]) -> None:
        """Settle the deliveries in batches of 10."""
        unique = list(dict.fromkeys(receipts))
        for start in range(0, len(unique), MAX_ENTRIES):
            self._delete_batch(
                [
                    {"Id": str(place), "ReceiptHandle": each}
                    for place, each in enumerate(unique[start : start + MAX_ENTRIES])
                ]
            )

    def change_visibility(self, receipt: str, seconds: int) -> None:
        """Hide the message for so long from now, within 12 hours of its delivery."""
        check_visibility(seconds)
        with translated(self._url):
            try:
                self._client.change_message_visibility(
                    QueueUrl=self._url, ReceiptHandle=receipt, VisibilityTimeout=seconds
                )
            except ClientError as error:
                answer = error.response.get("Error", {})
                if not is_stale(answer.get("Code", ""), answer.get("Message", "")):
                    raise

    def depth(self) -> QueueDepth:
        """Ask for the service's approximate counts, which lag behind by up to a minute."""
        with translated(self._url):
            answer = self._client.get_queue_attributes(
                QueueUrl=self._url,
                AttributeNames=[
                    "ApproximateNumberOfMessages",
                    "ApproximateNumberOfMessagesNotVisible",
                    "ApproximateNumberOfMessagesDelayed",
                ],
            )
        counts = answer["Attributes"]
        return QueueDepth(
            visible=int(counts["ApproximateNumberOfMessages"]),
            in_flight=int(counts["ApproximateNumberOfMessagesNotVisible"]),
            delayed=int(counts["ApproximateNumberOfMessagesDelayed"]),
        )

    def _entry(self, place: int, message: OutgoingMessage) -> "SendMessageBatchRequestEntryTypeDef":
        entry: SendMessageBatchRequestEntryTypeDef = {"Id": str(place), "MessageBody": message.body}
        if message.group is not None:
            entry["MessageGroupId"] = message.group
        if self._fifo:
            # The service wants one; a fresh one drops nothing but our own repetition of a call whose answer was lost.
            entry["MessageDeduplicationId"] = message.deduplication_id or uuid4().hex
        elif message.delay_seconds:
            entry["DelaySeconds"] = message.delay_seconds
        return entry

    def _send_batch(self, entries: "list[SendMessageBatchRequestEntryTypeDef]") -> None:
        for attempt in range(_ATTEMPTS):
            self._pause_before(attempt)
            with translated(self._url):
                failed = self._client.send_message_batch(QueueUrl=self._url, Entries=entries).get("Failed", [])
            again = self._worth_repeating(failed)
            entries = [entry for entry in entries if entry["Id"] in again]
            if not entries:
                return
        raise Unavailable(f"The queue service did not take {len(entries)} of the messages")

    def _delete_batch(self, entries: "list[DeleteMessageBatchRequestEntryTypeDef]") -> None:
        for attempt in range(_ATTEMPTS):
            self._pause_before(attempt)
            with translated(self._url):
                failed = self._client.delete_message_batch(QueueUrl=self._url, Entries=entries).get("Failed", [])
            stale = {each["Id"] for each in failed if is_stale(each["Code"], each.get("Message", ""))}
            again = self._worth_repeating([each for each in failed if each["Id"] not in stale])
            entries = [entry for entry in entries if entry["Id"] in again]
            if not entries:
                return
        raise Unavailable(f"The queue service did not settle {len(entries)} of the deliveries")

    def _worth_repeating(self, failed: "list[BatchResultErrorEntryTypeDef]") -> set[str]:
        for failure in failed:
            if failure["SenderFault"]:
                raise meaning(failure["Code"], failure.get("Message", ""), self._url)
        return {failure["Id"] for failure in failed}

    def _pause_before(self, attempt: int) -> None:
        if attempt:
            self._sleep(_FIRST_PAUSE * 2 ** (attempt - 1))


def _message(answer: "MessageTypeDef") -> Message:
    attributes = answer["Attributes"]
    return Message(
        message_id=answer["MessageId"],
        receipt=answer["ReceiptHandle"],
        body=answer["Body"],
        receive_count=int(attributes["ApproximateReceiveCount"]),
        group=attributes.get("MessageGroupId"),
        sent_at=int(attributes["SentTimestamp"]) / 1000,
    )
