"""Server-sent events as they come from a model's server (WHATWG HTML, section 9.2): bytes in, data out."""

from collections.abc import Iterator

from knowhub.errors import Unavailable

MOST_LINE = 1024 * 1024
"""Bytes of one line."""


def data_of(pieces: Iterator[bytes]) -> Iterator[str]:
    """Give the data of each event, in whatever pieces the bytes come; comments and other fields are passed over.

    An event that the end of the stream cuts off behind a whole line counts, as some servers leave out the last empty
    line. Raises `Unavailable` for what is not UTF-8.
    """
    data: list[str] = []
    for line in _lines(pieces):
        if not line:
            if data:
                yield "\n".join(data)
            data = []
            continue
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
    if data:
        yield "\n".join(data)


def _lines(pieces: Iterator[bytes]) -> Iterator[str]:
    """Cut at CR, LF or both; bytes are decoded line by line, so that no character is cut in two."""
    held = b""
    after_return = False
    first = True
    for piece in pieces:
        # The LF of a CRLF may come in the next piece.
        held += piece[1:] if after_return and not held and piece.startswith(b"\n") else piece
        after_return = held.endswith(b"\r")
        *whole, held = held.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        for line in whole:
            yield _decoded(line, first=first)
            first = False
        if len(held) > MOST_LINE:
            raise Unavailable("The model's server sends lines without an end")
    if held:
        yield _decoded(held, first=first)


def _decoded(line: bytes, *, first: bool) -> str:
    try:
        return line.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError:
        raise Unavailable("The model's server sends what is not UTF-8") from None
