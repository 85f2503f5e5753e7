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
    from knowhub.readers.registry import Isolated
    from knowhub.services.accounts import Accounts
    from knowhub.services.audit import Audit
    from knowhub.services.documents import Documents
    from knowhub.services.identity import Identity
    from knowhub.services.import_runs import ImportRuns
    from knowhub.services.imports import Imports
    from knowhub.services.indexing import Indexing
    from knowhub.services.ingest import Ingest
    from knowhub.services.permissions import Permissions
    from knowhub.services.purge import Purge
    from knowhub.services.reindex import Reindex, ReindexRuns
    from knowhub.services.repeats import Repeats
    from knowhub.services.search import Search
    from knowhub.services.uploads import Uploads


def hub(settings: Settings) -> "Hub":
    """Build what the http, mcp and a2a functions serve."""
    return hub_of(ports(settings), settings.public_url)


def hub_of(use: Ports, public_url: str) -> "Hub":
    """Build the hub over given adapters."""
    from knowhub.catalog.audit import AuditRows
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.facets import FacetRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.catalog.members import MemberRows
    from knowhub.catalog.people import PeopleRows
    from knowhub.catalog.sessions import SessionRows
    from knowhub.gateways.hub import Hub
    from knowhub.services.ask import Ask
    from knowhub.services.audit import Audit
    from knowhub.services.chunk_files import ChunkFiles
    from knowhub.services.document_lists import DocumentLists
    from knowhub.services.jobs import Jobs
    from knowhub.services.knowledge_bases import KnowledgeBases
    from knowhub.services.members import Members
    from knowhub.services.passages import Passages
    from knowhub.services.permissions import Permissions
    from knowhub.services.sessions import Sessions

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    permissions = Permissions(kbs, MemberRows(use.table))
    sessions = Sessions(SessionRows(use.table), documents, permissions, use.clock, use.identifiers)
    library = _library(use, permissions)
    uploads = _uploads(use, library)
    search = _search(use, permissions)
    identity, audit = _identity(use), Audit(AuditRows(use.table), use.clock, use.identifiers)
    return Hub(
        identity=identity,
        accounts=_accounts(use, identity, audit),
        audit=audit,
        knowledge_bases=KnowledgeBases(kbs, FacetRows(use.table), permissions, use.queue, use.clock),
        repeats=_repeats(use),
        members=Members(MemberRows(use.table), PeopleRows(use.table), permissions, use.clock),
        documents=library,
        uploads=uploads,
        imports=_imports(use, library, permissions),
        document_lists=DocumentLists(documents, kbs, permissions),
        passages=Passages(library, ChunkFiles(use.blobs)),
        jobs=Jobs(JobRows(use.table), permissions),
        search=search,
        ask=Ask(search, sessions, use.generator),
        sessions=sessions,
        reindex=_reindex(use),
        identifiers=use.identifiers,
        public_url=public_url,
    )


def workshop(settings: Settings) -> "Workshop":
    """Build what the reader and sync functions run."""
    return workshop_of(ports(settings))


def workshop_of(use: Ports, isolated: "Isolated | None" = None) -> "Workshop":
    """Build the background work over given adapters; binary formats are read by `isolated`, else in a new process."""
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.catalog.members import MemberRows
    from knowhub.gateways.queues import Workshop
    from knowhub.services.maintenance import Maintenance
    from knowhub.services.permissions import Permissions

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    library = _library(use, Permissions(kbs, MemberRows(use.table)))
    indexing = _indexing(use)
    return Workshop(
        ingest=_ingest(use, indexing, isolated),
        purge=_purge(use, indexing),
        uploads=_uploads(use, library),
        imports=_import_runs(use, library),
        reindex=_reindex_runs(use, indexing),
        maintenance=Maintenance(documents, kbs, use.table, use.queue, use.clock),
    )


def _search(use: Ports, permissions: "Permissions") -> "Search":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.retrieval.search import Kernel
    from knowhub.services.indexing import Indexing
    from knowhub.services.search import Search

    kernel = Kernel(Indexing(use.generations, use.embedder).serving, use.reranker)
    return Search(kernel, permissions, DocumentRows(use.table))


