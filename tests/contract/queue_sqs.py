"""How the service's answers are understood; the answers are scripted, as no stand-in gives them."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import EndpointConnectionError, NoCredentialsError
from botocore.stub import ANY, Stubber

from knowhub.errors import Internal, InvalidRequest, PayloadTooLarge, Unavailable
from knowhub.ports.queue import OutgoingMessage
from knowhub.stores.sqs.batches import batches
from knowhub.stores.sqs.queue import SqsQueue

URL = "https://sqs.eu-central-1.amazonaws.com/123456789012/work"


class Scripted:
    """A queue whose service gives the answers that the test lined up, and the pauses that the queue made."""

    def __init__(self, url: str = URL) -> None:
        self.client = boto3.client(
            "sqs",
            region_name="eu-central-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(retries={"total_max_attempts": 1}),
        )
        self.stub = Stubber(self.client)
        self.pauses: list[float] = []
        self.url = url
        self.queue = SqsQueue(self.client, url, sleep=self.pauses.append)

    def expect(self, call: str, answer: dict[str, Any], **arguments: object) -> None:
        self.stub.add_response(call, answer, {"QueueUrl": self.url, **arguments})


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    made = Scripted()
    with made.stub:
        yield made
        made.stub.assert_no_pending_responses()
    made.client.close()


def entry(place: int, body: str) -> dict[str, Any]:
    return {"Id": str(place), "MessageBody": body}


def failure(place: int, code: str, *, sender: bool = False) -> dict[str, Any]:
    return {"Id": str(place), "Code": code, "Message": "as scripted", "SenderFault": sender}


def success(place: int) -> dict[str, Any]:
    return {"Id": str(place), "MessageId": "m", "MD5OfMessageBody": "0"}


def test_only_the_entries_that_failed_are_sent_again(scripted: Scripted) -> None:
    three = [entry(0, "a"), entry(1, "b"), entry(2, "c")]
    first = {"Successful": [success(1)], "Failed": [failure(0, "InternalError"), failure(2, "RequestThrottled")]}
    scripted.expect("send_message_batch", first, Entries=three)
    second = {"Successful": [success(0), success(2)], "Failed": []}
    scripted.expect("send_message_batch", second, Entries=[three[0], three[2]])
    scripted.queue.send([OutgoingMessage(body) for body in "abc"])
    assert len(scripted.pauses) == 1


def test_entries_that_keep_failing_are_unavailable(scripted: Scripted) -> None:
    for _ in range(4):
        answer = {"Successful": [], "Failed": [failure(0, "InternalError")]}
        scripted.expect("send_message_batch", answer, Entries=[entry(0, "a")])
    with pytest.raises(Unavailable):
        scripted.queue.send([OutgoingMessage("a")])
    assert scripted.pauses == sorted(scripted.pauses)
    assert len(scripted.pauses) == 3


@pytest.mark.parametrize(
    ("code", "error"),
    [("InvalidMessageContents", InvalidRequest), ("BatchRequestTooLong", PayloadTooLarge), ("Surprise", Internal)],
)
def test_an_entry_that_is_the_senders_fault_is_not_sent_again(
    scripted: Scripted, code: str, error: type[Exception]
) -> None:
    answer = {"Successful": [], "Failed": [failure(0, code, sender=True)]}
    scripted.expect("send_message_batch", answer, Entries=[entry(0, "a")])
    with pytest.raises(error):
        scripted.queue.send([OutgoingMessage("a")])
    assert scripted.pauses == []


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("AWS.SimpleQueueService.NonExistentQueue", 400, Internal),
        ("QueueDoesNotExist", 400, Internal),
        ("RequestThrottled", 400, Unavailable),
        ("AWS.SimpleQueueService.OverLimit", 403, Unavailable),
        ("ServiceUnavailable", 503, Unavailable),
        ("", 502, Unavailable),
        ("AWS.SimpleQueueService.BatchRequestTooLong", 400, PayloadTooLarge),
        ("AccessDenied", 403, Internal),
    ],
)
def test_an_error_of_a_call_becomes_ours(scripted: Scripted, code: str, status: int, error: type[Exception]) -> None:
    scripted.stub.add_client_error("send_message_batch", code, "as scripted", http_status_code=status)
    with pytest.raises(error) as raised:
        scripted.queue.send([OutgoingMessage("a")])
    assert type(raised.value) is error


def test_a_missing_queue_is_named(scripted: Scripted) -> None:
    scripted.stub.add_client_error("receive_message", "AWS.SimpleQueueService.NonExistentQueue", http_status_code=400)
    with pytest.raises(Internal, match="work does not exist"):
        scripted.queue.receive()


@pytest.mark.parametrize(
    ("vendor", "error"),
    [(EndpointConnectionError(endpoint_url=URL), Unavailable), (NoCredentialsError(), Internal)],
    ids=repr,
)
def test_a_call_that_does_not_get_through_becomes_ours(vendor: Exception, error: type[Exception]) -> None:
    class Away:
        def get_queue_attributes(self, **_: object) -> None:
            raise vendor

    with pytest.raises(error):
        SqsQueue(Away(), URL).depth()  # type: ignore[arg-type]  # the one call of the client that is used


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("ReceiptHandleIsInvalid", ""),
        ("InvalidParameterValue", "Reason: The receipt handle has expired."),
    ],
)
def test_a_receipt_that_the_service_refuses_is_stale(scripted: Scripted, code: str, message: str) -> None:
    failed = {"Id": "0", "Code": code, "Message": message, "SenderFault": True}
    scripted.expect("delete_message_batch", {"Successful": [], "Failed": [failed]}, Entries=ANY)
    scripted.queue.delete(["old"])
    scripted.stub.add_client_error("change_message_visibility", code, message, http_status_code=400)
    scripted.queue.change_visibility("old", 10)
    assert scripted.pauses == []


def test_deliveries_that_the_service_failed_to_settle_are_settled_again(scripted: Scripted) -> None:
    two = [{"Id": "0", "ReceiptHandle": "a"}, {"Id": "1", "ReceiptHandle": "b"}]
    answer = {"Successful": [{"Id": "0"}], "Failed": [failure(1, "InternalError")]}
    scripted.expect("delete_message_batch", answer, Entries=two)
    scripted.expect("delete_message_batch", {"Successful": [{"Id": "1"}], "Failed": []}, Entries=[two[1]])
    scripted.queue.delete(["a", "b"])


def test_a_right_to_settle_that_is_lacking_is_told(scripted: Scripted) -> None:
    answer = {"Successful": [], "Failed": [failure(0, "AccessDenied", sender=True)]}
    scripted.expect("delete_message_batch", answer, Entries=ANY)
    with pytest.raises(Internal):
        scripted.queue.delete(["a"])


def test_more_than_twelve_hours_in_all_are_refused(scripted: Scripted) -> None:
    message = "Total VisibilityTimeout for the message is beyond the limit [43200 seconds]"
    scripted.stub.add_client_error("change_message_visibility", "InvalidParameterValue", message, http_status_code=400)
    with pytest.raises(InvalidRequest):
        scripted.queue.change_visibility("receipt", 43_200)


@pytest.mark.parametrize(("wait", "asked"), [(0, 0), (0.2, 1), (19.5, 20), (20, 20)])
def test_a_wait_is_rounded_up_to_whole_seconds(scripted: Scripted, wait: float, asked: int) -> None:
    scripted.expect(
        "receive_message",
        {"Messages": []},
        MaxNumberOfMessages=1,
        VisibilityTimeout=30,
        WaitTimeSeconds=asked,
        MessageSystemAttributeNames=["ApproximateReceiveCount", "MessageGroupId", "SentTimestamp"],
    )
    assert scripted.queue.receive(wait_seconds=wait) == []


def test_a_fifo_message_without_an_id_gets_its_own() -> None:
    sent: list[dict[str, Any]] = []

    class Service:
        def send_message_batch(self, *, Entries: list[dict[str, Any]], **_: object) -> dict[str, Any]:  # noqa: N803  the client's own spelling
            sent.extend(Entries)
            return {"Successful": [], "Failed": []}

    queue = SqsQueue(Service(), f"{URL}.fifo")  # type: ignore[arg-type]  # the one call of the client that is used
    queue.send([OutgoingMessage("a", group="g"), OutgoingMessage("a", group="h", deduplication_id="mine")])
    assert sent[1]["MessageDeduplicationId"] == "mine"
    assert sent[0]["MessageDeduplicationId"] not in {"", "mine"}


class TestBatches:
    def test_a_batch_has_at_most_ten_entries(self) -> None:
        cut = batches([OutgoingMessage(str(number)) for number in range(23)], one_of_a_group=False)
        assert [len(batch) for batch in cut] == [10, 10, 3]

    def test_a_batch_has_at_most_a_mebibyte_of_utf8(self) -> None:
        cut = list(batches([OutgoingMessage("ß" * 262_144)] * 3, one_of_a_group=False))
        assert [len(batch) for batch in cut] == [2, 1]

    def test_a_fifo_batch_has_one_message_of_a_group(self) -> None:
        messages = [OutgoingMessage(body, group=body[0]) for body in ("a1", "b1", "a2", "a3", "c1", "b2")]
        cut = batches(messages, one_of_a_group=True)
        assert [[message.body for message in batch] for batch in cut] == [["a1", "b1"], ["a2"], ["a3", "c1", "b2"]]
