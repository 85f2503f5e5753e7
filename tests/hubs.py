"""A whole hub over the embedded stores in a temporary folder, driven by hand: no worker, no clock of its own."""

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from knowhub.adapters import Ports
from knowhub.bootstrap import hub_of, workshop_of
from knowhub.catalog.keys import AUDIT_SHARDS
from knowhub.catalog.people import PeopleRows
from knowhub.gateways.a2a.application import a2a_gateway
from knowhub.gateways.http.application import http_gateway
from knowhub.gateways.hub import Hub
from knowhub.gateways.mcp.application import mcp_gateway
from knowhub.gateways.queues import Workshop, document_queue_gateway
from knowhub.model.principal import UserRole
from knowhub.model.times import iso
from knowhub.model.user import User
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.ports.chunk_index import ChunkIndex
from knowhub.ports.embedder import Embedder
from knowhub.ports.table import Query
from knowhub.services.indexing import Indexing
from knowhub.sources.local import LocalFiles
from knowhub.sources.opening import SourceOpener
from knowhub.sources.roots import FolderRoot, Roots
from knowhub.stores.folder.blobs import FolderBlobs
from knowhub.stores.sqlite.queue import SqliteQueue
from knowhub.stores.sqlite.table import SqliteTable
from knowhub.stores.tantivy.generations import TantivyGenerations

PUBLIC_URL = "http://hub.test"
START = 1_800_000_000.0
CLIENT = "198.51.100.7"


@dataclass
class HandClock:
    """A clock that a test moves."""

    seconds: float = START

    def now(self) -> float:
        self.seconds += 0.001
        return self.seconds


@dataclass
class CountedIdentifiers:
    """Ids in order, in the shape of random ones."""

    last: int = 0

    def new(self, prefix: str) -> str:
        self.last += 1
        return f"{prefix}{self.last:026d}"


class NoResolver:
    """Knows no name: nothing leaves this process."""

    def resolve(self, host: str, *, seconds: float) -> list[str]:
        raise OSError(host, seconds)


@dataclass
class Rig:
    """A hub, its background work, and the ways in that a test uses."""

    ports: Ports
    clock: HandClock
    folder: Path
    hub: Hub = field(init=False)
    workshop: Workshop = field(init=False)

    def __post_init__(self) -> None:
        self.hub = hub_of(self.ports, PUBLIC_URL)
        self.workshop = workshop_of(self.ports)

    @property
    def index(self) -> ChunkIndex:
        """The index that serves."""
        return Indexing(self.ports.generations).serving().index

    def user(self, name: str, role: UserRole = "member", **narrowed: Any) -> str:
        """Make a user without a password, whose hashing takes its time on purpose, and give an API key of it."""
        user = User(self.ports.identifiers.new("u_"), name, role, "", iso(self.clock.now()))
        PeopleRows(self.ports.table).create_user(user)
        return self.hub.identity.issue_key(user.user_id, "test", **narrowed).secret

    def drain(self, rounds: int = 50) -> None:
        """Do all work that waits, delayed work too."""
        serve = document_queue_gateway(self.workshop)
        for _ in range(rounds):
            depth = self.ports.queue.depth()
            if not (depth.visible or depth.delayed or depth.in_flight):
                return
            if not depth.visible:
                self.clock.seconds += 61
            messages = self.ports.queue.receive(limit=10, visibility_seconds=60)
            event = {"Records": [{"messageId": one.message_id, "body": one.body} for one in messages]}
            failed = {one["itemIdentifier"] for one in serve(event, context())["batchItemFailures"]}
            self.ports.queue.delete([one.receipt for one in messages if one.message_id not in failed])
        raise AssertionError("the queue does not run empty")

    def audit_events(self) -> list[Any]:
        """Read every audit event, oldest first."""
        day = iso(self.clock.seconds)[:10]
        found: list[Any] = []
        for shard in range(AUDIT_SHARDS):
            found += self.ports.table.query(Query(f"AUDIT#{day}#{shard:02d}", limit=1000)).items
        return sorted(found, key=lambda event: event["at"])

    def http(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str | None = None,
        streaming: bool = False,
        open_docs: bool = False,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        raw: bytes | None = None,
        client: str = CLIENT,
    ) -> "Answer":
        """Call the HTTP gateway."""
        serve = http_gateway(self.hub, ask_streaming=streaming, open_docs=open_docs)
        sent = proxy_event(method, f"/api/v1{path}", body, key=key, headers=headers, query=query, raw=raw)
        sent["requestContext"]["identity"] = {"sourceIp": client}
        return answer_of(serve(sent, context()))

    def mcp(self, body: Any, *, key: str | None = None, method: str = "POST", **options: Any) -> "Answer":
        """Call the MCP gateway."""
        serve = mcp_gateway(self.hub, allowed_origins=frozenset({"https://app.example"}))
        return answer_of(serve(proxy_event(method, "/mcp", body, key=key, **options), context()))

    def a2a(
        self, body: Any, *, key: str | None = None, method: str = "POST", path: str = "/a2a/tasks", **options: Any
    ) -> "Answer":
        """Call the A2A gateway."""
        return answer_of(a2a_gateway(self.hub)(proxy_event(method, path, body, key=key, **options), context()))