def _repeats(use: Ports) -> "Repeats":
    from knowhub.catalog.repeats import RepeatRows
    from knowhub.services.repeats import Repeats

    return Repeats(RepeatRows(use.table), use.clock)


def _reindex(use: Ports) -> "Reindex":
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.reindexing import ReindexRows
    from knowhub.services.reindex import Reindex

    return Reindex(
        rows=ReindexRows(use.table),
        jobs=JobRows(use.table),
        queue=use.queue,
        clock=use.clock,
        identifiers=use.identifiers,
    )


def _indexing(use: Ports) -> "Indexing":
    from knowhub.catalog.vectors import VectorRows
    from knowhub.services.embeddings import Embeddings
    from knowhub.services.indexing import Indexing

    embeddings = None if use.embedder is None else Embeddings(use.embedder, VectorRows(use.table), use.clock)
    return Indexing(use.generations, use.embedder, embeddings)


def _ingest(use: Ports, indexing: "Indexing", isolated: "Isolated | None") -> "Ingest":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.readers.child import Child
    from knowhub.services.ingest import Ingest
    from knowhub.services.reading import Reading

    return Ingest(
        documents=DocumentRows(use.table),
        kbs=KnowledgeBaseRows(use.table),
        blobs=use.blobs,
        queue=use.queue,
        index=indexing,
        reading=Reading(isolated or Child().read),
        clock=use.clock,
    )


def _purge(use: Ports, indexing: "Indexing") -> "Purge":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.facets import FacetRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.catalog.sources import SourceRows
    from knowhub.services.purge import Purge

    return Purge(
        documents=DocumentRows(use.table),
        kbs=KnowledgeBaseRows(use.table),
        facets=FacetRows(use.table),
        sources=SourceRows(use.table),
        blobs=use.blobs,
        queue=use.queue,
        index=indexing,
        clock=use.clock,
    )


def _reindex_runs(use: Ports, indexing: "Indexing") -> "ReindexRuns":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.catalog.reindexing import ReindexRows
    from knowhub.services.chunk_files import ChunkFiles
    from knowhub.services.reindex import ReindexRuns

    return ReindexRuns(
        rows=ReindexRows(use.table),
        jobs=JobRows(use.table),
        kbs=KnowledgeBaseRows(use.table),
        documents=DocumentRows(use.table),
        files=ChunkFiles(use.blobs),
        queue=use.queue,
        indexing=indexing,
        generations=use.generations,
        clock=use.clock,
    )


def _identity(use: Ports) -> "Identity":
    from knowhub.services.identity import Identity, IdentityRows
    from knowhub.services.issued_users import IssuedUsers

    rows, issuer = IdentityRows.of(use.table), use.issuer
    issued = None if issuer is None else IssuedUsers(issuer, rows.people, use.clock, use.identifiers)
    return Identity(rows, use.clock, use.identifiers, issued)


def _accounts(use: Ports, identity: "Identity", audit: "Audit") -> "Accounts":
    from knowhub.services.accounts import Accounts

    secret = use.first_admin_secret
    return Accounts.over(use.table, identity, audit, clock=use.clock, identifiers=use.identifiers, secret=secret)


def _library(use: Ports, permissions: "Permissions") -> "Documents":
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.services.documents import Documents, Stores
    from knowhub.services.reading import Reading

    stores = Stores(DocumentRows(use.table), JobRows(use.table), use.blobs, use.queue)
    return Documents(stores, permissions, Reading(), use.clock, use.identifiers)


def _imports(use: Ports, library: "Documents", permissions: "Permissions") -> "Imports":
    from knowhub.catalog.sources import SourceRows
    from knowhub.catalog.uploads import UploadRows
    from knowhub.services.imports import Imports

    return Imports(
        rows=SourceRows(use.table),
        uploads=UploadRows(use.table),
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
    from knowhub.catalog.uploads import UploadRows
    from knowhub.services.import_runs import ImportRuns
    from knowhub.services.import_uploads import UploadStores

    documents = DocumentRows(use.table)
    return ImportRuns(
        rows=SourceRows(use.table),
        jobs=JobRows(use.table),
        document_rows=documents,
        documents=library,
        identity=_identity(use),
        sources=use.sources,
        uploads=UploadStores(UploadRows(use.table), use.blobs, documents, use.clock),
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
