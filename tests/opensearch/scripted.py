"""A wire that says what a test tells it to, and a clock that only moves when somebody sleeps."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from knowhub.stores.opensearch.engine import Engine
from knowhub.stores.opensearch.wire import Busy, Refused


@dataclass(frozen=True)
class Sent:
    """One request."""

    method: str
    path: str
    params: Mapping[str, str]
    body: bytes | None
    seconds: float

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in (self.body or b"").splitlines()]

    @property
    def operation(self) -> str:
        return self.path.rpartition("/")[2]


Answer = Any
"""What a request is answered with, or the `Busy` or `Refused` that it raises."""


@dataclass
class Script:
    """A wire, and the clock of who waits for it."""

    answering: Callable[[Sent], Answer]
    takes: float = 0.0
    sent: list[Sent] = field(default_factory=list)
    time: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    def send(self, method: str, path: str, params: Mapping[str, str], body: bytes | None, seconds: float) -> Any:
        asked = Sent(method, path, params, body, seconds)
        self.sent.append(asked)
        self.time += min(self.takes, seconds)
        if self.takes > seconds:
            raise Busy("timed out")
        answer = self.answering(asked)
        if isinstance(answer, Busy | Refused):
            raise answer
        return answer

    def close(self) -> None:
        """Nothing to close."""

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds

    def monotonic(self) -> float:
        return self.time

    def engine(self, deadline: float = 20.0, patience: float = 60.0) -> Engine:
        return Engine(self, deadline=deadline, patience=patience, monotonic=self.monotonic, sleep=self.sleep)

    def of(self, operation: str) -> list[Sent]:
        return [one for one in self.sent if one.operation == operation]


def in_turn(*answers: Answer) -> Callable[[Sent], Answer]:
    """Answer one request after the other; the last answer stays."""
    left = list(answers)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


SHARDS = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}


def hit(chunk_id: str, score: float = 1.0) -> dict[str, Any]:
    """Give a hit as the engine tells it."""
    doc_id, revision, _ = chunk_id.split(":")
    return {"fields": {"doc_id": [doc_id], "kb_id": ["1"], "revision": [int(revision)]}, "sort": [score, chunk_id]}


def found(*hits: dict[str, Any], **members: Any) -> dict[str, Any]:
    """Give the answer of one search of a multi-search."""
    whole = {"took": 2, "timed_out": False, "_shards": SHARDS, "hits": {"hits": list(hits)}, "status": 200}
    return {**whole, **members}


def multi(*parts: dict[str, Any]) -> dict[str, Any]:
    """Give the answer of a multi-search."""
    return {"took": 3, "responses": list(parts)}


def bulk(*statuses: int) -> dict[str, Any]:
    """Give the answer of a bulk write, with the status of each item."""
    error = {"error": {"type": "es_rejected_execution_exception"}}
    items = [
        {"index": {"_id": str(n), "status": status, **(error if status >= 300 else {})}}
        for n, status in enumerate(statuses)
    ]
    return {"errors": any(status >= 300 for status in statuses), "items": items}


def deleted(total: int, gone: int | None = None, conflicts: int = 0, **members: Any) -> dict[str, Any]:
    """Give the answer of a delete by query."""
    done = total if gone is None else gone
    whole = {"total": total, "deleted": done, "version_conflicts": conflicts, "failures": [], "timed_out": False}
    return {**whole, **members}
