"""What is sent to an embeddings server, and how hostile or confused ones are held."""

import base64
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from knowhub.calling.keys import Key
from knowhub.choices import EmbedderChoice, KeyReference
from knowhub.embedders.openai_compatible import OpenAiCompatibleEmbedder
from knowhub.errors import Unavailable
from knowhub.settings import InvalidSettings
from tests.model_servers import Answering, ModelServer, Pauses, Reply, Script, embeddings, made_up_vector, model_server

SECRET = "sk-made-up-0123"
KEY = Key("KNOWHUB_EMBEDDER_KEY", KeyReference("env", "X"), {"env": lambda _: SECRET})


@contextmanager
def served(
    answering: Answering, *, asked: bool = False, characters: int = 6000, key: Key | None = KEY
) -> Iterator[tuple[OpenAiCompatibleEmbedder, ModelServer, Pauses]]:
    pauses = Pauses()
    choice = EmbedderChoice("openai", "some/model", 8, asked=asked, characters=characters)
    with model_server(answering) as server:
        made = OpenAiCompatibleEmbedder(server.poster("/api/v1"), choice, key=key, retries=pauses.retries())
        yield made, server, pauses


def data(*items: Any) -> Reply:
    return Reply({"data": list(items)})


GOOD = {"index": 0, "embedding": [1.0] * 8}


def test_a_request_has_what_the_interface_asks_for() -> None:
    with served(embeddings) as (embedder, server, _):
        embedder.embed_query("a query")
    (asked,) = server.asked
    assert asked.path == "/api/v1/embeddings"
    assert asked.json == {"model": "some/model", "input": ["a query"], "encoding_format": "float"}
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert asked.headers["host"] == f"127.0.0.1:{server.port}"
    assert embedder.profile.identity == "openai:127.0.0.1:some/model:8"


def test_a_length_is_asked_for_only_where_the_setting_says_so() -> None:
    with served(embeddings, asked=True) as (embedder, server, _):
        embedder.embed_query("a query")
    assert server.asked[0].json["dimensions"] == 8


def test_without_a_key_none_is_sent() -> None:
    with served(embeddings, key=None) as (embedder, server, _):
        embedder.embed_query("x")
    assert "authorization" not in server.asked[0].headers


def test_batches_are_bounded_in_texts_and_in_characters() -> None:
    with served(embeddings, characters=40_000) as (embedder, server, _):
        embedder.embed_documents(["short"] * 130)
        embedder.embed_documents(["x" * 50_000] * 3)
    sizes = [[len(text) for text in asked.json["input"]] for asked in server.asked]
    assert [len(batch) for batch in sizes[:3]] == [64, 64, 2]
    assert sizes[3:] == [[40_000, 40_000], [40_000]]


def test_vectors_are_put_in_the_order_of_the_texts() -> None:
    vectors = [made_up_vector(text, 8) for text in "abc"]
    shuffled = [{"index": place, "embedding": vectors[place]} for place in (2, 0, 1)]
    plain = [{"embedding": vector} for vector in vectors]
    with served(Script(data(*shuffled), data(*plain))) as (embedder, _, _pauses):
        assert embedder.embed_documents(list("abc")) == embedder.embed_documents(list("abc"))


def test_vectors_may_come_in_base64() -> None:
    coded = base64.b64encode(struct.pack("<8f", 3, 4, 0, 0, 0, 0, 0, 0)).decode()
    with served(Script(data({"index": 0, "embedding": coded}))) as (embedder, _, _pauses):
        assert embedder.embed_query("x") == [0.6, 0.8, 0, 0, 0, 0, 0, 0]


def test_a_vector_of_zeros_has_no_direction() -> None:
    with served(Script(data({"index": 0, "embedding": [0] * 8}))) as (embedder, _, _pauses):
        assert embedder.embed_query("x") is None


