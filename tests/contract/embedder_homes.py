"""Where the embedder suite gets its embedders from: the offline one itself, the others with a server of their own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
from botocore.config import Config

from knowhub.calling.bedrock import BedrockModel
from knowhub.choices import EmbedderChoice
from knowhub.embedders.bedrock import embedder
from knowhub.embedders.offline import OfflineEmbedder
from knowhub.embedders.openai_compatible import OpenAiCompatibleEmbedder
from knowhub.ports.embedder import Embedder
from tests.model_servers import Answering, Asked, ModelServer, Pauses, Reply, cohere, embeddings, model_server, titan

HOMES = ("offline", "titan", "cohere", "openai")
REMOTE = HOMES[1:]


@dataclass
class Bench:
    """An embedder, and what its server was asked; `replies` takes the place of the server's own answers."""

    embedder: Embedder
    server: ModelServer
    pauses: Pauses
    replies: list[Reply]


@cache
def loaded() -> OfflineEmbedder:
    """Load the model once a process."""
    return OfflineEmbedder()


@contextmanager
def bench(home: str, *, length: int = 256) -> Iterator[Bench]:
    """Set one home up."""
    makers: dict[str, tuple[Answering, Callable[[ModelServer, Pauses, ExitStack], Embedder]]] = {
        "offline": (embeddings, lambda *_: loaded()),
        "titan": (titan, lambda server, pauses, stack: _titan(server, pauses, stack, length)),
        "cohere": (cohere, _cohere),
        "openai": (embeddings, lambda server, pauses, _: openai(server, pauses, length)),
    }
    answering, make = makers[home]
    replies: list[Reply] = []

    def answer(asked: Asked) -> Reply:
        return replies.pop(0) if replies else answering(asked)

    pauses = Pauses()
    with model_server(answer) as server, ExitStack() as stack:
        yield Bench(make(server, pauses, stack), server, pauses, replies)


def openai(server: ModelServer, pauses: Pauses, length: int) -> OpenAiCompatibleEmbedder:
    choice = EmbedderChoice("openai", "some/model", length, asked=True)
    return OpenAiCompatibleEmbedder(server.poster(), choice, retries=pauses.retries())


@contextmanager
def bedrock_client(url: str) -> Iterator[Any]:
    """Give the service's own client, pointed at a server on loopback."""
    config = Config(read_timeout=10, retries={"total_max_attempts": 1}, proxies={})
    client = boto3.client(
        "bedrock-runtime",
        region_name="eu-central-1",
        endpoint_url=url,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=config,
    )
    with closing(client):
        yield client


def _titan(server: ModelServer, pauses: Pauses, stack: ExitStack, length: int) -> Embedder:
    client = stack.enter_context(bedrock_client(server.url))
    model = "amazon.titan-embed-text-v2:0"
    return embedder(
        BedrockModel(client, model, variable="KNOWHUB_EMBEDDER", retries=pauses.retries()), length, weight=None
    )


def _cohere(server: ModelServer, pauses: Pauses, stack: ExitStack) -> Embedder:
    client = stack.enter_context(bedrock_client(server.url))
    model = "cohere.embed-multilingual-v3"
    return embedder(
        BedrockModel(client, model, variable="KNOWHUB_EMBEDDER", retries=pauses.retries()), 1024, weight=None
    )
