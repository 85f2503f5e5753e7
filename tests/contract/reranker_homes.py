"""Where the reranker suite gets its rerankers from, each with a server of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from knowhub.calling.bedrock import BedrockModel
from knowhub.ports.reranker import Reranker
from knowhub.rerankers.bedrock import BedrockReranker
from knowhub.rerankers.http import HttpReranker
from tests.contract.embedder_homes import bedrock_client
from tests.model_servers import Asked, ModelServer, Pauses, Reply, model_server, rerank

HOMES = ("cohere", "amazon", "http")
MODELS = {"cohere": "cohere.rerank-v3-5:0", "amazon": "amazon.rerank-v1:0"}


@dataclass
class Bench:
    """A reranker, and what its server was asked; `replies` takes the place of the server's own answers."""

    reranker: Reranker
    server: ModelServer
    pauses: Pauses
    replies: list[Reply]


@contextmanager
def bench(home: str) -> Iterator[Bench]:
    """Set one home up."""
    replies: list[Reply] = []

    def answer(asked: Asked) -> Reply:
        return replies.pop(0) if replies else rerank(asked)

    pauses = Pauses()
    with model_server(answer) as server:
        if home == "http":
            yield Bench(
                HttpReranker(server.poster("/v1/rerank"), "m", retries=pauses.retries()), server, pauses, replies
            )
            return
        with bedrock_client(server.url) as client:
            model = BedrockModel(client, MODELS[home], variable="KNOWHUB_RERANKER", retries=pauses.retries())
            yield Bench(BedrockReranker(model), server, pauses, replies)
