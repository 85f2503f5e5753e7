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
        return "done", done_shape(frame)
    assert isinstance(frame, ErrorFrame)  # noqa: S101 - the last kind there is
    return "error", {"error": asdict(frame)}


def done_shape(done: DoneFrame) -> dict[str, Any]:
    """Show the end of an answer; a generated one says what was found in it, one of a session its message's id."""
    members = asdict(done)
    generation, message_id = members.pop("generation"), members.pop("message_id")
    if generation is not None:
        usage = {name: generation.pop(name) for name in ("input_tokens", "output_tokens")}
        uncited = [span._asdict() for span in done.generation.uncited] if done.generation is not None else []
        members |= {**generation, "uncited": uncited}
        members |= {"usage": usage} if None not in usage.values() else {}
    return members if message_id is None else {**members, "message_id": message_id}


def source_shape(source: Source) -> dict[str, Any]:
    """Show one numbered source."""
    return {**asdict(source), "locator": locator_members(source.locator)}
