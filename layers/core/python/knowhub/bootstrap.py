"""The composition root: settings in, use-cases out.

The use-cases are imported where they are built, as the adapters are (`adapters`): a function loads nothing that it does
not use.
"""

from typing import TYPE_CHECKING

from knowhub import assembly
from knowhub.adapters import Ports, ports
from knowhub.settings import Settings

if TYPE_CHECKING:
    from knowhub.gateways.hub import Hub
    from knowhub.gateways.queues import Workshop
    from knowhub.readers.registry import Isolated


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
    from knowhub.services.ask import Ask
    from knowhub.services.audit import Audit
    from knowhub.services.chunk_files import ChunkFiles
    from knowhub.services.document_lists import DocumentLists
    from knowhub.services.jobs import Jobs
    from knowhub.services.passages import Passages

    permissions, identity = assembly.permissions(use), assembly.identity(use)
    library, search = assembly.library(use, permissions), assembly.search(use, permissions)
    sessions = assembly.sessions(use, permissions)
    audit = Audit(AuditRows(use.table), use.clock, use.identifiers)
    return Hub(
        identity=identity,
        accounts=assembly.accounts(use, identity, audit),
        audit=audit,
        knowledge_bases=assembly.knowledge_bases(use, permissions),
        repeats=assembly.repeats(use),
        members=assembly.members(use, permissions),
        documents=library,
        uploads=assembly.uploads(use, library),
        imports=assembly.imports(use, library, permissions),
        document_lists=DocumentLists(DocumentRows(use.table), KnowledgeBaseRows(use.table), permissions),
        passages=Passages(library, ChunkFiles(use.blobs)),
        jobs=Jobs(JobRows(use.table), permissions),
        search=search,
        ask=Ask(search, sessions, use.generator),
        sessions=sessions,
        reindex=assembly.reindex(use),
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
    from knowhub.gateways.queues import Workshop
    from knowhub.services.maintenance import Maintenance

    kbs, documents = KnowledgeBaseRows(use.table), DocumentRows(use.table)
    library = assembly.library(use, assembly.permissions(use))
    indexing = assembly.indexing(use)
    return Workshop(
        ingest=assembly.ingest(use, indexing, isolated),
        purge=assembly.purge(use, indexing),
        uploads=assembly.uploads(use, library),
        imports=assembly.import_runs(use, library),
        reindex=assembly.reindex_runs(use, indexing),
        maintenance=Maintenance(documents, kbs, use.table, use.queue, use.clock),
    )
