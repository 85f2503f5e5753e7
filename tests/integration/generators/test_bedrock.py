"""What is sent to Bedrock's models, and failures in the middle of what they stream."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import NoCredentialsError

from knowhub.errors import Unavailable
from knowhub.generators.bedrock import BedrockGenerator
from knowhub.ports.generator import Ending, Prompt, Words
from knowhub.settings import InvalidSettings
from tests.contract.generator_homes import Bench, bench
from tests.model_servers import Reply, refusal
from tests.streaming_servers import AWS_EVENTS, Streamed, aws_event

PROMPT = Prompt("rules", "sources", 100)


@pytest.fixture
def home() -> Iterator[Bench]:
    with bench("bedrock") as made:
        yield made


def generated(home: Bench) -> list[Any]:
    return list(home.generator.generate(PROMPT, seconds=20, stopped=lambda: False))


def delta(content: Mapping[str, Any]) -> bytes:
    return aws_event("contentBlockDelta", {"delta": content, "contentBlockIndex": 0})


def test_a_request_is_that_of_the_converse_interface(home: Bench) -> None:
    home.say(["a"])
    generated(home)
    (asked,) = home.server.asked
    assert asked.path == "/model/some.model-v1%3A0/converse-stream"
    assert asked.json == {
        "system": [{"text": "rules"}],
        "messages": [{"role": "user", "content": [{"text": "sources"}]}],
        "inferenceConfig": {"maxTokens": 100, "temperature": 0.0},
    }


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("guardrail_intervened", "refused"), ("model_context_window_exceeded", "length"), ("stop_sequence", "stop"),
        ("tool_use", "stop"), ("something_new", "stop"),
    ],
)  # fmt: skip
def test_every_reason_is_one_of_the_port(home: Bench, told: str, reason: str) -> None:
    home.say(["a"], end=[aws_event("messageStop", {"stopReason": told})])
    assert generated(home)[-1] == Ending(reason)  # type: ignore[arg-type]  # one of them


@pytest.mark.parametrize(
    "kind",
    ["throttlingException", "modelStreamErrorException", "internalServerException", "validationException",
     "serviceUnavailableException"],
)  # fmt: skip
def test_a_failure_in_mid_stream_is_one_behind_the_words(home: Bench, kind: str) -> None:
    home.say(["a"], end=[aws_event(kind, {"message": "no"}, message_type="exception")])
    stream = home.generator.generate(PROMPT, seconds=20, stopped=lambda: False)
    assert next(stream) == Words("a")
    with pytest.raises(Unavailable):
        next(stream)
    assert len(home.server.asked) == 1


def test_thoughts_and_unknown_events_are_no_words(home: Bench) -> None:
    pieces = [
        aws_event("messageStart", {"role": "assistant"}),
        delta({"reasoningContent": {"text": "hm"}}),
        delta({"toolUse": {"input": "{}"}}),
        aws_event("somethingNew", {"a": 1}),
        delta({"text": "a"}),
        aws_event("messageStop", {"stopReason": "end_turn"}),
    ]
    home.replies.append(Streamed(pieces, AWS_EVENTS))
    assert generated(home) == [Words("a"), Ending("stop")]


def test_damaged_bytes_are_a_failure(home: Bench) -> None:
    whole = delta({"text": "a"})
    home.replies.append(Streamed([whole[:-1] + bytes([whole[-1] ^ 1])], AWS_EVENTS))
    with pytest.raises(Unavailable):
        generated(home)


def test_a_prompt_that_is_too_long_is_unavailable_at_once(home: Bench) -> None:
    home.replies.append(refusal("ValidationException", "Input is too long: too many tokens"))
    with pytest.raises(Unavailable, match="length"):
        generated(home)
    assert len(home.server.asked) == 1


@pytest.mark.parametrize("code", ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"])
def test_what_the_service_refuses_names_the_setting(home: Bench, code: str) -> None:
    home.replies.append(refusal(code, "no"))
    with pytest.raises(InvalidSettings, match="KNOWHUB_GENERATOR"):
        generated(home)


def test_without_credentials_the_setting_is_named() -> None:
    class Nobody:
        def converse_stream(self, **_: Any) -> Any:
            raise NoCredentialsError

    with pytest.raises(InvalidSettings, match="KNOWHUB_GENERATOR"):
        list(BedrockGenerator(Nobody(), "m").generate(PROMPT, seconds=5, stopped=lambda: False))


def test_a_server_error_is_tried_again(home: Bench) -> None:
    home.replies.append(Reply(b"", 500))
    home.say(["a"])
    assert generated(home)[0] == Words("a")
