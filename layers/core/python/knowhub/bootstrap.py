"""The one place that knows concrete classes: settings in, use-cases out.

Adapters are chosen by the scheme of the setting that names their place. They, and the use-cases, are imported where
they are built: a function loads nothing that it does not use.
"""

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from knowhub.ports.blobs import Blobs
from knowhub.ports.chunk_index import ChunkIndex
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.ports.table import Table
from knowhub.settings import InvalidSettings, Settings

if TYPE_CHECKING:
    from knowhub.gateways.hub import Hub
    from knowhub.gateways.queues import Workshop
    from knowhub.services.documents import Documents
    from knowhub.services.identity import Identity
    from knowhub.services.permissions import Permissions
    from knowhub.services.uploads import Uploads

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
    clock: Clock
    identifiers: Identifiers


def ports(settings: Settings) -> Ports:
    """Name the adapters; each is built, and its library loaded, when it is first used."""
    clock = SystemClock()
    return Ports(
        table=_deferred(lambda: _table(settings.table)),
        blobs=_deferred(lambda: _blobs(settings.bucket, settings.public_url, clock)),
        queue=_deferred(lambda: queue(settings.document_queue, clock)),
        index=_deferred(lambda: _index(settings.chunk_index)),
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


def hub(settings: Settings) -> "Hub":
    """Build what the http, mcp and a2a functions serve."""
    return hub_of(ports(settings), settings.public_url)


def hub_of(use: Ports, public_url: str) -> "Hub":
    """Build the hub over given adapters."""
    from knowhub.catalog.audit import AuditRows
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.gateways.hub import Hub
    from knowhub.retrieval.search import Kernel
    from knowhub.services.ask import Ask
    from knowhub.services.audit import Audit
    from knowhub.services.chunk_files import ChunkFiles
    from knowhub.services.document_lists import DocumentLists
    from knowhub.services.jobs import Jobs
    from knowhub.services.knowledge_bases import KnowledgeBases
    from knowhub.services.passages import Passages
    from knowhub.services.permissions import Permissions
    from knowhub.services.search import Search

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    permissions = Permissions(kbs)
    library = _library(use, permissions)
    uploads = _uploads(use, library)
    search = Search(Kernel(use.index), permissions, documents)
    return Hub(
        identity=_identity(use),
        audit=Audit(AuditRows(use.table), use.clock, use.identifiers),
        knowledge_bases=KnowledgeBases(kbs, permissions, use.queue, use.clock),
        documents=library,
        uploads=uploads,
        document_lists=DocumentLists(documents, kbs, permissions),
        passages=Passages(library, ChunkFiles(use.blobs)),
        jobs=Jobs(JobRows(use.table), permissions),
        search=search,
        ask=Ask(search),
        identifiers=use.identifiers,
        public_url=public_url,
    )


def workshop(settings: Settings) -> "Workshop":
    """Build what the reader and sync functions run."""
    return workshop_of(ports(settings))


def workshop_of(use: Ports) -> "Workshop":
    """Build the background work over given adapters."""
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.gateways.queues import Workshop
    from knowhub.services.ingest import Ingest
    from knowhub.services.maintenance import Maintenance
    from knowhub.services.permissions import Permissions
    from knowhub.services.purge import Purge
    from knowhub.services.reading import Reading

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    return Workshop(
        ingest=Ingest(
            documents=documents,
            kbs=kbs,
            blobs=use.blobs,
            queue=use.queue,
            index=use.index,
            reading=Reading(),
            clock=use.clock,
        ),
        purge=Purge(documents=documents, kbs=kbs, blobs=use.blobs, queue=use.queue, index=use.index, clock=use.clock),
        uploads=_uploads(use, _library(use, Permissions(kbs))),
        maintenance=Maintenance(documents, kbs, use.queue, use.clock),
    )


def _identity(use: Ports) -> "Identity":
    from knowhub.catalog.people import PeopleRows
    from knowhub.services.identity import Identity

    return Identity(PeopleRows(use.table), use.clock, use.identifiers)


def _library(use: Ports, permissions: "Permissions") -> "Documents":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.services.documents import Documents, Stores
    from knowhub.services.reading import Reading

    stores = Stores(DocumentRows(use.table), JobRows(use.table), use.blobs, use.queue)
    return Documents(stores, permissions, Reading(), use.clock, use.identifiers)


def _uploads(use: Ports, library: "Documents") -> "Uploads":
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.uploads import UploadRows
    from knowhub.services.uploads import Uploads

    return Uploads(
        rows=UploadRows(use.table),
        jobs=JobRows(use.table),
        blobs=use.blobs,
        documents=library,
        identity=_identity(use),
        clock=use.clock,
        identifiers=use.identifiers,
    )


def queue(place: str, clock: Clock) -> Queue:
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
