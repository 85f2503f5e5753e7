"""Undoing a content coding piece by piece, so that no more than the cap is ever in memory."""

import zlib
from collections.abc import Iterator

from knowhub.net.failures import broken, malformed, too_large
from knowhub.net.policy import Policy

_GZIP = 31
_ZLIB = 15
_RAW = -15
_STEP = 64 * 1024
_DEFLATE_METHOD = 8


class Plain:
    """No coding: bytes pass."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give the bytes."""
        yield data

    def finish(self) -> None:
        """Accept any end."""


class Inflater:
    """gzip of one or more members, or deflate with or without its zlib header."""

    def __init__(self, coding: str) -> None:
        self._gzip = coding == "gzip"
        self._engine = zlib.decompressobj(_GZIP) if self._gzip else None
        self._held = b""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give what the bytes inflate to, in steps of at most 64 KiB; raises `SourceFailed`."""
        data, self._held = self._held + data, b""
        try:
            while engine := self._engine_for(data):
                piece = engine.decompress(data, _STEP)
                yield piece
                data = engine.unused_data if engine.eof else engine.unconsumed_tail
                # The engine may hold back output of bytes that it has taken already.
                if not data and len(piece) < _STEP:
                    return
        except zlib.error as error:
            raise malformed() from error

    def finish(self) -> None:
        """Refuse a stream that was cut off; no bytes at all are one."""
        if self._engine is None or not self._engine.eof:
            raise broken()

    def _engine_for(self, data: bytes) -> "zlib._Decompress | None":
        """Give the engine that takes these bytes; None where they are padding, or too few to tell their format."""
        if self._engine is None:
            if len(data) < 2:  # noqa: PLR2004 - a zlib header is two bytes
                self._held = data
                return None
            self._engine = zlib.decompressobj(_ZLIB if _has_header(data) else _RAW)
        elif self._engine.eof:
            if not (self._gzip and data.startswith(b"\x1f")):
                return None
            self._engine = zlib.decompressobj(_GZIP)
        return self._engine


def decoder(coding: str) -> Plain | Inflater:
    """Choose by the `Content-Encoding`; raises `SourceFailed` for one that was not asked for, and for two at once."""
    name = coding.strip().lower().removeprefix("x-")
    if name in {"", "identity"}:
        return Plain()
    if name in {"gzip", "deflate"}:
        return Inflater(name)
    raise malformed()


class Body:
    """An answer's body under the caps on its size and its ratio."""

    def __init__(self, coding: str, policy: Policy) -> None:
        self._decoder = decoder(coding)
        self._policy = policy
        self._fed = 0
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        """Take in the next bytes as they came; raises `SourceFailed` (`TOO_LARGE`) while they inflate."""
        self._fed += len(data)
        allowed = self._policy.free_inflated_bytes + self._fed * self._policy.ratio
        most = min(self._policy.max_body_bytes, allowed)
        for piece in self._decoder.feed(data):
            self._kept += piece
            if len(self._kept) > most:
                raise too_large(most)

    def whole(self) -> bytes:
        """Give the complete body; raises `SourceFailed` where it is cut off."""
        if self._fed:
            self._decoder.finish()
        return bytes(self._kept)


def _has_header(data: bytes) -> bool:
    """Tell a zlib header (RFC 1950) from raw deflate, which servers send under the same name."""
    return len(data) > 1 and data[0] & 0x0F == _DEFLATE_METHOD and (data[0] * 256 + data[1]) % 31 == 0
