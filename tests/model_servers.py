"""Servers on loopback that stand in for models: what they answer is a test's to say, what they are asked is kept."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from knowhub.calling.endpoints import endpoint
from knowhub.calling.posting import Poster
from knowhub.calling.retrying import Retries


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """One answer; `content` that is not bytes is written as JSON."""

    content: Any = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode()


Answering = Callable[[Asked], Reply]


@dataclass
class ModelServer:
    """A server that runs: its port and what it was asked, in order."""

    port: int
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def poster(self, path: str = "/v1") -> Poster:
        return Poster(endpoint(self.url + path))


@contextmanager
def model_server(answering: Answering) -> Iterator[ModelServer]:
    """Answer every POST until the test is over."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.path, headers, self.rfile.read(length))
            served.asked.append(asked)
            reply = answering(asked)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, *arguments: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served = ModelServer(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Pauses:
    """A clock that only pauses move, and the pauses."""

    made: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.made.append(seconds)

    def clock(self) -> float:
        return sum(self.made)

    def retries(self) -> Retries:
        return Retries(sleep=self.sleep, clock=self.clock, chance=lambda: 0.0)


class Script:
    """Gives the replies in order, and the last one from then on."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)

    def __call__(self, _: Asked) -> Reply:
        return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


def made_up_vector(text: str, length: int) -> list[float]:
    """Give numbers that depend on the text alone; they are not of length 1."""
    seed = hashlib.sha256(text.encode()).digest()
    return [(seed[place % 32] - 127.5) * (1 + place // 32) for place in range(length)]


def titan(asked: Asked) -> Reply:
    """Answer as Titan text embeddings v2 does."""
    content = asked.json
    if not content["inputText"]:
        return refusal("ValidationException", "expected minLength: 1", status=400)
    vector = made_up_vector(content["inputText"], content["dimensions"])
    return Reply({"embedding": vector, "inputTextTokenCount": 3})


def cohere(asked: Asked) -> Reply:
    """Answer as Cohere's multilingual v3 does."""
    content = asked.json
    if len(content["texts"]) > 96 or any(not 1 <= len(text) <= 2048 for text in content["texts"]):
        return refusal("ValidationException", "Malformed input request", status=400)
    vectors = [made_up_vector(content["input_type"] + text, 1024) for text in content["texts"]]
    return Reply({"embeddings": vectors, "id": "1", "response_type": "embeddings_floats", "texts": content["texts"]})


def refusal(code: str, message: str = "no", *, status: int = 400) -> Reply:
    """Answer as Bedrock refuses."""
    return Reply({"message": message}, status, {"x-amzn-ErrorType": code, "Content-Type": "application/json"})


def embeddings(asked: Asked) -> Reply:
    """Answer as an embeddings server does, last text first."""
    content = asked.json
    length = content.get("dimensions", 8)
    data = [
        {"object": "embedding", "index": place, "embedding": made_up_vector(text, length)}
        for place, text in enumerate(content["input"])
    ]
    return Reply({"object": "list", "data": data[::-1], "model": content["model"], "usage": {"total_tokens": 1}})


def rerank(asked: Asked) -> Reply:
    """Answer as a rerank server does: a document is as good as its share of the query's words."""
    content = asked.json
    words = set(content["query"].split())
    scores = [len(words & set(text.split())) / len(words) for text in content["documents"]]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])[: content["top_n"]]
    return Reply({"results": [{"index": place, "relevance_score": scores[place]} for place in order]})
