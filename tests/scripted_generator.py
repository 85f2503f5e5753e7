"""A generator that says what a test tells it to, in whatever parts."""

from collections.abc import Callable, Sequence
from collections.abc import Generator as Stream
from dataclasses import dataclass, field

from knowhub.ports.generator import Ending, EndReason, Piece, Prompt, Words


@dataclass
class Scripted:
    """Says `text` in parts of `size` characters, then fails with `failure` or ends; keeps what it was told."""

    text: str | Callable[[Prompt], str] = ""
    size: int = 7
    reason: EndReason = "stop"
    failure: BaseException | None = None
    tokens: tuple[int | None, int | None] = (None, None)
    told: list[Prompt] = field(default_factory=list)
    given: list[float] = field(default_factory=list)
    closed: int = 0

    identity = "scripted"

    def generate(self, prompt: Prompt, *, seconds: float, stopped: Callable[[], bool]) -> Stream[Piece, None, None]:
        self.told.append(prompt)
        self.given.append(seconds)
        text = self.text if isinstance(self.text, str) else self.text(prompt)
        try:
            for part in parts(text, self.size):
                if stopped():
                    return
                yield Words(part)
            if self.failure is not None:
                raise self.failure
            yield Ending(self.reason, *self.tokens)
        finally:
            self.closed += 1


def parts(text: str, size: int) -> Sequence[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]
