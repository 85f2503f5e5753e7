"""Files that imports read from buckets which are not the hub's: the files port over Amazon S3."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from knowhub.errors import Internal, NotFound, SourceFailed, Unavailable
from knowhub.model.document import Loss
from knowhub.ports.sources import FileContent, FilePage, FoundFile
from knowhub.ports.sources_rules import is_passed_over, not_found, outside, too_large, unreadable
from knowhub.stores.s3.faults import translated

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

_KEYS_OF_A_CALL = 1000
_SAYS_NOTHING = frozenset({"binary/octet-stream", "application/octet-stream"})
_BAD_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ufffe\uffff]")


class S3Files:
    """Objects by `s3://bucket/key`; `/` in keys makes folders. The role needs `s3:GetObject` and `s3:ListBucket` there.

    The hub's own buckets hold other people's documents, so they are refused here too, whoever has let them through.
    """

    def __init__(self, client: "S3Client", own_buckets: frozenset[str]) -> None:
        self._client = client
        self._own = own_buckets

    def list(self, folder: str, *, recursive: bool, after: str | None, limit: int) -> FilePage:
        """Ask for keys under the folder's prefix, as many calls as the page takes; raises `SourceFailed`."""
        bucket, key = self._place(folder)
        prefix = f"{key}/" if key else ""
        found: list[tuple[str, FoundFile | Loss]] = []
        seen = after is not None or not prefix
        for answer in self._answers(bucket, prefix, recursive=recursive, after=after, room=limit + 1):
            seen = seen or bool(answer.get("Contents") or answer.get("CommonPrefixes"))
            found += _entries(bucket, prefix, answer)
            if len(found) > limit:
                break
        if not seen:
            raise not_found()
        page = found[:limit]
        return FilePage(
            tuple(entry for _, entry in page if isinstance(entry, FoundFile)),
            tuple(entry for _, entry in page if isinstance(entry, Loss)),
            page[-1][0] if len(found) > limit else None,
        )

    def has_folder(self, uri: str) -> bool:
        """Tell whether any key begins with the folder's prefix; the whole bucket always is one."""
        bucket, key = self._place(uri)
        if not key:
            return True
        with _translated(bucket):
            return self._client.list_objects_v2(Bucket=bucket, Prefix=f"{key}/", MaxKeys=1)["KeyCount"] > 0

    def stat(self, uri: str) -> FoundFile | None:
        """Ask for the object's headers."""
        bucket, key = self._place(uri)
        if not key:
            return None
        try:
            with _translated(bucket):
                answer = self._client.head_object(Bucket=bucket, Key=key)
        except SourceFailed as error:
            if error.detail["reason"] == "NOT_FOUND":
                return None
            raise
        return FoundFile(
            uri, key.rpartition("/")[2], answer["ContentLength"], _type(answer["ContentType"]), answer["ETag"]
        )

    def get(self, uri: str, *, max_bytes: int) -> FileContent:
        """Read the object; one that announces too much is not begun."""
        bucket, key = self._place(uri)
        with _translated(bucket):
            answer = self._client.get_object(Bucket=bucket, Key=key)
            with closing(answer["Body"]) as body:
                if answer["ContentLength"] > max_bytes:
                    raise too_large(max_bytes)
                return FileContent(body.read(), _type(answer["ContentType"]), answer["ETag"])

    def _place(self, uri: str) -> tuple[str, str]:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        if bucket in self._own or not uri.startswith("s3://"):
            raise outside()
        return bucket, key

    def _answers(
        self, bucket: str, prefix: str, *, recursive: bool, after: str | None, room: int
    ) -> Iterator[dict[str, Any]]:
        """Walk the pages of keys; a continuation token is used within one walk only, so that none can go stale."""
        asked: dict[str, Any] = {"Bucket": bucket, "Prefix": prefix, "MaxKeys": min(room, _KEYS_OF_A_CALL)}
        if not recursive:
            asked["Delimiter"] = "/"
        if after is not None:
            asked["StartAfter"] = prefix + after
        while True:
            with _translated(bucket):
                answer: dict[str, Any] = dict(self._client.list_objects_v2(**asked))
            yield answer
            if not answer["IsTruncated"]:
                return
            asked["ContinuationToken"] = answer["NextContinuationToken"]


@contextmanager
def _translated(bucket: str) -> Iterator[None]:
    """Say in the words of the sources port what went wrong: a bucket that refuses us is no fault of the hub's."""
    try:
        with translated(bucket):
            yield
    except NotFound as error:
        raise not_found() from error
    except Unavailable as error:
        raise unreadable(transient=True) from error
    except Internal as error:
        raise unreadable() from error


def _entries(bucket: str, prefix: str, answer: dict[str, Any]) -> Iterator[tuple[str, FoundFile | Loss]]:
    for each in answer.get("Contents", []):
        path = each["Key"].removeprefix(prefix)
        segments = path.split("/")
        # A key that ends in a slash is what consoles make to show an empty folder.
        if not segments[-1] or any(map(is_passed_over, segments)):
            continue
        uri = f"s3://{bucket}/{each['Key']}"
        if not {"", ".", ".."}.isdisjoint(segments) or _BAD_CHARACTERS.search(path):
            yield path, Loss("BAD_NAME", uri, "the key has an empty or dotted segment or a control character")
        else:
            yield path, FoundFile(uri, path, each["Size"], None, each["ETag"])


def _type(content_type: str) -> str | None:
    """Give the stored type unless it is what the service fills in by itself."""
    return None if content_type in _SAYS_NOTHING else content_type
