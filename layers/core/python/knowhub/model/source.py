"""Sources of a KB, as they are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from knowhub.model.document import Loss


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A description of where documents come from, and how its latest import ended.

    `spec` is the body that described it. `run` counts its imports from 1; `job_id` is the latest one's. `busy` while
    that one goes on.
    """

    kb_id: int
    name: str
    spec: Mapping[str, object]
    user_id: str
    run: int
    job_id: str
    busy: bool
    created_at: str
    updated_at: str
    documents: int = 0
    error: str | None = None
    losses: tuple[Loss, ...] = ()
    loss_count: int = 0
    version: int = 1


@dataclass(frozen=True, slots=True)
class ListedItem:
    """A document that a source has listed.

    `run` is the latest import that saw it, `loss` why that one could not take it. One that is to be fetched again has
    its `offer`, the item as it was listed: `next_at` is when, `since` when fetching first failed, both in epoch
    seconds, and `tries` counts how often it did.
    """

    doc_id: str
    external_id: str
    uri: str
    run: int
    version: str | None = None
    loss: Loss | None = None
    offer: Mapping[str, Any] | None = None
    next_at: int = 0
    since: int = 0
    tries: int = 0
