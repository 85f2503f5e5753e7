"""Answers of the answer kernel in one piece, for the wires that do not stream."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from knowhub.answering.frames import Frame
from knowhub.gateways.frames import frame_event


@dataclass(slots=True)
class WholeAnswer:
    """The frames of one answer, put together."""

    sources: list[dict[str, Any]] = field(default_factory=list)
    session_id: str | None = None
    done: dict[str, Any] = field(default_factory=dict)


def whole_answer(frames: Iterator[Frame]) -> WholeAnswer:
    """Read the same frames that the streamed wire sends."""
    whole = WholeAnswer()
    for frame in frames:
        name, data = frame_event(frame)
        if name == "sources":
            whole.sources, whole.session_id = data["sources"], data["session_id"]
        elif name == "done":
            whole.done = data
    return whole
