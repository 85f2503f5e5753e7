"""A small hub on loopback that keeps to the HTTP contract where the command line relies on it."""

import email.parser
import email.policy
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

KEY = "kh_" + "a" * 43
MADE, LATER = "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.300Z"
PAGE = 2
"""The largest page that this hub gives: every list of three needs paging."""


@dataclass(frozen=True)
class Answer:
    """One HTTP answer; `pieces` are written one by one, so a stream can be cut anywhere."""

    status: int
    pieces: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks_off: bool = False


def answer(status: int, body: object, **headers: str) -> Answer:
    data = json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, (data,), {"Content-Type": "application/json", **named})


def error(status: int, code: str, message: str, **headers: str) -> Answer:
    return answer(status, {"error": {"code": code, "message": message, "detail": {}, "request_id": "req_1"}}, **headers)


def event_stream(*events: tuple[str, object], size: int = 1, breaks_off: bool = False) -> Answer:
    """Answer with events, cut into pieces of `size` bytes whatever characters that splits."""
    text = "".join(f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n" for name, data in events)
    data = b": hello\n\n" + text.encode()
    pieces = tuple(data[start : start + size] for start in range(0, len(data), size))
    return Answer(200, pieces, {"Content-Type": "text/event-stream; charset=utf-8"}, breaks_off)


@dataclass
class StubHub:
    """What the hub holds and was asked; `scripted` answers come first, by method and path."""

    url: str = ""
    kbs: list[dict[str, Any]] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    scripted: dict[str, list[Answer]] = field(default_factory=dict)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    idempotency_keys: list[str] = field(default_factory=list)
    repeated: dict[str, Answer] = field(default_factory=dict)
    stuck: bool = False
    tickets: dict[str, Any] = field(default_factory=dict)
    delivered: list[tuple[Any, Mapping[str, str]]] = field(default_factory=list)

    def script(self, route: str, *answers: Answer) -> None:
        self.scripted.setdefault(route, []).extend(answers)

    def asked(self, route: str) -> list[Any]:
        return [body for method, path, body in self.requests if f"{method} {path}" == route]

    def add_kb(self, name: str, **members: Any) -> int:
        kb_id = len(self.kbs) + 1
        counts = {"document_count": 0, "chunk_count": 0}
        self.kbs.append({"kb_id": kb_id, "name": name, "visibility": "private", **counts, **members})
        return kb_id

    def add_document(self, kb_id: int, title: str, **members: Any) -> str:
        """Take a document as an upload does: the same external id is the same document."""
        known = [
            d for d in self.documents if members.get("external_id") and d.get("external_id") == members["external_id"]
        ]
        document = known[0] if known else {"doc_id": f"d_{len(self.documents) + 1}", "kb_id": kb_id, "losses": []}
        document.update({"title": title, "status": "ready", "error": None, **members})
        if not known:
            self.documents.append(document)
        return str(document["doc_id"])

    def serve(self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: Any) -> Answer:
        self.requests.append((method, path, body))
        repetition = headers.get("idempotency-key", "")
        if repetition:
            self.idempotency_keys.append(repetition)
        waiting = self.scripted.get(f"{method} {path}")
        if waiting:
            return waiting.pop(0)
        if headers.get("authorization") != f"Bearer {KEY}" and path != "/health":
            return error(401, "UNAUTHENTICATED", "Sign in", WWW_Authenticate="Bearer")
        if repetition in self.repeated:
            return self.repeated[repetition]
        result = self._routed(method, path.strip("/").split("/"), query, body)
        if repetition:
            self.repeated[repetition] = result
        return result

    def _routed(self, method: str, parts: list[str], query: Mapping[str, str], body: Any) -> Answer:
        fixed: dict[str, Callable[[], Answer]] = {
            "GET health": lambda: answer(200, {"status": "ok", "version": "9.9.9"}),
            "GET health/ready": lambda: answer(200, {"status": "ready", "dependencies": {"table": {"state": "ok"}}}),
            "GET me": lambda: answer(200, {"username": "ada"}),
            "GET kb": lambda: self._page(self.kbs, query),
            "POST kb": lambda: answer(201, self.kbs[self.add_kb(body["name"]) - 1]),
            "POST search": lambda: answer(200, self._search(body)),
        }
        route = fixed.get(f"{method} {'/'.join(parts)}")
        if route:
            return route()
        if (method, parts[0]) == ("GET", "jobs"):
            return answer(200, self._job(parts[1]))
        if parts[0] == "kb":
            return self._kb(method, int(parts[1]), parts[2:], query, body)
        return error(404, "NOT_FOUND", "No such route")

    def _kb(self, method: str, kb_id: int, rest: list[str], query: Mapping[str, str], body: Any) -> Answer:
        kb = next((kb for kb in self.kbs if kb["kb_id"] == kb_id), None)
        if kb is None:
            return error(404, "KB_NOT_FOUND", "Knowledge base not found")
        if (method, rest) == ("GET", []):
            return answer(200, kb)
        if (method, rest) == ("GET", ["documents"]):
            wanted = query.get("status")
            listed = [d for d in self.documents if d["kb_id"] == kb_id and wanted in {None, d["status"]}]
            return self._page(listed, query)
        if (method, rest) == ("POST", ["documents"]):
            return self._take(kb_id, body)
        if (method, rest) == ("POST", ["uploads"]):
            return self._ticket(body)
        return error(404, "NOT_FOUND", "No such route")

    def _take(self, kb_id: int, body: Any) -> Answer:
        known = next((d for d in self.documents if d.get("external_id") == body.get("external_id")), None)
        same = known is not None and body.items() <= known.items()
        doc_id = self.add_document(kb_id, **body)
        job_id = f"job_{len(self.jobs) + 1}"
        poison = "POISON" in str(body.get("text"))
        outcome = {"state": "failed", "error": "it can't be read"} if poison else {"state": "completed", "error": None}
        times = {"created_at": MADE, "started_at": MADE if same else LATER, "finished_at": MADE if same else LATER}
        self.jobs[job_id] = {"job_id": job_id, "doc_id": doc_id, "looks": 0, "failed": int(poison), **outcome, **times}
        return answer(202, {"doc_id": doc_id, "job_id": job_id, "status": "ready" if known else "pending"})

    def _ticket(self, body: Any) -> Answer:
        upload_id = f"up_{len(self.tickets) + 1}"
        self.tickets[upload_id] = body
        self.jobs[f"job_{upload_id}"] = {"job_id": f"job_{upload_id}", "looks": 0, "state": "pending", "failed": 0}
        fields = {"key": f"uploads/{upload_id}", "content_type": body["content_type"]}
        url = f"{self.url}/_uploads"
        return answer(201, {"upload_id": upload_id, "job_id": f"job_{upload_id}", "url": url, "fields": fields})

    def deliver(self, form: Any, headers: Mapping[str, str]) -> Answer:
        """Take what is posted with a ticket."""
        self.delivered.append((form, headers))
        upload_id = form["key"].removeprefix("uploads/")
        job = self.jobs[f"job_{upload_id}"]
        job.update({"state": "completed", "created_at": MADE, "started_at": LATER, "finished_at": LATER})
        job["doc_id"] = self.add_document(1, self.tickets[upload_id]["title"])
        return Answer(204, ())

    def _job(self, job_id: str) -> dict[str, Any]:
        job = self.jobs[job_id]
        job["looks"] += 1
        return {**job, "state": "running"} if job["looks"] == 1 or self.stuck else job

    def _search(self, body: Any) -> dict[str, Any]:
        hits = [
            {
                "rank": rank,
                "score": 1 / rank,
                "chunk_id": f"{document['doc_id']}:1:1",
                "doc_id": document["doc_id"],
                "title": document["title"],
                "text": document["text"],
                "url": None,
                "highlights": [],
                "locator": {"line_start": 1, "line_end": 2},
            }
            for rank, document in enumerate((d for d in self.documents if body["query"] in d.get("text", "")), 1)
        ]
        return {"query": body["query"], "mode": body["mode"], "hits": hits[: body["top_k"]], "took_ms": 1.0}

    @staticmethod
    def _page(items: list[dict[str, Any]], query: Mapping[str, str]) -> Answer:
        start = int(query.get("cursor", "0"))
        size = min(int(query.get("page_size", "20")), PAGE)
        following = str(start + size) if start + size < len(items) else None
        page = {"items": items[start : start + size], "total": len(items), "page_size": size, "next_cursor": following}
        return answer(200, page)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, *arguments: Any) -> None:
        """Say nothing: a test's output is its own."""

    def _serve(self) -> None:
        hub = cast("_Server", self.server).hub
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        base, _, path = parts.path.partition("/api/v1")
        if parts.path == "/_uploads":
            result = hub.deliver(self._body(), headers)
        elif base:
            result = error(404, "NOT_FOUND", "")
        else:
            result = hub.serve(self.command, path, query, headers, self._body())
        self._send(result)

    def _body(self) -> Any:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind = self.headers.get("Content-Type") or ""
        if not kind.startswith("multipart/"):
            return json.loads(data) if data else None
        head = f"Content-Type: {kind}\r\n\r\n".encode()
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + data)
        form: dict[str, Any] = {}
        for part in message.iter_parts():
            name = part.get_param("name", header="content-disposition")
            content = cast("bytes", part.get_payload(decode=True))
            if name == "file":
                file = {"name": part.get_filename(), "content_type": part.get_content_type(), "size": len(content)}
                # The text stands beside it, as what a search finds.
                form |= {"file": file, "text": content.decode("utf-8", "replace")}
            else:
                form[str(name)] = content.decode()
        return form

    def _send(self, result: Answer) -> None:
        self.send_response(result.status)
        if result.status == 204:
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        for name, value in result.headers.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in result.pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        if result.breaks_off:
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, hub: StubHub) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub = hub

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Let a client hang up without a word; anything else is this file's own fault."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def running() -> Iterator[StubHub]:
    """Serve a fresh hub until the block ends."""
    hub = StubHub()
    with _Server(hub) as server:
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join()
