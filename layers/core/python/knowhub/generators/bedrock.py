"""Generators of Amazon Bedrock: any model that the Converse interface streams.

The role needs `bedrock:InvokeModelWithResponseStream` on the model. The client given must repeat nothing by itself; its
read time-out bounds each wait for the next event, also of an answer that nobody waits for any more.
"""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Generator as Stream
from contextlib import closing
from typing import Any, Protocol

from botocore.eventstream import ParserError
from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from knowhub.calling.bedrock import TooLong, failures_told
from knowhub.calling.retrying import Retries
from knowhub.errors import Unavailable
from knowhub.generators.pumping import Left, Reading, pumped
from knowhub.generators.whole_characters import WholeCharacters
from knowhub.ports.generator import Ending, EndReason, Piece, Prompt, Words

OPEN_SECONDS = 20.0
"""How long the service may be tried until the model begins to answer."""

_VARIABLE = "KNOWHUB_GENERATOR"
_REASONS: Mapping[str, EndReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "content_filtered": "refused",
    "guardrail_intervened": "refused",
}


class StreamsConversations(Protocol):
    """What is used of boto3's `bedrock-runtime` client."""

    def converse_stream(self, **arguments: Any) -> Any:
        """Ask a model."""


class BedrockGenerator:
    """A model of Bedrock by its id, or by that of an inference profile."""

    def __init__(self, client: StreamsConversations, model: str, *, retries: Retries | None = None) -> None:
        """Keep the client; nothing is asked yet."""
        self._client = client
        self._model = model
        self._retries = retries or Retries()
        self.identity = f"bedrock:{model}"

    def generate(self, prompt: Prompt, *, seconds: float, stopped: Callable[[], bool]) -> Stream[Piece, None, None]:
        """Give the answer's words as they come, and their end."""
        return pumped(lambda reading: self._read(prompt, seconds, reading), seconds=seconds, stopped=stopped)

    def _read(self, prompt: Prompt, seconds: float, reading: Reading) -> Stream[Piece, None, None]:
        try:
            answer = self._retries.within(min(seconds, OPEN_SECONDS), lambda _: self._opened(prompt, reading))
        except TooLong as error:
            raise Unavailable("Bedrock's model takes no prompt of this length") from error
        with closing(answer["stream"]) as stream:
            try:
                yield from _pieces(stream, reading)
            except (ClientError, BotoCoreError, HTTPError, ParserError) as error:
                raise Unavailable("Bedrock broke off") from error

    def _opened(self, prompt: Prompt, reading: Reading) -> Any:
        if reading.left:
            raise Left
        with failures_told(_VARIABLE):
            return self._client.converse_stream(
                modelId=self._model,
                system=[{"text": prompt.system}],
                messages=[{"role": "user", "content": [{"text": prompt.text}]}],
                inferenceConfig={"maxTokens": prompt.max_tokens, "temperature": 0.0},
            )


def _pieces(events: Any, reading: Reading) -> Iterator[Piece]:
    """Read the events of one answer; one without a reason broke off."""
    whole = WholeCharacters()
    reason: EndReason | None = None
    usage: Mapping[str, Any] = {}
    for event in events:
        if reading.left:
            raise Left
        words = whole.of(_text(event))
        if words:
            yield Words(words)
        if "messageStop" in event:
            reason = _REASONS.get(event["messageStop"].get("stopReason", ""), "stop")
        usage = event.get("metadata", {}).get("usage") or usage
    if reason is None:
        raise Unavailable("Bedrock broke off")
    yield Ending(reason, usage.get("inputTokens"), usage.get("outputTokens"))


def _text(event: Mapping[str, Any]) -> str:
    """Give the words of an event; thoughts and calls of tools are none."""
    text = event.get("contentBlockDelta", {}).get("delta", {}).get("text")
    return text if isinstance(text, str) else ""
