"""The composition root: settings in, use-cases out.

The use-cases are imported where they are built, as the adapters are (`adapters`): a function loads nothing that it does
not use.
"""

from typing import TYPE_CHECKING

from knowhub.adapters import Ports, ports
from knowhub.settings import Settings

if TYPE_CHECKING:
    from knowhub.gateways.hub import Hub
    from knowhub.gateways.queues import Workshop
    from knowhub.services.documents import Documents
    from knowhub.services.identity import Identity
    from knowhub.services.import_runs import ImportRuns
    from knowhub.services.imports import Imports
    from knowhub.services.permissions import Permissions
    from knowhub.services.uploads import Uploads


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
        imports=_imports(use, library, permissions),
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
    from knowhub.catalog.sources import SourceRows
    from knowhub.gateways.queues import Workshop
    from knowhub.readers.child import Child
    from knowhub.services.ingest import Ingest
    from knowhub.services.maintenance import Maintenance
    from knowhub.services.permissions import Permissions
    from knowhub.services.purge import Purge
    from knowhub.services.reading import Reading

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    library = _library(use, Permissions(kbs))
    return Workshop(
        ingest=Ingest(
            documents=documents,
            kbs=kbs,
            blobs=use.blobs,
            queue=use.queue,
            index=use.index,
            reading=Reading(Child().read),
            clock=use.clock,
        ),
        purge=Purge(
            documents=documents,
            kbs=kbs,
            sources=SourceRows(use.table),
            blobs=use.blobs,
            queue=use.queue,
            index=use.index,
            clock=use.clock,
        ),
        uploads=_uploads(use, library),
        imports=_import_runs(use, library),
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


def _imports(use: Ports, library: "Documents", permissions: "Permissions") -> "Imports":
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.sources import SourceRows
    from knowhub.services.imports import Imports

    return Imports(
        rows=SourceRows(use.table),
        jobs=JobRows(use.table),
        queue=use.queue,
        sources=use.sources,
        documents=library,
        permissions=permissions,
        clock=use.clock,
        identifiers=use.identifiers,
    )


def _import_runs(use: Ports, library: "Documents") -> "ImportRuns":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.sources import SourceRows
    from knowhub.services.import_runs import ImportRuns

    return ImportRuns(
        rows=SourceRows(use.table),
        jobs=JobRows(use.table),
        document_rows=DocumentRows(use.table),
        documents=library,
        identity=_identity(use),
        sources=use.sources,
        queue=use.queue,
        clock=use.clock,
    )


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
