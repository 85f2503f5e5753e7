"""Conversations: what was asked and answered, never what was read for it."""

from dataclasses import dataclass
from typing import Literal

Rating = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation of one principal; `turns` counts all that were ever said, `expires_at` is in epoch seconds."""

    session_id: str
    owner: str
    title: str
    created_at: str
    updated_at: str
    expires_at: int
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Feedback:
    """What somebody thinks of an answer."""

    rating: Rating
    comment: str | None
    at: str


@dataclass(frozen=True, slots=True)
class TurnCitation:
    """`[n]` of an answer stands for this chunk, and supports a range of the answer in code points."""

    n: int
    chunk_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A question with its answer; `number` counts from 1 within the session.

    `chunk_ids` are what the answer can have been made of: what it cites where it quotes, every source where a model
    wrote it.
    """

    message_id: str
    number: int
    question: str
    answer: str
    citations: tuple[TurnCitation, ...]
    chunk_ids: tuple[str, ...]
    extractive: bool
    finish_reason: str
    created_at: str
    expires_at: int
    feedback: Feedback | None = None
