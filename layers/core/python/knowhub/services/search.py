"""Search as a use-case: the scope that the principal may search, then the kernel behind the gate."""

from collections.abc import Sequence
from dataclasses import replace

from knowhub.catalog.documents import DocumentRows
from knowhub.model.hit import SearchResult
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.model.query import SearchRequest
from knowhub.retrieval.gate import Gate
from knowhub.retrieval.search import Kernel
from knowhub.services.permissions import Permissions

MAX_KBS = 100
"""KBs that one request searches; further ones are left out, and the answer says so."""


class Search:
    """The one way to search, from every wire."""

    def __init__(self, kernel: Kernel, permissions: Permissions, documents: DocumentRows) -> None:
        """Keep the collaborators."""
        self._kernel = kernel
        self._permissions = permissions
        self._documents = documents

    def run(self, principal: Principal, request: SearchRequest) -> SearchResult:
        """Search the asked KBs, or all that the principal reads.

        A KB that was asked for and can't be read raises `NotFound`, whichever way it is missing.
        """
        kbs = self.scope(principal, request.kb_ids)
        used = kbs[:MAX_KBS]
        gate = Gate(
            read_heads=self._documents.heads,
            readable=lambda found: self._permissions.readable_of(principal, found),
        )
        result = self._kernel.search(request, {kb.kb_id: kb.language for kb in used}, gate)
        return replace(result, scope_truncated=len(kbs) > len(used))

    def scope(self, principal: Principal, kb_ids: Sequence[int] | None) -> list[KnowledgeBase]:
        """Check each asked KB, or list every readable one, ascending."""
        if kb_ids is None:
            return [kb for kb, _ in self._permissions.readable(principal)]
        return [self._permissions.require(principal, kb_id, "read") for kb_id in dict.fromkeys(kb_ids)]
