"""An answer on its way: its parts, and what is known of it when it ends."""

from dataclasses import dataclass, field

from knowhub.answering.frames import Citation, DoneFrame, FinishReason, Generation


@dataclass(slots=True)
class Draft:
    """What has been said, and why nothing more is; `said` counts the parts that somebody has already seen."""

    parts: list[str] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    reason: FinishReason = "length"
    generation: Generation | None = None
    said: int = 0

    @property
    def length(self) -> int:
        """Count the code points of all parts."""
        return sum(map(len, self.parts))

    @property
    def answer(self) -> str:
        """Give all parts, joined."""
        return "".join(self.parts)

    def say(self, part: str) -> str:
        """Add a part."""
        self.parts.append(part)
        return part

    def done(self, took_ms: int) -> DoneFrame:
        """Give the frame that ends it."""
        return DoneFrame(
            self.answer,
            tuple(self.citations),
            extractive=self.generation is None,
            finish_reason=self.reason,
            took_ms=took_ms,
            generation=self.generation,
        )