@dataclass(frozen=True)
class Answer:
    """An HTTP answer as a client sees it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return str(self.json["error"]["code"])

    @property
    def events(self) -> list[tuple[str, Any]]:
        """Read the body as server-sent events, comments left out."""
        blocks = [block for block in self.body.decode().split("\n\n") if block and not block.startswith(":")]
        lines = [block.split("\n") for block in blocks]
        return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in lines]


@contextmanager
def rig(folder: Path, embedder: Embedder | None = None) -> Iterator[Rig]:
    """Build a hub in a folder, and close what it opened."""
    clock = HandClock()
    (folder / "imports").mkdir()
    table = SqliteTable(folder / "catalog.sqlite3")
    queue = SqliteQueue(folder / "queues.sqlite3", "DocumentQueue", clock=clock, dead_letters="Dead", max_receives=5)
    generations = TantivyGenerations(folder / "chunks")
    try:
        yield Rig(
            Ports(
                table=table,
                blobs=FolderBlobs(folder / "blobs", public_url=PUBLIC_URL, clock=clock),
                queue=queue,
                generations=generations,
                embedder=embedder,
                sources=SourceOpener(
                    roots=Roots(folders=(FolderRoot(str(folder / "imports")),)),
                    stores={"file": LocalFiles([str(folder / "imports")])},
                    client=GuardedClient(Policy(), NoResolver()),
                ),
                clock=clock,
                identifiers=CountedIdentifiers(),
            ),
            clock,
            folder,
        )
    finally:
        for opened in (table, queue, generations):
            opened.close()


def context() -> Any:
    """Give what the gateways use of a Lambda context."""
    return SimpleNamespace(aws_request_id="test", get_remaining_time_in_millis=lambda: 30_000)


def proxy_event(
    method: str,
    path: str,
    body: Any = None,
    *,
    key: str | None = None,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    raw: bytes | None = None,
) -> dict[str, Any]:
    """Write an event as API Gateway's REST API does; `raw` bytes travel as base64."""
    sent = {"Content-Type": "application/json"} if body is not None else {}
    sent |= {"Authorization": f"Bearer {key}"} if key else {}
    sent |= dict(headers or {})
    many = {name: [str(value)] for name, value in (query or {}).items()}
    return {
        "httpMethod": method,
        "path": path,
        "resource": "/api/v1/{proxy+}",
        "headers": sent,
        "multiValueHeaders": {name: [value] for name, value in sent.items()},
        "queryStringParameters": {name: values[-1] for name, values in many.items()} or None,
        "multiValueQueryStringParameters": many or None,
        "pathParameters": None,
        "requestContext": {"requestId": "gateway", "domainName": "api.test", "stage": "live"},
        "body": base64.b64encode(raw).decode() if raw is not None else (None if body is None else json.dumps(body)),
        "isBase64Encoded": raw is not None,
    }


def answer_of(result: Any) -> Answer:
    """Read a handler's result, buffered or streamed, as a client sees it."""
    if not isinstance(result, Mapping):
        prelude, _, body = b"".join(result).partition(b"\0" * 8)
        head = json.loads(prelude)
        return Answer(head["statusCode"], _lower(head["headers"]), body)
    headers = {name: values[-1] for name, values in (result.get("multiValueHeaders") or {}).items()}
    body = result.get("body") or ""
    data = base64.b64decode(body) if result.get("isBase64Encoded") else body.encode()
    return Answer(result["statusCode"], _lower({**headers, **(result.get("headers") or {})}), data)


def _lower(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in headers.items()}