@pytest.mark.parametrize(
    "reply",
    [
        data(), data(GOOD), data(GOOD, GOOD), data(GOOD, {**GOOD, "index": 2}), data(GOOD, {**GOOD, "index": -1}),
        data(GOOD, {**GOOD, "index": "1"}), data(GOOD, {**GOOD, "index": True}), data(GOOD, {**GOOD, "index": None}),
        data(GOOD, {"embedding": [1.0] * 8}), data(GOOD, {"index": 1}), data(GOOD, GOOD, {**GOOD, "index": 1}),
        data(GOOD, {"index": 1, "embedding": [1.0] * 7}), data(GOOD, {"index": 1, "embedding": []}),
        data(GOOD, {"index": 1, "embedding": [float("nan")] * 8}), data(GOOD, {"index": 1, "embedding": "###"}),
        data(GOOD, {"index": 1, "embedding": "AAAA"}), data(GOOD, {"index": 1, "embedding": "AAAAAA=="}),
        data(GOOD, {"index": 1, "embedding": base64.b64encode(struct.pack("<8f", *[float("inf")] * 8)).decode()}),
        data(GOOD, 5), data(GOOD, None), Reply({"data": {}}), Reply([GOOD, GOOD]),
    ],
)  # fmt: skip
def test_an_answer_that_does_not_fit_the_question_is_unavailable_at_once(reply: Reply) -> None:
    with served(Script(reply)) as (embedder, server, _), pytest.raises(Unavailable):
        embedder.embed_documents(["a", "b"])
    assert len(server.asked) == 1


def test_a_server_that_wants_to_be_asked_later_is() -> None:
    busy = Reply(b"", 429, {"Retry-After": "3"})
    with served(Script(busy, data(GOOD))) as (embedder, _, pauses):
        assert embedder.embed_query("x") is not None
    assert pauses.made == [3]


def test_a_server_that_wants_to_be_asked_much_later_is_unavailable_at_once_and_says_when() -> None:
    busy = Reply(b"", 503, {"Retry-After": "120"})
    with served(Script(busy)) as (embedder, _, pauses), pytest.raises(Unavailable) as caught:
        embedder.embed_query("x")
    assert (pauses.made, caught.value.retry_after) == ([], 120)


@pytest.mark.parametrize("after", ["soon", "-1", "Wed, 21 Oct 2026 07:28:00 GMT", "٣", ""])
def test_a_time_that_is_no_number_of_seconds_is_not_heeded(after: str) -> None:
    busy = Reply(b"", 429, {"Retry-After": after.encode("utf-8").decode("latin-1")})
    with served(Script(busy, data(GOOD))) as (embedder, _, pauses):
        assert embedder.embed_query("x") is not None
    assert pauses.made == [0.25]


@pytest.mark.parametrize(
    ("status", "words"), [(401, "key"), (403, "key"), (404, "path or model"), (405, "path or model")]
)
def test_a_refusal_names_the_setting_and_shows_neither_key_nor_answer(status: int, words: str) -> None:
    quoting = Reply({"error": {"message": f"Incorrect API key provided: {SECRET}"}}, status)
    with served(Script(quoting)) as (embedder, server, _), pytest.raises(InvalidSettings) as caught:
        embedder.embed_query("x")
    assert words in str(caught.value)
    assert "KNOWHUB_EMBEDDER" in str(caught.value)
    assert SECRET not in f"{caught.value!r}{caught.value.__cause__!r}"
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 413, 422, 204, 301, 302, 307, 308])
def test_other_refusals_and_redirects_are_unavailable_at_once(status: int) -> None:
    elsewhere = Reply(b"", status, {"Location": "/api/v1/other"})
    with served(Script(elsewhere)) as (embedder, server, _), pytest.raises(Unavailable, match=str(status)):
        embedder.embed_query("x")
    assert len(server.asked) == 1


def test_an_answer_that_never_ends_in_size_is_not_read_whole() -> None:
    large = Reply(b"[" + b"0," * 200_000 + b"0]")
    with served(Script(large)) as (embedder, server, _), pytest.raises(Unavailable, match="can't be read"):
        embedder.embed_query("x")
    assert len(server.asked) == 1


def test_an_answer_that_is_cut_off_is_asked_for_again() -> None:
    cut = Reply(b'{"data"', 200, {"Content-Length": "500"})
    with served(Script(cut, data(GOOD))) as (embedder, _, pauses):
        assert embedder.embed_query("x") is not None
    assert pauses.made == [0.25]


def test_nobody_listening_is_unavailable() -> None:
    with served(embeddings) as (embedder, _, pauses):
        pass
    with pytest.raises(Unavailable, match="does not answer"):
        embedder.embed_query("x")
    assert pauses.made
