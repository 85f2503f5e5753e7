"""How far an import's items have come: counted in passing while it lists, and exactly when it settles."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.sources import ImportRun, SourceRows
from knowhub.model.document import DocumentHead, Loss
from knowhub.model.source import ListedItem

MOST_WATCHED = 500
"""Documents that are asked after while an import lists; what is over shows up when it settles."""

_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Standing:
    """What has become of an import's items; `run` has the losses of all of them.

    `reading` counts documents that are being read, `later` items that are to be fetched again, the next of them at
    `next_at` in epoch seconds.
    """

    run: ImportRun
    offered: int = 0
    done: int = 0
    reading: int = 0
    later: int = 0
    next_at: int = 0


class Progress:
    """Counts over the rows of items and the heads of their documents."""

    def __init__(self, rows: SourceRows, documents: DocumentRows) -> None:
        """Keep the rows."""
        self._rows = rows
        self._documents = documents

    def noted(self, run: ImportRun, taken: list[ListedItem]) -> ImportRun:
        """Count what has just been taken in, and which of the documents watched have been read meanwhile."""
        fresh = [each.doc_id for each in taken if each.loss is None and not each.next_at]
        lost = sum(each.loss is not None for each in taken)
        watched = (*run.watched, *fresh)[:MOST_WATCHED]
        asked, rest = watched[:_AT_ONCE], watched[_AT_ONCE:]
        heads = self._documents.heads(asked)
        still = tuple(each for each in asked if each in heads and heads[each].pending_revision)
        spoilt = sum(each in heads and _has_failed(heads[each]) for each in asked)
        return replace(
            run,
            watched=(*still, *rest),
            done=run.done + len(asked) - len(still) - spoilt,
            failed=run.failed + lost + spoilt,
        )

    def standing(self, run: ImportRun) -> Standing:
        """Look at every item of this run."""
        standing = Standing(run)
        items = (item for item in self._rows.listed.all(run.kb_id, run.collection) if item.run == run.run)
        while batch := list(islice(items, _AT_ONCE)):
            heads = self._documents.heads(item.doc_id for item in batch)
            for item in batch:
                standing = self._counted(standing, item, heads.get(item.doc_id))
        return standing

    def due(self, run: ImportRun, now: float) -> Iterator[ListedItem]:
        """Give the items of this run whose time to be fetched again has come."""
        items = self._rows.listed.all(run.kb_id, run.collection)
        return (item for item in items if item.run == run.run and 0 < item.next_at <= now)

    def _counted(self, standing: Standing, item: ListedItem, head: DocumentHead | None) -> Standing:
        standing = replace(standing, offered=standing.offered + 1)
        if item.next_at:
            earliest = min(standing.next_at or item.next_at, item.next_at)
            return replace(standing, later=standing.later + 1, next_at=earliest)
        if item.loss is not None:
            return replace(standing, run=standing.run.with_losses(item.loss))
        if head is not None and head.pending_revision:
            return replace(standing, reading=standing.reading + 1)
        if head is not None and _has_failed(head):
            return replace(standing, run=standing.run.with_losses(self._reading_loss(item, head.last_revision)))
        return replace(standing, done=standing.done + 1)

    def _reading_loss(self, item: ListedItem, revision: int) -> Loss:
        detail = self._documents.detail(item.doc_id, revision)
        return Loss("UNREADABLE", item.uri, (detail.error if detail else None) or "It could not be read")


def _has_failed(head: DocumentHead) -> bool:
    return not (head.deleted or head.pending_revision) and head.last_revision != head.visible_revision
