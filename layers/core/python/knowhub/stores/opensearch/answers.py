"""What the engine answers, checked to be whole: an answer with holes is `Busy`, and asked for again."""

from dataclasses import dataclass
from typing import Any

from knowhub.ports.chunk_index import Candidate
from knowhub.stores.opensearch.schema import CHUNK, DOC_ID, KB_ID, REVISION
from knowhub.stores.opensearch.wire import Busy, Refused, cause, passes

DOCUMENT_FIELDS = (DOC_ID, KB_ID, REVISION)
"""What a hit is asked for; its chunk id comes as what it is sorted by."""

_MISSHAPEN = (LookupError, TypeError, ValueError, AttributeError, StopIteration)
"""What reading an answer of another shape than the engine's runs into."""

_OK = 200
_FAILED = 300
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a search found, with the engine's score (0 where it does not score)."""

    chunk_id: str
    doc_id: str
    kb_id: int
    revision: int
    score: float

    def candidate(self, score: float) -> Candidate:
        """Give the candidate with the score of its leg."""
        return Candidate(self.chunk_id, self.doc_id, self.kb_id, self.revision, score)


@dataclass(frozen=True, slots=True)
class Found:
    """The hits of one search, best first; `cut` where the engine stopped looking before it had seen everything."""

    hits: tuple[Hit, ...]
    took_ms: float
    cut: bool = False


def searches(answer: Any, count: int) -> list[Found]:
    """Read the answer of a multi-search of `count` searches."""
    with_holes = "the answer of a search has holes"
    try:
        parts = answer["responses"]
        if len(parts) != count:
            raise Busy(with_holes)
        return [_search(part) for part in parts]
    except _MISSHAPEN as error:
        raise Busy(with_holes) from error


def whole_count(answer: Any) -> int:
    """Read a count."""
    try:
        _check_shards(answer)
        return int(answer["count"])
    except _MISSHAPEN as error:
        raise Busy("the answer of a count has holes") from error


def stored(answer: Any) -> dict[str, str]:
    """Read stored chunks by id."""
    try:
        for document in answer["docs"]:
            if "error" in document:
                _fail(int(document.get("status", _SERVER_ERROR)), document)
        return {document["_id"]: document["_source"][CHUNK] for document in answer["docs"] if document["found"]}
    except _MISSHAPEN as error:
        raise Busy("the answer of a read has holes") from error


def refreshed(answer: Any) -> None:
    """Check that every shard has refreshed."""
    try:
        if answer["_shards"]["failed"]:
            raise Busy("some shards did not refresh")
    except _MISSHAPEN as error:
        raise Busy("the answer of a refresh has holes") from error


def left_to_write(answer: Any, count: int) -> list[int]:
    """Give the places of the items of a bulk write that are to be sent again; raises for one that is refused."""
    try:
        items = [next(iter(item.values())) for item in answer["items"]]
        if len(items) != count:
            raise Busy("the answer of a write has holes")
        failed = [(place, int(item["status"]), item) for place, item in enumerate(items)]
    except _MISSHAPEN as error:
        raise Busy("the answer of a write has holes") from error
    for _, status, item in failed:
        if status >= _FAILED and not _passes(status):
            raise Refused(status, cause(item))
    return [place for place, status, _ in failed if status >= _FAILED]


@dataclass(frozen=True, slots=True)
class Deleted:
    """What one delete by query did: whether it took anything out, and whether anything may be left."""

    some: bool
    more: bool


def deletion(answer: Any, most: int) -> Deleted:
    """Read the answer of a delete by query of up to `most` chunks."""
    try:
        deleted, total = int(answer["deleted"]), int(answer["total"])
        held_up = bool(answer["version_conflicts"] or answer["failures"] or answer["timed_out"])
    except _MISSHAPEN as error:
        raise Busy("the answer of a delete has holes") from error
    return Deleted(some=deleted > 0, more=held_up or deleted < total or total >= most)


def _search(part: Any) -> Found:
    if part.get("status", _OK) != _OK or "error" in part:
        _fail(int(part.get("status", _SERVER_ERROR)), part)
    if part["timed_out"]:
        raise Busy("a search timed out")
    _check_shards(part)
    hits = tuple(_hit(hit) for hit in part["hits"]["hits"])
    return Found(hits, float(part["took"]), bool(part.get("terminated_early", False)))


def _check_shards(part: Any) -> None:
    shards = part["_shards"]
    if shards["failed"] or shards["successful"] < shards["total"] or not shards["total"]:
        raise Busy("some shards did not answer")


def _hit(hit: Any) -> Hit:
    fields, sort = hit["fields"], hit["sort"]
    score = float(sort[0]) if len(sort) > 1 else 0.0
    return Hit(sort[-1], fields[DOC_ID][0], int(fields[KB_ID][0]), int(fields[REVISION][0]), score)


def _passes(status: int) -> bool:
    """Tell whether a part may succeed a moment later: inside of an answer, any error of a shard's own may."""
    return passes(status) or status >= _SERVER_ERROR


def _fail(status: int, part: Any) -> None:
    if _passes(status):
        raise Busy(f"{status} {cause(part)}")
    raise Refused(status, cause(part))
