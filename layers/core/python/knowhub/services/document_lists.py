"""Lists of a KB's documents, newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.knowledge_bases import KnowledgeBaseRows
from knowhub.errors import InvalidRequest
from knowhub.model.document import DocumentDetail, DocumentHead
from knowhub.model.knowledge_base import KnowledgeBase
from knowhub.model.principal import Principal
from knowhub.services.documents import DocumentView
from knowhub.services.permissions import Permissions

SCANNED = 1000
"""Documents looked at for one page of a filtered list by cursor; a sparser match goes on with the next one."""

SCANNED_FOR_NUMBER = 5000
"""As above for a numbered page, which begins at the first document."""

_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Which documents, and where to go on: `after` is a place that an earlier page gave, `skip` counts documents."""

    limit: int
    after: str | None = None
    skip: int = 0
    status: str | None = None
    title_prefix: str | None = None
    source: str | None = None

    @property
    def filtered(self) -> bool:
        """Tell whether documents must be looked at to know whether they are in the list."""
        return bool(self.title_prefix or self.source)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Documents as their readers see them; `total` is None where it is not counted, `after` None at the end."""

    items: tuple[DocumentView, ...]
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
        """Give one page; raises `NotFound` where the KB can't be read.

        Raises `InvalidRequest` for a number so far behind that finding its documents would take too long.
        """
        kb = self._permissions.require(principal, kb_id, "read")
        heads, after = self._found(kb, query)
        return DocumentPage(self._views(heads), self._total(kb, query), after)

    def views(self, principal: Principal, doc_ids: Sequence[str]) -> tuple[DocumentView, ...]:
        """Show these documents in their order, those left out that are gone or in KBs that can't be read."""
        heads = self._documents.heads(doc_ids)
        live = [heads[doc_id] for doc_id in doc_ids if doc_id in heads and not heads[doc_id].deleted]
        readable = self._permissions.readable_of(principal, [head.kb_id for head in live])
        return self._views([head for head in live if head.kb_id in readable])

    def _found(self, kb: KnowledgeBase, query: DocumentQuery) -> tuple[list[DocumentHead], str | None]:
        """Give the page's heads, and the place to go on after where there may be more."""
        found: list[DocumentHead] = []
        skip, last = query.skip, query.after
        # A numbered page must be full, or the next number would leave documents out.
        most = SCANNED_FOR_NUMBER if query.after is None else SCANNED
        for looked, (place, head) in enumerate(self._candidates(kb, query)):
            if len(found) == query.limit or (query.filtered and looked >= most):
                if skip:
                    raise _too_far()
                return found, last
            last = place
            if head is not None and not _matches(head, query):
                continue
            if skip:
                skip -= 1
            elif head is not None:
                found.append(head)
        return found, None

    def _candidates(self, kb: KnowledgeBase, query: DocumentQuery) -> Iterator[tuple[str, DocumentHead | None]]:
        """Give documents from the newest on; without a filter those to be skipped are not looked at, which is None."""
        place, unseen = query.after, 0 if query.filtered else query.skip
        at_once = _AT_ONCE if query.filtered else query.limit + 1
        while True:
            limit = unseen or at_once
            places = self._documents.newest(kb.kb_id, kb.list_shards, before=place, limit=limit, status=query.status)
            heads = {} if unseen else self._documents.heads(doc_id for _, doc_id in places)
            for place, doc_id in places:
                if unseen or doc_id in heads:
                    yield place, heads.get(doc_id)
            if len(places) < limit:
                return
            unseen = 0

    def _views(self, heads: Sequence[DocumentHead]) -> tuple[DocumentView, ...]:
        shown = {head.doc_id: head.visible_revision or head.last_revision for head in heads}
        failed = {head.doc_id: head.last_revision for head in heads if _failed_later(head, shown[head.doc_id])}
        details = self._documents.details(shown.items())
        errors = self._documents.details(failed.items())
        return tuple(_view(head, details[head.doc_id], errors) for head in heads if head.doc_id in details)

    def _total(self, kb: KnowledgeBase, query: DocumentQuery) -> int | None:
        if query.title_prefix or (query.source and query.status):
            return None
        if query.source:
            return self._kbs.counters(kb.kb_id).get(f"source_{query.source}", 0)
        counters = self._kbs.counters(kb.kb_id)
        return counters.get("documents" if query.status is None else f"status_{query.status}", 0)


def _view(head: DocumentHead, detail: DocumentDetail, latest: dict[str, DocumentDetail]) -> DocumentView:
    later = latest.get(head.doc_id)
    return DocumentView(head, detail, later.error if later is not None else detail.error)


def _failed_later(head: DocumentHead, shown: int) -> bool:
    return head.last_revision != shown and not head.pending_revision


def _matches(head: DocumentHead, query: DocumentQuery) -> bool:
    if head.deleted or (query.status is not None and head.status != query.status):
        return False
    if query.source is not None and head.source != query.source:
        return False
    return query.title_prefix is None or head.title.casefold().startswith(query.title_prefix.casefold())


def _too_far() -> InvalidRequest:
    message = f"more than {SCANNED_FOR_NUMBER} documents lie before this page: use cursor"
    error = {"loc": ["query", "page"], "type": "value_error", "message": message}
    return InvalidRequest(message, {"errors": [error]})
