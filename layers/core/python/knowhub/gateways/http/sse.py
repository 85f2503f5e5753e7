"""Server-sent events of the ask routes (WHATWG HTML, section 9.2): frames in, bytes out."""

import json
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

from knowhub.answering.frames import Frame
from knowhub.errors import Internal, KnowhubError
from knowhub.gateways.frames import frame_event
from knowhub.gateways.http.envelope import envelope
from knowhub.observability import report

SSE_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    # Reverse proxies of the nginx family hold answers back without it.
    "X-Accel-Buffering": "no",
}

HEARTBEAT_SECONDS = 15.0
"""Proxies cut connections that are silent for 30 to 60 s."""

_HEARTBEAT = b": keep-alive\n\n"
_AHEAD = 64
"""Events that may wait for a slow client; beyond that the answer waits for it."""


def event_stream(
    frames: Iterator[Frame],
    *,
    request_id: str,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    stopped: Event | None = None,
) -> Iterator[bytes]:
    """Write the frames as events, each whole in one piece, with a comment line wherever they pause for long.

    A failure becomes an `error` event with the error envelope, and the end. Closing the iterator sets `stopped`, for
    who makes the frames to see, and closes the frames.
    """
    events: Queue[bytes | None] = Queue(_AHEAD)
    stopped = stopped or Event()
    worker = Thread(target=_produce, args=(frames, request_id, events, stopped), daemon=True)
    worker.start()
    try:
        while True:
            try:
                event = events.get(timeout=heartbeat_seconds)
            except Empty:
                yield _HEARTBEAT
                continue
            if event is None:
                return
            yield event
    finally:
        stopped.set()
        worker.join(timeout=1)


def _produce(frames: Iterator[Frame], request_id: str, events: "Queue[bytes | None]", stopped: Event) -> None:
    try:
        with closing(_guarded(frames, request_id)) as guarded:
            for event in guarded:
                if not _offer(events, event, stopped):
                    break
    finally:
        _offer(events, None, stopped)


def _guarded(frames: Iterator[Frame], request_id: str) -> Generator[bytes, None, None]:
    close = getattr(frames, "close", None)
    try:
        for frame in frames:
            name, data = frame_event(frame)
            yield _event(name, {**data, "request_id": request_id} if name == "sources" else data)
    except KnowhubError as error:
        report("answer failed", error, request_id=request_id)
        yield _event("error", envelope(error, request_id))
    except Exception as error:  # noqa: BLE001 - the head is sent: the stream must end with an error event whatever broke
        report("answer failed", error, request_id=request_id)
        yield _event("error", envelope(Internal("the answer broke off"), request_id))
    finally:
        if close is not None:
            close()


def _offer(events: "Queue[bytes | None]", event: bytes | None, stopped: Event) -> bool:
    while not stopped.is_set():
        with suppress(Full):
            events.put(event, timeout=0.1)
            return True
    return False


def _event(name: str, data: dict[str, Any]) -> bytes:
    # JSON escapes line ends, so that the data is always one line.
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
