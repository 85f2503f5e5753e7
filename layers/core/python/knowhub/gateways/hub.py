"""What a gateway may call: the use-cases, built once a process by `bootstrap`."""

from dataclasses import dataclass

from knowhub.ports.identifiers import Identifiers
from knowhub.services.accounts import Accounts
from knowhub.services.ask import Ask
from knowhub.services.audit import Audit
from knowhub.services.document_lists import DocumentLists
from knowhub.services.documents import Documents
from knowhub.services.identity import Identity
from knowhub.services.imports import Imports
from knowhub.services.jobs import Jobs
from knowhub.services.knowledge_bases import KnowledgeBases
from knowhub.services.members import Members
from knowhub.services.passages import Passages
from knowhub.services.reindex import Reindex
from knowhub.services.repeats import Repeats
from knowhub.services.search import Search
from knowhub.services.sessions import Sessions
from knowhub.services.uploads import Uploads


@dataclass(frozen=True, slots=True)
class Hub:
    """The use-cases that people, AI clients and agents reach."""

    identity: Identity
    accounts: Accounts
    audit: Audit
    knowledge_bases: KnowledgeBases
    members: Members
    repeats: Repeats
    documents: Documents
    uploads: Uploads
    imports: Imports
    document_lists: DocumentLists
    passages: Passages
    jobs: Jobs
    search: Search
    ask: Ask
    sessions: Sessions
    reindex: Reindex
    identifiers: Identifiers
    public_url: str = ""
