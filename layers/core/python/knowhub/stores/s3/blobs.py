"""The blobs port over Amazon S3."""

import base64
import json
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING

from knowhub.errors import NotFound, Unavailable
from knowhub.ports.blob_keys import check_key, check_prefix, cursor_after, key_of
from knowhub.ports.blobs import BlobInfo, BlobPage, UploadTicket
from knowhub.ports.blobs_rules import check_content_type, check_page, check_upload
from knowhub.stores.s3.faults import meaning, translated

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

_KEYS_OF_A_CALL = 1000
_ATTEMPTS = 4
_FIRST_PAUSE = 0.1


class S3Blobs:
    """One bucket. The role needs `s3:ListBucket` too: without it the service answers 403, not 404, for an absent key.

    For upload tickets the client must sign with `s3v4` (an older signature is still the default in some regions) and
    address buckets as `virtual` (else a ticket names the global host, whose redirect of a POST clients may not follow).
    The client's own retries serve whole calls; keys of a delete that failed by themselves are sent again here, up to
    four times in all.
    """

    def __init__(self, client: "S3Client", bucket: str, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._bucket = bucket
        self._sleep = sleep

    def put(self, key: str, data: bytes, *, content_type: str = "application/octet-stream") -> None:
        """Store the bytes in one call."""
        check_key(key)
        check_content_type(content_type)
        with translated(self._bucket):
            self._client.put_object(Bucket=self._bucket, Key=key, Body=data, ContentType=content_type)

    def get(self, key: str) -> bytes:
        """Read the whole blob; raises `NotFound`."""
        check_key(key)
        with translated(self._bucket):
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
            with closing(answer["Body"]) as body:
                return body.read()

    def stat(self, key: str) -> BlobInfo | None:
        """Ask for the blob's headers; `modified_at` is in whole seconds."""
        check_key(key)
        try:
            with translated(self._bucket):
                answer = self._client.head_object(Bucket=self._bucket, Key=key)
        except NotFound:
            return None
        return BlobInfo(
            key=key,
            size=answer["ContentLength"],
            content_type=answer["ContentType"],
            modified_at=answer["LastModified"].timestamp(),
        )

    def copy(self, source: str, target: str) -> None:
        """Copy within the service, up to 5 GB; raises `NotFound`."""
        check_key(source)
        check_key(target)
        if source == target:
            # The service refuses a copy that changes nothing.
            if self.stat(source) is None:
                raise NotFound("BLOB")
            return
        with translated(self._bucket):
            self._client.copy_object(
                Bucket=self._bucket, Key=target, CopySource={"Bucket": self._bucket, "Key": source}
            )

    def delete(self, keys: Sequence[str]) -> None:
        """Remove the blobs, 1,000 a call."""
        unique = list(dict.fromkeys(keys))
        for key in unique:
            check_key(key)
        for start in range(0, len(unique), _KEYS_OF_A_CALL):
            self._delete_batch(unique[start : start + _KEYS_OF_A_CALL])

    def list(self, prefix: str, *, cursor: str | None = None, limit: int = 1000) -> BlobPage:
        """Ask for one page of keys."""
        check_prefix(prefix)
        check_page(limit)
        after = "" if cursor is None else key_of(cursor)
        with translated(self._bucket):
            answer = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, StartAfter=after, MaxKeys=limit)
        keys = tuple(each["Key"] for each in answer.get("Contents", []))
        return BlobPage(keys, cursor_after(keys[-1]) if keys and answer["IsTruncated"] else None)

    def presign_upload(self, key: str, *, content_type: str, max_bytes: int, seconds: int) -> UploadTicket:
        """Sign a POST policy for just this key, content type and range of lengths; no call is made."""
        check_upload(key, content_type=content_type, max_bytes=max_bytes, seconds=seconds)
        with translated(self._bucket):
            post = self._client.generate_presigned_post(
                Bucket=self._bucket,
                Key=key,
                Fields={"Content-Type": content_type},
                Conditions=[{"Content-Type": content_type}, ["content-length-range", 1, max_bytes]],
                ExpiresIn=seconds,
            )
        return UploadTicket(post["url"], post["fields"], _expiry(post["fields"]["policy"]))

    def _delete_batch(self, keys: Sequence[str]) -> None:
        for attempt in range(_ATTEMPTS):
            if attempt:
                self._sleep(_FIRST_PAUSE * 2 ** (attempt - 1))
            with translated(self._bucket):
                answer = self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": [{"Key": key} for key in keys], "Quiet": True}
                )
            keys = self._worth_repeating({each["Key"]: each["Code"] for each in answer.get("Errors", [])})
            if not keys:
                return
        raise Unavailable(f"The blob store did not remove {len(keys)} of the blobs")

    def _worth_repeating(self, failed: dict[str, str]) -> Sequence[str]:
        for code in failed.values():
            error = meaning(code, self._bucket)
            if not isinstance(error, NotFound | Unavailable):
                raise error
        return [key for key, code in failed.items() if isinstance(meaning(code, self._bucket), Unavailable)]


def _expiry(policy: str) -> float:
    document = json.loads(base64.b64decode(policy))
    return datetime.fromisoformat(document["expiration"]).timestamp()
