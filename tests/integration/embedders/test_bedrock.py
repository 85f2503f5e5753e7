"""What is sent to Bedrock's models, and what their refusals mean."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ReadTimeoutError

from knowhub.calling.bedrock import BedrockModel
from knowhub.embedders.bedrock import embedder
from knowhub.errors import Unavailable
from knowhub.settings import InvalidSettings
from tests.contract.embedder_homes import Bench, bedrock_client, bench
from tests.model_servers import Asked, Pauses, Reply, made_up_vector, model_server, refusal, titan


@pytest.fixture
def titan_bench() -> Iterator[Bench]:
    with bench("titan", length=512) as made:
        yield made


@pytest.fixture
def cohere_bench() -> Iterator[Bench]:
    with bench("cohere") as made:
        yield made


def test_titan_is_asked_for_the_length_of_the_setting(titan_bench: Bench) -> None:
    titan_bench.embedder.embed_query("a query")
    (asked,) = titan_bench.server.asked
    assert asked.path == "/model/amazon.titan-embed-text-v2%3A0/invoke"
    assert asked.json == {"inputText": "a query", "dimensions": 512, "normalize": True}
    assert titan_bench.embedder.profile.identity == "bedrock:amazon.titan-embed-text-v2:0:512"


def test_a_text_with_too_many_tokens_is_halved_until_it_is_taken(titan_bench: Bench) -> None:
    too_long = refusal("ValidationException", "400 Bad Request: Too many input tokens. Max input tokens: 8192")
    titan_bench.replies += [too_long, too_long]
    assert titan_bench.embedder.embed_query("字" * 9000) is not None
    assert [len(asked.json["inputText"]) for asked in titan_bench.server.asked] == [8000, 4000, 2000]


def test_halving_has_an_end(titan_bench: Bench) -> None:
    titan_bench.replies += [refusal("ValidationException", "Too many input tokens")] * 20
    with pytest.raises(Unavailable, match="length"):
        titan_bench.embedder.embed_query("字" * 9000)
    assert len(titan_bench.server.asked) == 6


def test_cohere_tells_queries_from_documents_and_gets_96_texts_a_call(cohere_bench: Bench) -> None:
    cohere_bench.embedder.embed_query("q" * 3000)
    cohere_bench.embedder.embed_documents([f"{number}" for number in range(200)])
    query, *batches = [asked.json for asked in cohere_bench.server.asked]
    assert (query["input_type"], query["truncate"], len(query["texts"][0])) == ("search_query", "END", 2048)
    assert {batch["input_type"] for batch in batches} == {"search_document"}
    assert sorted(len(batch["texts"]) for batch in batches) == [8, 96, 96]


def test_cohere_may_give_vectors_by_kind(cohere_bench: Bench) -> None:
    cohere_bench.replies.append(Reply({"embeddings": {"float": [made_up_vector("x", 1024)]}}))
    assert cohere_bench.embedder.embed_query("x") is not None


@pytest.mark.parametrize(
    "content",
    [
        {"embeddings": []}, {"embeddings": {}}, {"embeddings": [[1.0] * 1024] * 2}, {"embeddings": [[1.0] * 1023]},
        {"embeddings": [[float("nan")] * 1024]}, {"embeddings": {"int8": [[1] * 1024]}}, {"vectors": []},
    ],
)  # fmt: skip
def test_an_answer_that_does_not_fit_is_unavailable(cohere_bench: Bench, content: Any) -> None:
    cohere_bench.replies.append(Reply(content))
    with pytest.raises(Unavailable):
        cohere_bench.embedder.embed_query("x")


def test_calls_run_side_by_side_within_a_bound() -> None:
    """Each call waits until six are under way: fewer would never get on, and a seventh at once is noticed."""
    together, lock, most, running = threading.Barrier(6, timeout=20), threading.Lock(), [0], [0]

    def answering(asked: Asked) -> Reply:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        together.wait()
        with lock:
            running[0] -= 1
        return titan(asked)

    with model_server(answering) as server, bedrock_client(server.url) as client:
        model = BedrockModel(client, "amazon.titan-embed-text-v2:0", variable="KNOWHUB_EMBEDDER")
        found = embedder(model, 256, weight=None).embed_documents([f"text {number}" for number in range(12)])
    assert None not in found
    assert most == [6]


PASSING = [
    ("ThrottlingException", 429), ("ServiceUnavailableException", 503), ("ModelTimeoutException", 408),
    ("InternalServerException", 500), ("ModelNotReadyException", 429), ("ServiceQuotaExceededException", 400),
    ("ModelErrorException", 424), ("SomethingNew", 500), ("TooManyRequestsException", 429),
]  # fmt: skip
REFUSED = [
    ("AccessDeniedException", 403), ("ValidationException", 400), ("ResourceNotFoundException", 404),
    ("UnrecognizedClientException", 403), ("ExpiredTokenException", 403),
]  # fmt: skip


@pytest.mark.parametrize(("code", "status"), PASSING)
def test_what_passes_is_tried_again(titan_bench: Bench, code: str, status: int) -> None:
    titan_bench.replies.append(refusal(code, status=status))
    assert titan_bench.embedder.embed_query("x") is not None


@pytest.mark.parametrize(("code", "status"), REFUSED)
def test_what_does_not_pass_is_a_wrong_setting_and_names_no_account(titan_bench: Bench, code: str, status: int) -> None:
    words = "User: arn:aws:sts::111122223333:assumed-role/x is not authorized"
    titan_bench.replies.append(refusal(code, words, status=status))
    with pytest.raises(InvalidSettings, match=rf"^KNOWHUB_EMBEDDER: .*{code}") as caught:
        titan_bench.embedder.embed_query("x")
    assert "111122223333" not in str(caught.value)
    assert len(titan_bench.server.asked) == 1


class Failing:
    """A client whose calls all raise."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def invoke_model(self, **_: Any) -> Any:
        raise self.error


@contextmanager
def asking(error: Exception) -> Iterator[Any]:
    model = BedrockModel(
        Failing(error), "amazon.titan-embed-text-v2:0", variable="KNOWHUB_EMBEDDER", retries=Pauses().retries()
    )
    yield embedder(model, 256, weight=2.0)


@pytest.mark.parametrize("error", [EndpointConnectionError(endpoint_url="x"), ReadTimeoutError(endpoint_url="x")])
def test_a_service_that_is_not_reached_is_unavailable(error: Exception) -> None:
    with asking(error) as embedding, pytest.raises(Unavailable, match="does not answer"):
        embedding.embed_query("x")


def test_missing_credentials_are_a_wrong_setting() -> None:
    with asking(NoCredentialsError()) as embedding, pytest.raises(InvalidSettings, match="KNOWHUB_EMBEDDER"):
        embedding.embed_query("x")


def test_a_weight_of_the_setting_is_the_profiles() -> None:
    with asking(NoCredentialsError()) as embedding:
        assert (embedding.profile.weight, embedding.profile.cross_language) == (2.0, False)
