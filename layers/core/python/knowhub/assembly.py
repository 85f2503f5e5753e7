"""The use-cases, each built over given adapters: what `bootstrap` puts together.

A use-case is imported where it is built: a function loads nothing that it does not use.
"""

from typing import TYPE_CHECKING

from knowhub.adapters import Ports

if TYPE_CHECKING:
    from knowhub.readers.registry import Isolated
    from knowhub.services.accounts import Accounts
    from knowhub.services.audit import Audit
    from knowhub.services.documents import Documents
    from knowhub.services.identity import Identity
    from knowhub.services.import_runs import ImportRuns
    from knowhub.services.imports import Imports
    from knowhub.services.indexing import Indexing
    from knowhub.services.ingest import Ingest
    from knowhub.services.knowledge_bases import KnowledgeBases
    from knowhub.services.members import Members
    from knowhub.services.permissions import Permissions
    from knowhub.services.purge import Purge
    from knowhub.services.reindex import Reindex, ReindexRuns
    from knowhub.services.repeats import Repeats
    from knowhub.services.search import Search
    from knowhub.services.sessions import Sessions
    from knowhub.services.uploads import Uploads


def search(use: Ports, permissions: "Permissions") -> "Search":
    """Build the search."""
    from knowhub.catalog.documents import DocumentRows
    from knowhub.retrieval.search import Kernel
    from knowhub.services.indexing import Indexing
    from knowhub.services.search import Search

    kernel = Kernel(Indexing(use.generations, use.embedder).serving, use.reranker)
    return Search(kernel, permissions, DocumentRows(use.table))


def repeats(use: Ports) -> "Repeats":
    """Build what makes things once."""
    from knowhub.catalog.repeats import RepeatRows
    from knowhub.services.repeats import Repeats

    return Repeats(RepeatRows(use.table), use.clock)


def reindex(use: Ports) -> "Reindex":
    """Build what starts a rebuild of the index."""
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


def indexing(use: Ports) -> "Indexing":
    """Build the index as the reader writes it."""
    from knowhub.catalog.vectors import VectorRows
    from knowhub.services.embeddings import Embeddings
    from knowhub.services.indexing import Indexing

    embeddings = None if use.embedder is None else Embeddings(use.embedder, VectorRows(use.table), use.clock)
    return Indexing(use.generations, use.embedder, embeddings)


def ingest(use: Ports, indexing: "Indexing", isolated: "Isolated | None") -> "Ingest":
    """Build the reading of revisions."""
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


def purge(use: Ports, indexing: "Indexing") -> "Purge":
    """Build the removal of what nothing shows."""
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


def reindex_runs(use: Ports, indexing: "Indexing") -> "ReindexRuns":
    """Build the rebuild of the index."""
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


def identity(use: Ports) -> "Identity":
    """Build what turns credentials into principals."""
    from knowhub.services.identity import Identity, IdentityRows
    from knowhub.services.issued_users import IssuedUsers

    rows, issuer = IdentityRows.of(use.table), use.issuer
    issued = None if issuer is None else IssuedUsers(issuer, rows.people, use.clock, use.identifiers)
    return Identity(rows, use.clock, use.identifiers, issued)


def accounts(use: Ports, identity: "Identity", audit: "Audit") -> "Accounts":
    """Build the use-cases of accounts."""
    from knowhub.services.accounts import Accounts

    secret = use.first_admin_secret
    return Accounts.over(use.table, identity, audit, clock=use.clock, identifiers=use.identifiers, secret=secret)


def library(use: Ports, permissions: "Permissions") -> "Documents":
    """Build the use-cases of documents."""
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.jobs import JobRows
    from knowhub.services.documents import Documents, Stores
    from knowhub.services.reading import Reading

    stores = Stores(DocumentRows(use.table), JobRows(use.table), use.blobs, use.queue)
    return Documents(stores, permissions, Reading(), use.clock, use.identifiers)


def imports(use: Ports, library: "Documents", permissions: "Permissions") -> "Imports":
    """Build the use-cases of sources."""
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


def import_runs(use: Ports, library: "Documents") -> "ImportRuns":
    """Build the work of imports."""
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
        identity=identity(use),
        sources=use.sources,
        uploads=UploadStores(UploadRows(use.table), use.blobs, documents, use.clock),
        queue=use.queue,
        clock=use.clock,
    )


def uploads(use: Ports, library: "Documents") -> "Uploads":
    """Build the use-cases of uploads."""
    from knowhub.catalog.jobs import JobRows
    from knowhub.catalog.uploads import UploadRows
    from knowhub.services.uploads import Uploads

    return Uploads(
        rows=UploadRows(use.table),
        jobs=JobRows(use.table),
        blobs=use.blobs,
        documents=library,
        identity=identity(use),
        clock=use.clock,
        identifiers=use.identifiers,
    )


def sessions(use: Ports, permissions: "Permissions") -> "Sessions":
    """Build the use-cases of conversations."""
    from knowhub.catalog.documents import DocumentRows
    from knowhub.catalog.sessions import SessionRows
    from knowhub.services.sessions import Sessions

    return Sessions(SessionRows(use.table), DocumentRows(use.table), permissions, use.clock, use.identifiers)


def permissions(use: Ports) -> "Permissions":
    """Build the permission check."""
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.catalog.members import MemberRows
    from knowhub.services.permissions import Permissions

    return Permissions(KnowledgeBaseRows(use.table), MemberRows(use.table))


def members(use: Ports, permissions: "Permissions") -> "Members":
    """Build the use-cases of membership."""
    from knowhub.catalog.members import MemberRows
    from knowhub.catalog.people import PeopleRows
    from knowhub.services.members import Members

    return Members(MemberRows(use.table), PeopleRows(use.table), permissions, use.clock)


def knowledge_bases(use: Ports, permissions: "Permissions") -> "KnowledgeBases":
    """Build the use-cases of knowledge bases."""
    from knowhub.catalog.facets import FacetRows
    from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
    from knowhub.services.knowledge_bases import KnowledgeBases

    rows, facets = KnowledgeBaseRows(use.table), FacetRows(use.table)
    return KnowledgeBases(rows, facets, permissions, use.queue, use.clock)
