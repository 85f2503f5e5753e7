"""What is to be answered, from what, with what, and until when."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowhub.answering.content import Analyse
from knowhub.answering.frames import Source
from knowhub.answering.limits import Limits
from knowhub.ports.generator import Generator


@dataclass(frozen=True, slots=True)
class Writing:
    """What writes: the model, and the request's own random word."""

    generator: Generator
    nonce: str


@dataclass(frozen=True, slots=True)
class Task:
    """One question; `looked_for` is the question with what earlier ones add to it."""

    question: str
    looked_for: str
    sources: Sequence[Source]
    limits: Limits
    analyse: Analyse
    writing: Writing | None = None
