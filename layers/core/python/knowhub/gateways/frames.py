"""Answer frames as the events that the wires send: name and data."""

from dataclasses import asdict
from typing import Any

from knowhub.answering.frames import DeltaFrame, DoneFrame, ErrorFrame, Frame, Source, SourcesFrame
from knowhub.model.chunk_json import locator_members


def frame_event(frame: Frame) -> tuple[str, dict[str, Any]]:
    """Give a frame's event name and its data."""
    if isinstance(frame, SourcesFrame):
        shapes = [source_shape(source) for source in frame.sources]
        return "sources", {"sources": shapes, "session_id": frame.session_id, "request_id": frame.request_id}
    if isinstance(frame, DeltaFrame):
        return "delta", {"text": frame.text}
    if isinstance(frame, DoneFrame):
        return "done", asdict(frame)
    assert isinstance(frame, ErrorFrame)  # noqa: S101 - the last kind there is
    return "error", {"error": asdict(frame)}


def source_shape(source: Source) -> dict[str, Any]:
    """Show one numbered source."""
    return {**asdict(source), "locator": locator_members(source.locator)}
