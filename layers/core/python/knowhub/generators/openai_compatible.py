"""Generators behind `POST {base}/chat/completions` with `stream`, as OpenAI describes it and many servers speak it."""

import json
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Generator as Stream
from contextlib import closing
from typing import Any

from knowhub.calling.keys import Key
from knowhub.calling.posting import Poster, Refused
from knowhub.calling.retrying import Retries
from knowhub.calling.streaming import Opened, opened
from knowhub.choices import GeneratorChoice
from knowhub.errors import Unavailable
from knowhub.generators.events import data_of
from knowhub.generators.pumping import Reading, pumped
from knowhub.generators.whole_characters import WholeCharacters
from knowhub.ports.generator import Ending, EndReason, Piece, Prompt, Words
from knowhub.settings import InvalidSettings

OPEN_SECONDS = 20.0
"""How long a server may be tried until it begins to answer."""

_END = "[DONE]"
_REASONS: Mapping[str, EndReason] = {"length": "length", "content_filter": "refused"}


class OpenAiCompatibleGenerator:
    """A chat model of a server."""

    def __init__(
        self, poster: Poster, choice: GeneratorChoice, *, key: Key | None = None, retries: Retries | None = None
    ) -> None:
        """Keep how the server is reached; nothing is asked, and the key is not read yet."""
        self._poster = poster
        self._choice = choice
        self._key = key
        self._retries = retries or Retries()
        self.identity = f"openai:{poster.endpoint.host}:{choice.model}"

    def generate(self, prompt: Prompt, *, seconds: float, stopped: Callable[[], bool]) -> Stream[Piece, None, None]:
        """Give the answer's words as they come, and their end."""
        return pumped(lambda reading: self._read(prompt, seconds, reading), seconds=seconds, stopped=stopped)

    def _read(self, prompt: Prompt, seconds: float, reading: Reading) -> Stream[Piece, None, None]:
        content = self._content(prompt)
        secret = None if self._key is None else self._key.secret()

        def attempt(left: float) -> Opened:
            return opened(
                self._poster,
                "/chat/completions",
                content,
                secret=secret,
                seconds=left,
                total=seconds,
                breaking=reading.waits_for,
            )

        try:
            answer = self._retries.within(min(seconds, OPEN_SECONDS), attempt)
        except Refused as error:
            raise InvalidSettings(f"KNOWHUB_GENERATOR: {error}") from None
        with closing(answer):
            yield from _pieces(data_of(answer.pieces()))

    def _content(self, prompt: Prompt) -> dict[str, object]:
        content: dict[str, object] = {
            "model": self._choice.model,
            "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.text}],
            "stream": True,
            "stream_options": {"include_usage": True},
            self._choice.limit: prompt.max_tokens,
        }
        # Models that count their thoughts as well take another limit, and no temperature.
        return content if self._choice.limit == "max_completion_tokens" else {**content, "temperature": 0}


def _pieces(events: Iterator[str]) -> Iterator[Piece]:
    """Read the events of one answer; one that has neither a reason nor the closing mark broke off."""
    whole = WholeCharacters()
    reason: EndReason | None = None
    usage: tuple[int | None, int | None] = (None, None)
    for data in events:
        if data.strip() == _END:
            reason = reason or "stop"
            break
        event = _object(data)
        usage = _usage(event.get("usage")) or usage
        choice = _first(event.get("choices"))
        text, refused = _said(choice)
        words = whole.of(text)
        if words and reason is None:
            yield Words(words)
        told = choice.get("finish_reason")
        if refused:
            reason = "refused"
        elif isinstance(told, str) and told and reason is None:
            reason = _REASONS.get(told, "stop")
    if reason is None:
        raise Unavailable("The model's server broke off")
    yield Ending(reason, *usage)


def _object(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise Unavailable("The model's server sends events that are no JSON") from None
    if not isinstance(event, dict):
        raise Unavailable("The model's server sends events in a form that is not known here")
    if event.get("error"):
        raise Unavailable("The model's server broke off with an error")
    return event


def _first(choices: Any) -> dict[str, Any]:
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, dict) else {}


def _said(choice: Mapping[str, Any]) -> tuple[str, bool]:
    """Give the words of an event, and whether they are a refusal."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        return "", False
    text = delta.get("content")
    return (text if isinstance(text, str) else ""), bool(delta.get("refusal"))


def _usage(told: Any) -> tuple[int | None, int | None] | None:
    if not isinstance(told, dict):
        return None
    return count(told.get("prompt_tokens")), count(told.get("completion_tokens"))


def count(value: Any) -> int | None:
    """Read a number of tokens; what is none is as if it had not been told."""
    return value if type(value) is int and value >= 0 else None
