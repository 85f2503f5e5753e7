"""Lists of a KB's documents, newest first."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.model.document import DocumentDetail, DocumentHead
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.services.permissions import Permissions

_SCAN = 1000
"""Documents looked at for one page of a title search; a sparser match goes on with the cursor."""


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents, and where to go on: `after` is a place that an earlier page gave, `skip` counts documents."""

    limit: int
    after: str | None = None
    skip: int = 0
    status: str | None = None
    title_prefix: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents with their details; `total` is None where it is not counted, `after` None at the end."""

    items: tuple[tuple[DocumentHead, DocumentDetail], ...]
    total: int | None
    after: str | None


class DocumentLists:
    """Pages through documents; an index finds them, their heads decide."""

    def __init__(self, documents: DocumentRows, kbs: KnowledgeBaseRows, permissions: Permissions) -> None:
        """Keep the collaborators."""
        self._documents = documents
        self._kbs = kbs
        self._permissions = permissions

    def page(self, principal: Principal, kb_id: int, query: DocumentQuery) -> DocumentPage:
        """Give one page; raises `NotFound` where the KB can't be read."""
        kb = self._permissions.require(principal, kb_id, "read")
        wanted = _SCAN if query.title_prefix or query.source else query.skip + query.limit
        places = self._documents.newest(
            kb_id, kb.list_shards, before=query.after, limit=wanted + 1, status=query.status
        )
        more = len(places) > wanted
        heads, last = self._matching(places[:wanted], query)
        after = last if last is not None else (places[wanted - 1][0] if more else None)
        return DocumentPage(self._with_details(heads), self._total(kb, query), after)

    def views(self, principal: Principal, doc_ids: Sequence[str]) -> tuple[tuple[DocumentHead, DocumentDetail], ...]:
        """Show these documents in their order, those left out that are gone or in KBs that can't be read."""
        heads = self._documents.heads(doc_ids)
        live = [heads[doc_id] for doc_id in doc_ids if doc_id in heads and not heads[doc_id].deleted]
        readable = self._permissions.readable_of(principal, [head.kb_id for head in live])
        return self._with_details([head for head in live if head.kb_id in readable])

    def _matching(self, places: list[tuple[str, str]], query: DocumentQuery) -> tuple[list[DocumentHead], str | None]:
        """Give the page's heads, and the place of its last one where the page filled up before the places ended."""
        found: list[DocumentHead] = []
        heads = self._documents.heads(doc_id for _, doc_id in places[query.skip :])
        for number, (place, doc_id) in enumerate(places[query.skip :], start=query.skip + 1):
            head = heads.get(doc_id)
            if head is None or not _matches(head, query):
                continue
            found.append(head)
            if len(found) == query.limit and number < len(places):
                return found, place
        return found, None

    def _with_details(self, heads: list[DocumentHead]) -> tuple[tuple[DocumentHead, DocumentDetail], ...]:
        details = self._documents.details((head.doc_id, head.visible_revision or head.last_revision) for head in heads)
        return tuple((head, details[head.doc_id]) for head in heads if head.doc_id in details)

    def _total(self, kb: KnowledgeBase, query: DocumentQuery) -> int | None:
        if query.title_prefix or (query.source and query.status):
            return None
        if query.source:
            return self._kbs.counters(kb.kb_id).get(f"source_{query.source}", 0)
        counters = self._kbs.counters(kb.kb_id)
        return counters.get("documents" if query.status is None else f"status_{query.status}", 0)


def _matches(head: DocumentHead, query: DocumentQuery) -> bool:
    if head.deleted or (query.status is not None and head.status != query.status):
        return False
    if query.source is not None and head.source != query.source:
        return False
    return query.title_prefix is None or head.title.casefold().startswith(query.title_prefix.casefold())
