"""The adapters that the settings name: chosen by the scheme of each place, imported and built when first used.

With `bootstrap`, which puts the use-cases together, this is all that knows concrete classes.
"""

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

from knowhub.ports.blobs import Blobs
from knowhub.ports.chunk_index import ChunkIndex
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.ports.sources import Files, Sources
from knowhub.ports.table import Table
from knowhub.settings import InvalidSettings, Settings

Port = TypeVar("Port")


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Give the epoch seconds."""
        return time.time()


class RandomIdentifiers:
    """Ids from the operating system's randomness."""

    def new(self, prefix: str) -> str:
        """Give the prefix and 26 base32 characters."""
        return prefix + base64.b32encode(secrets.token_bytes(17)).decode().lower()[:26]


@dataclass(frozen=True, slots=True)
class Ports:
    """The adapters that the settings name."""

    table: Table
    blobs: Blobs
    queue: Queue
    index: ChunkIndex
    sources: Sources
    clock: Clock
    identifiers: Identifiers


def ports(settings: Settings) -> Ports:
    """Name the adapters; each is built, and its library loaded, when it is first used."""
    clock = SystemClock()
    return Ports(
        table=_deferred(lambda: _table(settings.table)),
        blobs=_deferred(lambda: _blobs(settings.bucket, settings.public_url, clock)),
        queue=_deferred(lambda: _queue(settings.document_queue, clock)),
        index=_deferred(lambda: _index(settings.chunk_index)),
        sources=_deferred(lambda: _sources(settings)),
        clock=clock,
        identifiers=RandomIdentifiers(),
    )


class _Deferred:
    """Stands in for an adapter until its first use."""

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = cache(build)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._build(), name)
        # The next access finds the member here and does not come by again.
        self.__dict__[name] = member
        return member


def _deferred(build: Callable[[], Port]) -> Port:
    return cast("Port", _Deferred(build))


def _queue(place: str, clock: Clock) -> Queue:
    """Build the queue of a setting: `sqlite:PATH#NAME`, or an SQS queue's URL."""
    scheme, _, rest = place.partition(":")
    if scheme == "sqlite":
        from knowhub.stores.sqlite.queue import SqliteQueue

        path, _, name = rest.rpartition("#")
        return SqliteQueue(path, name, clock=clock)
    from knowhub.stores.sqs.queue import SqsQueue

    return SqsQueue(_client("sqs"), place)


def _table(place: str) -> Table:
    scheme, _, path = place.partition(":")
    if scheme == "sqlite":
        from knowhub.stores.sqlite.table import SqliteTable

        return SqliteTable(path)
    from knowhub.stores.dynamodb.table import DynamoTable

    return DynamoTable(_client("dynamodb"), place)


def _blobs(place: str, public_url: str, clock: Clock) -> Blobs:
    scheme, _, path = place.partition(":")
    if scheme == "folder":
        from knowhub.stores.folder.blobs import FolderBlobs

        return FolderBlobs(path, public_url=public_url, clock=clock)
    from knowhub.stores.s3.blobs import S3Blobs

    return S3Blobs(_client("s3"), place)


def _index(place: str) -> ChunkIndex:
    scheme, _, path = place.partition(":")
    if scheme == "tantivy":
        from knowhub.stores.tantivy.index import TantivyChunkIndex

        return TantivyChunkIndex(path)
    raise InvalidSettings(f"KNOWHUB_CHUNK_INDEX: no store is built in for the scheme {scheme!r}; tantivy:PATH is")


def _sources(settings: Settings) -> Sources:
    """Open imports to the roots that the settings name, and to public addresses; to this machine's own by a switch."""
    from knowhub.net.client import GuardedClient
    from knowhub.net.policy import Policy
    from knowhub.net.resolving import SystemResolver
    from knowhub.sources.local import LocalFiles
    from knowhub.sources.opening import SourceOpener
    from knowhub.sources.roots import BucketRoot, FolderRoot, Roots

    own = frozenset({settings.bucket})
    buckets, folders = [], []
    for one in settings.import_roots:
        if one.root.startswith("s3://"):
            bucket, _, prefix = one.root.removeprefix("s3://").partition("/")
            buckets.append(BucketRoot(bucket, prefix, one.kb_ids))
        else:
            folders.append(FolderRoot(one.root, one.kb_ids))
    stores: dict[str, Files] = {"file": LocalFiles([folder.path for folder in folders])} if folders else {}
    if buckets:
        from knowhub.stores.s3.roots import S3Files

        stores["s3"] = S3Files(_client("s3"), own)
    policy = Policy.local() if settings.loopback_urls else Policy()
    return SourceOpener(
        roots=Roots(tuple(buckets), tuple(folders), own),
        stores=stores,
        client=GuardedClient(policy, SystemResolver()),
    )


@cache
def _session() -> Any:
    import boto3

    return boto3.session.Session()


def _client(service: str) -> Any:
    from botocore.config import Config

    # Upload tickets name the bucket's own regional host and are signed with version 4 wherever the stack is.
    config = Config(signature_version="s3v4", s3={"addressing_style": "virtual"}) if service == "s3" else None
    make: Callable[..., Any] = _session().client
    return make(service, config=config)
