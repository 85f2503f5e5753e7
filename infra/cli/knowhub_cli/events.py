"""Server-sent events out of a byte stream, wherever the network cuts it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name (`message` where the stream names none) and its data lines joined by newlines."""

    name: str
    data: str


def lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Cut a byte stream at LF, CRLF and CR; what follows the last line end is no line.

    Bytes are decoded a whole line at a time, so a character may be spread over chunks.
    """
    rest = b""
    for chunk in chunks:
        rest += chunk
        # A CR at the very end may be the first half of a CRLF: it waits for the next byte.
        held = b"\r" if rest.endswith(b"\r") else b""
        *complete, rest = rest.removesuffix(held).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest += held
        yield from (line.decode("utf-8", "replace") for line in complete)
    if rest.endswith(b"\r"):
        yield rest.removesuffix(b"\r").decode("utf-8", "replace")


def events(chunks: Iterable[bytes]) -> Iterator[Event]:
    """Give each event when its closing blank line has come; comments, ids and retry hints are passed over."""
    name = ""
    data: list[str] = []
    for line in lines(chunks):
        if not line:
            if data:
                yield Event(name or "message", "\n".join(data))
            name, data = "", []
            continue
        member, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if member == "event":
            name = value
        elif member == "data":
            data.append(value)
