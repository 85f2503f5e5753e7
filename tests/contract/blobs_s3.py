"""How the service's answers are understood, and what an upload's policy says.

No stand-in in this process takes a POST of a form, so the policy is decoded and read here; that the service enforces it
is its own promise.
"""

import base64
import io
import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ConnectTimeoutError, IncompleteReadError, NoCredentialsError
from botocore.response import StreamingBody
from botocore.stub import Stubber

from knowhub.errors import Internal, NotFound, Unavailable
from knowhub.stores.s3.blobs import S3Blobs


class Scripted:
    """A bucket whose service gives the answers that the test lined up, and the pauses that the store made."""

    def __init__(self) -> None:
        self.client = boto3.client(
            "s3",
            region_name="eu-central-1",
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(
                signature_version="s3v4", s3={"addressing_style": "virtual"}, retries={"total_max_attempts": 1}
            ),
        )
        self.stub = Stubber(self.client)
        self.pauses: list[float] = []
        self.blobs = S3Blobs(self.client, "bucket", sleep=self.pauses.append)

    def expect_delete(self, keys: list[str], failed: dict[str, str]) -> None:
        errors = [{"Key": key, "Code": code, "Message": "as scripted"} for key, code in failed.items()]
        expected = {"Bucket": "bucket", "Delete": {"Objects": [{"Key": key} for key in keys], "Quiet": True}}
        self.stub.add_response("delete_objects", {"Errors": errors} if errors else {}, expected)


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    made = Scripted()
    with made.stub:
        yield made
        made.stub.assert_no_pending_responses()
    made.client.close()


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("NoSuchKey", 404, NotFound),
        ("NoSuchBucket", 404, Internal),
        ("AccessDenied", 403, Internal),
        ("SlowDown", 503, Unavailable),
        ("InternalError", 500, Unavailable),
        ("RequestTimeout", 400, Unavailable),
        ("502", 502, Unavailable),
    ],
)
def test_an_error_of_a_call_becomes_ours(scripted: Scripted, code: str, status: int, error: type[Exception]) -> None:
    scripted.stub.add_client_error("get_object", code, "as scripted", http_status_code=status)
    with pytest.raises(error) as raised:
        scripted.blobs.get("a")
    assert type(raised.value) is error


def test_a_missing_bucket_is_named(scripted: Scripted) -> None:
    scripted.stub.add_client_error("put_object", "NoSuchBucket", http_status_code=404)
    with pytest.raises(Internal, match="bucket does not exist"):
        scripted.blobs.put("a", b"")


def test_a_right_to_look_that_is_lacking_is_not_taken_for_absence(scripted: Scripted) -> None:
    scripted.stub.add_client_error("head_object", "403", "Forbidden", http_status_code=403)
    with pytest.raises(Internal):
        scripted.blobs.stat("a")


@pytest.mark.parametrize(
    ("vendor", "error"),
    [
        (ConnectTimeoutError(endpoint_url="https://s3"), Unavailable),
        (IncompleteReadError(actual_bytes=1, expected_bytes=2), Unavailable),
        (NoCredentialsError(), Internal),
    ],
    ids=repr,
)
def test_a_call_that_does_not_get_through_becomes_ours(vendor: Exception, error: type[Exception]) -> None:
    class Away:
        def get_object(self, **_: object) -> None:
            raise vendor

    with pytest.raises(error):
        S3Blobs(Away(), "bucket").get("a")  # type: ignore[arg-type]  # the one call of the client that is used


def test_bytes_that_end_too_early_are_unavailable(scripted: Scripted) -> None:
    body = StreamingBody(io.BytesIO(b"half"), 8)
    scripted.stub.add_response("get_object", {"Body": body}, {"Bucket": "bucket", "Key": "a"})
    with pytest.raises(Unavailable):
        scripted.blobs.get("a")


class TestDelete:
    def test_only_the_keys_that_failed_are_sent_again(self, scripted: Scripted) -> None:
        scripted.expect_delete(["a", "b", "c"], {"a": "InternalError", "c": "SlowDown"})
        scripted.expect_delete(["a", "c"], {})
        scripted.blobs.delete(["a", "b", "c"])
        assert len(scripted.pauses) == 1

    def test_keys_that_keep_failing_are_unavailable(self, scripted: Scripted) -> None:
        for _ in range(4):
            scripted.expect_delete(["a"], {"a": "SlowDown"})
        with pytest.raises(Unavailable):
            scripted.blobs.delete(["a"])
        assert len(scripted.pauses) == 3

    def test_a_key_that_must_not_be_deleted_is_told(self, scripted: Scripted) -> None:
        scripted.expect_delete(["a", "b"], {"a": "SlowDown", "b": "AccessDenied"})
        with pytest.raises(Internal):
            scripted.blobs.delete(["a", "b"])
        assert scripted.pauses == []

    def test_a_thousand_keys_go_in_a_call(self, scripted: Scripted) -> None:
        keys = [f"k{number}" for number in range(1001)]
        scripted.expect_delete(keys[:1000], {})
        scripted.expect_delete(keys[1000:], {})
        scripted.blobs.delete(keys)


class TestPolicy:
    def conditions(self, fields: Any) -> tuple[list[Any], dict[str, str]]:
        document = json.loads(base64.b64decode(fields["policy"]))
        exact = {
            name: value for each in document["conditions"] if isinstance(each, dict) for name, value in each.items()
        }
        return [each for each in document["conditions"] if isinstance(each, list)], exact

    def test_it_allows_just_this_key_type_and_length(self, scripted: Scripted) -> None:
        ticket = scripted.blobs.presign_upload("uploads/ü 1", content_type="text/plain", max_bytes=10, seconds=600)
        ranges, exact = self.conditions(ticket.fields)
        assert ranges == [["content-length-range", 1, 10]]
        assert exact["key"] == "uploads/ü 1"
        assert exact["Content-Type"] == "text/plain"
        assert exact["bucket"] == "bucket"

    def test_the_fields_meet_its_conditions(self, scripted: Scripted) -> None:
        ticket = scripted.blobs.presign_upload("uploads/1", content_type="text/plain", max_bytes=10, seconds=600)
        _, exact = self.conditions(ticket.fields)
        del exact["bucket"]
        assert exact.items() <= ticket.fields.items()
        assert set(ticket.fields) - set(exact) == {"policy", "x-amz-signature"}
        assert ticket.fields["x-amz-algorithm"] == "AWS4-HMAC-SHA256"
        assert ticket.url.startswith("https://bucket.s3.eu-central-1.")

    def test_it_expires_when_the_ticket_says(self, scripted: Scripted) -> None:
        short, long = (
            scripted.blobs.presign_upload("uploads/1", content_type="text/plain", max_bytes=10, seconds=seconds)
            for seconds in (600, 6600)
        )
        document = json.loads(base64.b64decode(long.fields["policy"]))
        assert document["expiration"].endswith("Z")
        assert long.expires_at - short.expires_at == pytest.approx(6000, abs=30)
