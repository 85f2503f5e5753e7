"""The generator port: rules and sources to an answer in words, part by part."""

from collections.abc import Callable
from collections.abc import Generator as Stream
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

EndReason = Literal["stop", "length", "refused"]
"""Why a model ended: it was done, its answer got too long, or it (or a filter before it) does not want to go on."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told: `system` is the hub's own, `text` is everything else.

    The answer is cut at `max_tokens`, as the model counts them.
    """

    system: str
    text: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Words:
    """The next part of an answer: at least one character, cut anywhere between two."""

    text: str


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an answer; the counts are None where the model does not tell them."""

    reason: EndReason
    input_tokens: int | None = None
    output_tokens: int | None = None


Piece: TypeAlias = Words | Ending


class Generator(Protocol):
    """Writes answers; any number at once."""

    @property
    def identity(self) -> str:
        """Name the model and where it runs, without asking it."""

    def generate(self, prompt: Prompt, *, seconds: float, stopped: Callable[[], bool]) -> Stream[Piece, None, None]:
        """Give the answer's words as they come, then one `Ending`; nothing is asked before the first is taken.

        `stopped` is asked several times a second: once it says yes, or the stream is closed, the model is let go, and
        the stream ends without an `Ending`. Raises `Unavailable` where the model does not answer, breaks off or is not
        done after `seconds`, and `InvalidSettings` where it refuses who asks. What is busy is asked again, but never
        once words have come.
        """
