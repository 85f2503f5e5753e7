"""What files in buckets promise beyond the port: the hub's own buckets, folders, and a service that refuses."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config
from botocore.stub import Stubber

from knowhub.errors import Forbidden, SourceFailed
from knowhub.stores.s3.roots import S3Files
from tests.contract.sources_homes import BUCKET, s3_with_bucket

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


@pytest.fixture(scope="module")
def client() -> Iterator["S3Client"]:
    with s3_with_bucket() as made:
        yield made


@pytest.fixture(scope="module")
def files(client: "S3Client") -> S3Files:
    keys = [
        "docs/a.md",
        "docs/z.md",
        "docs/",
        "docs//twice.md",
        "docs/x/../y.md",
        *(f"docs/s{n}/x.md" for n in range(30)),
    ]
    for key in [*keys, "docs/.git/config", "docs/b/node_modules/m.md", "docs/typed"]:
        client.put_object(Bucket=BUCKET, Key=key, Body=b"12345")
    client.put_object(Bucket=BUCKET, Key="docs/typed", Body=b"12345", ContentType="text/csv")
    return S3Files(client, frozenset({"hub"}))


def test_the_hubs_own_buckets_are_refused_by_the_store_too(files: S3Files) -> None:
    for call in (
        lambda: files.get("s3://hub/raw/1/d/x", max_bytes=1),
        lambda: files.stat("s3://hub/raw/1/d/x"),
        lambda: files.has_folder("s3://hub/raw"),
        lambda: files.list("s3://hub/raw", recursive=True, after=None, limit=1),
        lambda: files.get("file:///etc/passwd", max_bytes=1),
    ):
        with pytest.raises(Forbidden):
            call()


def test_subfolders_are_passed_over_however_many_there_are(files: S3Files) -> None:
    page = files.list(f"s3://{BUCKET}/docs", recursive=False, after=None, limit=2)
    assert ([found.path for found in page.files], page.after) == (["a.md", "typed"], "typed")
    page = files.list(f"s3://{BUCKET}/docs", recursive=False, after=page.after, limit=2)
    assert ([found.path for found in page.files], page.after) == (["z.md"], None)


def test_keys_that_are_no_paths_are_losses(files: S3Files) -> None:
    page = files.list(f"s3://{BUCKET}/docs", recursive=True, after=None, limit=100)
    assert [(loss.code, loss.where) for loss in page.losses] == [
        ("BAD_NAME", f"s3://{BUCKET}/docs//twice.md"),
        ("BAD_NAME", f"s3://{BUCKET}/docs/x/../y.md"),
    ]
    assert len(page.files) == 33


def test_a_folder_is_there_if_any_key_is_in_it(files: S3Files) -> None:
    places = [f"s3://{BUCKET}/docs", f"s3://{BUCKET}/docs/s1", f"s3://{BUCKET}/doc", f"s3://{BUCKET}/"]
    assert [files.has_folder(place) for place in places] == [True, True, False, True]
    with pytest.raises(SourceFailed) as caught:
        files.list(f"s3://{BUCKET}/doc", recursive=False, after=None, limit=1)
    assert caught.value.detail["reason"] == "NOT_FOUND"


def test_a_stored_type_is_given_unless_the_service_made_it_up(files: S3Files) -> None:
    types = [files.get(f"s3://{BUCKET}/docs/{name}", max_bytes=5).content_type for name in ("typed", "a.md")]
    assert types == ["text/csv", None]
    assert files.stat(f"s3://{BUCKET}/") is None


def test_an_object_over_the_limit_is_not_begun(files: S3Files) -> None:
    with pytest.raises(SourceFailed) as caught:
        files.get(f"s3://{BUCKET}/docs/a.md", max_bytes=4)
    assert caught.value.detail["reason"] == "TOO_LARGE"


@pytest.mark.parametrize(
    ("code", "status", "reason", "transient"),
    [
        ("AccessDenied", 403, "UNREADABLE", False),
        ("NoSuchBucket", 404, "UNREADABLE", False),
        ("InvalidObjectState", 403, "UNREADABLE", False),
        ("NoSuchKey", 404, "NOT_FOUND", False),
        ("SlowDown", 503, "UNREADABLE", True),
        ("InternalError", 500, "UNREADABLE", True),
    ],
)
def test_a_bucket_that_refuses_is_no_fault_of_the_hubs(code: str, status: int, reason: str, transient: bool) -> None:
    made = boto3.client(
        "s3",
        region_name="eu-central-1",
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with Stubber(made) as stub:
        stub.add_client_error("get_object", service_error_code=code, http_status_code=status)
        with pytest.raises(SourceFailed) as caught:
            S3Files(made, frozenset()).get("s3://bucket/key", max_bytes=1)
    made.close()
    assert caught.value.detail == {"reason": reason, "transient": transient}
