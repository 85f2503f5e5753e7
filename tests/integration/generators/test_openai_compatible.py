"""What is sent to a chat server, and the odd ways in which such servers stream."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from knowhub.calling.endpoints import endpoint
from knowhub.calling.keys import Key
from knowhub.calling.posting import Poster
from knowhub.choices import GeneratorChoice, KeyReference
from knowhub.errors import Unavailable
from knowhub.generators.openai_compatible import OpenAiCompatibleGenerator
from knowhub.ports.generator import Ending, Piece, Prompt, Words
from knowhub.settings import InvalidSettings
from tests.model_servers import Pauses, Reply
from tests.streaming_servers import Streamed, StreamingServer, event, streaming_server

SECRET = "sk-made-up-0123"
KEY = Key("KNOWHUB_GENERATOR_KEY", KeyReference("env", "X"), {"env": lambda _: SECRET})
PROMPT = Prompt("rules", "sources", 100)
DONE = b"data: [DONE]\n\n"
STOP = event({"choices": [{"delta": {}, "finish_reason": "stop"}]})


def said(text: str) -> bytes:
    return event({"choices": [{"index": 0, "delta": {"content": text}}]})


@contextmanager
def served(
    reply: Reply | Streamed, *, key: Key | None = KEY, limit: Any = "max_tokens"
) -> Iterator[tuple[OpenAiCompatibleGenerator, StreamingServer]]:
    with streaming_server(lambda _: reply) as server:
        place = endpoint(server.url + "/api/v1")
        choice = GeneratorChoice("openai", "some/model", place, limit)
        yield OpenAiCompatibleGenerator(Poster(place), choice, key=key, retries=Pauses().retries()), server


def generated(reply: Reply | Streamed) -> list[Piece]:
    with served(reply) as (generator, _):
        return list(generator.generate(PROMPT, seconds=20, stopped=lambda: False))


def test_a_request_has_what_the_interface_asks_for() -> None:
    with served(Streamed([said("a"), STOP, DONE])) as (generator, server):
        list(generator.generate(PROMPT, seconds=20, stopped=lambda: False))
    (asked,) = server.asked
    assert asked.path == "/api/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {SECRET}"
    assert (asked.headers["accept"], asked.headers["accept-encoding"]) == ("text/event-stream", "identity")
    assert asked.json == {
        "model": "some/model",
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "sources"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0,
    }


def test_models_that_count_their_thoughts_are_told_another_limit_and_no_temperature() -> None:
    reply = Streamed([said("a"), STOP, DONE])
    with served(reply, key=None, limit="max_completion_tokens") as (generator, server):
        list(generator.generate(PROMPT, seconds=20, stopped=lambda: False))
    (asked,) = server.asked
    assert asked.json["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature"} & asked.json.keys()
    assert "authorization" not in asked.headers


@pytest.mark.parametrize(
    "pieces",
    [
        [b": OPENROUTER PROCESSING\n\n", said("ab"), STOP, DONE],
        [b"event: message\nid: 1\nretry: 10\n", said("ab"), STOP, DONE],
        [b"\xef\xbb\xbf", said("ab"), STOP, DONE],
        [said("ab").replace(b"\n", b"\r\n"), STOP, DONE],
        [said("ab").replace(b"\n", b"\r"), STOP, DONE],
        [said("a")[:-1], b"\n", said("b"), STOP, DONE],
        [b'data: {"choices":\ndata: [{"delta": {"content": "ab"}}]}\n\n', STOP, DONE],
        [b'data:{"choices":[{"delta":{"content":"ab"}}]}\n\n', STOP, DONE],
        [event({"choices": None}), event({"choices": [None]}), event({}), said("ab"), STOP, DONE],
        [event({"choices": [{"delta": None}]}), event({"choices": [{"delta": {"content": None}}]}), said("ab"), STOP],
        [event({"usage": None, "choices": [{"delta": {"content": "ab"}, "finish_reason": ""}]}), STOP, DONE],
        [said("ab"), DONE],
        [said("ab"), STOP],
        [said("ab"), STOP[:-2]],
        [said("ab"), STOP, said("behind the end"), DONE],
        [said("ab"), event({"choices": [{"delta": {"tool_calls": []}, "finish_reason": "tool_calls"}]}), DONE],
    ],
)
def test_odd_but_legal_streams_are_read(pieces: Sequence[bytes]) -> None:
    found = generated(Streamed(pieces))
    assert "".join(piece.text for piece in found if isinstance(piece, Words)) == "ab"
    assert found[-1] == Ending("stop")


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 1, "completion_tokens": 2}, (1, 2)),
        ({"prompt_tokens": "1", "completion_tokens": True}, (None, None)),
        ({"prompt_tokens": -1}, (None, None)),
        ([], (None, None)),
    ],
)
def test_counts_are_taken_where_they_are_counts(usage: Any, expected: tuple[int | None, int | None]) -> None:
    assert generated(Streamed([said("a"), STOP, event({"choices": [], "usage": usage}), DONE]))[-1] == Ending(
        "stop", *expected
    )


def test_a_refusal_is_one_however_it_is_told() -> None:
    refusal = event({"choices": [{"delta": {"refusal": "I can't"}}]})
    assert generated(Streamed([refusal, STOP, DONE]))[-1] == Ending("refused")
    assert generated(Streamed([refusal, DONE]))[-1] == Ending("refused")


def test_halves_of_a_character_in_two_events_are_joined() -> None:
    halves = [
        b'data: {"choices":[{"delta":{"content":"x\\ud83e"}}]}\n\n',
        b'data: {"choices":[{"delta":{"content":"\\uddady"}}]}\n\n',
    ]
    found = generated(Streamed([*halves, STOP, DONE]))
    assert "".join(piece.text for piece in found if isinstance(piece, Words)) == "x🦭y"


@pytest.mark.parametrize(
    "pieces",
    [
        [said("a"), b"data: no json\n\n", STOP, DONE],
        [said("a"), b"data: [1]\n\n", STOP, DONE],
        [said("a"), b"data: " + b"[" * 100_000 + b"\n\n", STOP],
        [said("a"), event({"error": {"message": f"no {SECRET}", "code": 429}})],
        [said("a"), b"data: \xff\xfe\n\n", STOP],
        [said("a"), b"x" * 1_100_000],
        [],
    ],
)
def test_a_stream_that_can_not_be_read_is_unavailable_and_quotes_nothing(pieces: Sequence[bytes]) -> None:
    with pytest.raises(Unavailable) as caught:
        generated(Streamed(pieces))
    assert SECRET not in f"{caught.value!r}{caught.value.__cause__!r}"


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"choices": [{"message": {"content": "whole"}}]}, 200, {"Content-Type": "application/json"}),
        Reply(b"", 400), Reply(b"", 422), Reply(b"", 302, {"Location": "/x"}),
    ],
)  # fmt: skip
def test_what_is_no_stream_is_unavailable_at_once(reply: Reply) -> None:
    with served(reply) as (generator, server), pytest.raises(Unavailable):
        list(generator.generate(PROMPT, seconds=20, stopped=lambda: False))
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refusal_of_who_asks_names_the_setting_and_shows_no_key(status: int) -> None:
    quoting = Reply({"error": {"message": f"Incorrect API key provided: {SECRET}"}}, status)
    with served(quoting) as (generator, _), pytest.raises(InvalidSettings) as caught:
        list(generator.generate(PROMPT, seconds=20, stopped=lambda: False))
    assert "KNOWHUB_GENERATOR" in str(caught.value)
    assert SECRET not in f"{caught.value!r}{caught.value.__cause__!r}"
