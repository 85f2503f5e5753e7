"""Where the blob suites get their stores from: one bench a home."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import boto3
from botocore.config import Config
from moto import mock_aws

from knowhub.ports.blobs import Blobs
from knowhub.stores.folder.blobs import FolderBlobs
from knowhub.stores.s3.blobs import S3Blobs

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

REGION: Literal["eu-central-1"] = "eu-central-1"


@dataclass
class SetClock:
    """A clock that stands still until it is moved."""

    time: float = 1_800_000_000.0

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds


@contextmanager
def s3_client() -> Iterator["S3Client"]:
    """Start the service within this process, empty, and give a client of it."""
    with mock_aws():
        client = boto3.client(
            "s3",
            region_name=REGION,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
            config=Config(signature_version="s3v4", s3={"addressing_style": "virtual"}),
        )
        try:
            yield client
        finally:
            client.close()


def s3_blobs(client: "S3Client", bucket: str) -> Blobs:
    """Make a new bucket of the service."""
    client.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    return S3Blobs(client, bucket)


def folder_blobs(root: Path, clock: SetClock | None = None) -> FolderBlobs:
    """Open a folder."""
    return FolderBlobs(root, public_url="http://127.0.0.1:8010/", clock=clock or SetClock())
