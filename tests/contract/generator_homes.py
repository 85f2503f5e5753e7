"""Where the generator suite gets its generators from: each with a server that streams as its vendor does."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Event

from knowhub.calling.endpoints import endpoint
from knowhub.calling.posting import Poster
from knowhub.choices import GeneratorChoice
from knowhub.generators.bedrock import BedrockGenerator
from knowhub.generators.openai_compatible import OpenAiCompatibleGenerator
from knowhub.ports.generator import Generator
from tests.contract.embedder_homes import bedrock_client
from tests.model_servers import Asked, Pauses, Reply
from tests.streaming_servers import AWS_EVENTS, EVENTS, Streamed, StreamingServer, aws_event, event, streaming_server

HOMES = ("bedrock", "openai")

REASONS = {
    "bedrock": {"stop": "end_turn", "length": "max_tokens", "refused": "content_filtered"},
    "openai": {"stop": "stop", "length": "length", "refused": "content_filter"},
}


@dataclass
class Bench:
    """A generator, its server, and what the server says next; `let_go` frees one that hangs."""

    home: str
    generator: Generator
    server: StreamingServer
    pauses: Pauses
    replies: list[Reply | Streamed]
    let_go: Event = field(default_factory=Event)

    def say(
        self,
        words: Sequence[str],
        *,
        reason: str = "stop",
        usage: bool = True,
        cut: int | None = None,
        end: Iterable[bytes] | None = None,
    ) -> None:
        """Have the server write these words in its vendor's form, sent in pieces of `cut` bytes."""
        said = _openai(words) if self.home == "openai" else _bedrock(words)
        ended = list(end) if end is not None else _end(self.home, reason, usage=usage)
        whole = b"".join([*said, *ended])
        size = cut or len(whole)
        self.replies.append(Streamed([whole[at : at + size] for at in range(0, len(whole), size)], self.content_type))

    def hang(self, words: Sequence[str]) -> None:
        """Have the server write these words and then nothing until it is let go."""
        said = _openai(words) if self.home == "openai" else _bedrock(words)

        def pieces() -> Iterator[bytes]:
            yield from said
            self.let_go.wait(30)
            for _ in range(4000):
                # A client that left is only noticed by writing on.
                yield from _openai(["x" * 5000]) if self.home == "openai" else _bedrock(["x" * 5000])

        self.replies.append(Streamed(pieces(), self.content_type))

    def break_off(self, words: Sequence[str]) -> None:
        """Have the server write these words, and close the connection."""
        said = _openai(words) if self.home == "openai" else _bedrock(words)
        self.replies.append(Streamed(said, self.content_type, whole=False))

    @property
    def content_type(self) -> str:
        return EVENTS if self.home == "openai" else AWS_EVENTS


def _openai(words: Sequence[str]) -> list[bytes]:
    role = event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]})
    return [role, *(event({"choices": [{"index": 0, "delta": {"content": word}}]}) for word in words)]


def _bedrock(words: Sequence[str]) -> list[bytes]:
    start = aws_event("messageStart", {"role": "assistant"})
    deltas = [aws_event("contentBlockDelta", {"delta": {"text": word}, "contentBlockIndex": 0}) for word in words]
    return [start, *deltas]


def _end(home: str, reason: str, *, usage: bool) -> list[bytes]:
    told = REASONS[home][reason]
    if home == "openai":
        counts = [event({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 3}})] if usage else []
        return [event({"choices": [{"index": 0, "delta": {}, "finish_reason": told}]}), *counts, b"data: [DONE]\n\n"]
    stop = [aws_event("contentBlockStop", {"contentBlockIndex": 0}), aws_event("messageStop", {"stopReason": told})]
    counts = {"usage": {"inputTokens": 11, "outputTokens": 3, "totalTokens": 14}, "metrics": {"latencyMs": 5}}
    return [*stop, aws_event("metadata", counts)] if usage else stop


@contextmanager
def bench(home: str) -> Iterator[Bench]:
    """Set one home up."""
    replies: list[Reply | Streamed] = []

    def answering(_: Asked) -> Reply | Streamed:
        return replies.pop(0)

    pauses = Pauses()
    with ExitStack() as stack:
        server = stack.enter_context(streaming_server(answering))
        made = Bench(home, _made(home, server, pauses, stack), server, pauses, replies)
        stack.callback(made.let_go.set)
        yield made


def _made(home: str, server: StreamingServer, pauses: Pauses, stack: ExitStack) -> Generator:
    if home == "bedrock":
        client = stack.enter_context(bedrock_client(server.url))
        return BedrockGenerator(client, "some.model-v1:0", retries=pauses.retries())
    choice = GeneratorChoice("openai", "some/model", endpoint(server.url + "/v1"))
    return OpenAiCompatibleGenerator(Poster(endpoint(server.url + "/v1")), choice, retries=pauses.retries())
