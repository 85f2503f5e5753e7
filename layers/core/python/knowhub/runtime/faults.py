"""Failures as the Lambda Runtime API wants them: a type, a message, a stack, all of bounded size."""

import base64
import importlib
import json
import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from knowhub.runtime.json_body import encode

# The frames between the loop and the function's code say nothing to the function's author.
_NOT_THE_FUNCTIONS = (str(Path(__file__).parent), str(importlib.__file__), "<frozen importlib")

_MESSAGE_CHARACTERS = 4_096
_STACK_FRAMES = 50

# A trailer is one header line, and many HTTP servers refuse lines over 16 KB; base64 adds a third.
_TRAILER_BYTES = 9_000


class RuntimeFault(Exception):
    """A failure that the runtime itself found, with the platform's name for it (`Runtime.MarshalError`)."""

    def __init__(self, error_type: str, message: str) -> None:
        """Keep the type apart from the message: the Runtime API sends both on."""
        super().__init__(message)
        self.error_type = error_type


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """One failure, ready for `/error`, `/init/error` and the error trailers of a stream."""

    error_type: str
    message: str
    stack: tuple[str, ...] = ()
    request_id: str | None = None

    @property
    def body(self) -> bytes:
        """The JSON body `{errorMessage, errorType, stackTrace}`, with `requestId` where there is one."""
        return encode(self._members())

    @property
    def header_type(self) -> str:
        """The error type in characters that may stand in a header."""
        return "".join(c if " " < c <= "~" else "?" for c in self.error_type)

    @property
    def trailer_body(self) -> str:
        """The body in base64, without the outer frames and the end of the message that no header line has room for."""
        fitting = self
        while len(fitting.body) > _TRAILER_BYTES:
            fitting = fitting._shortened()
        return base64.b64encode(fitting.body).decode("ascii")

    @property
    def log_line(self) -> str:
        """The failure as one line of JSON, `level` included, so that log queries find it."""
        return json.dumps({"level": "ERROR", **self._members()})

    def _shortened(self) -> "ErrorReport":
        if self.stack:
            return replace(self, stack=self.stack[(len(self.stack) + 1) // 2 :])
        return replace(self, message=self.message[: len(self.message) // 2], error_type=self.error_type[:200])

    def _members(self) -> dict[str, object]:
        members: dict[str, object] = {
            "errorMessage": self.message,
            "errorType": self.error_type,
            "stackTrace": list(self.stack),
        }
        return members if self.request_id is None else {**members, "requestId": self.request_id}


def report_of(error: BaseException, request_id: str | None = None) -> ErrorReport:
    """Describe an exception; the runtime's own frames are left out, of the rest the innermost 50 are kept."""
    return ErrorReport(_type_of(error), _message_of(error)[:_MESSAGE_CHARACTERS], _stack_of(error), request_id)


def _type_of(error: BaseException) -> str:
    match error:
        case RuntimeFault():
            return error.error_type
        case SystemExit():
            return "Runtime.ExitError"
        case _:
            return type(error).__name__


def _message_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"The function's code ended the process with exit status {error.code}"
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a broken __str__ in the function's code must not take the runtime down
        return f"{type(error).__name__} without a readable message"


def _stack_of(error: BaseException) -> tuple[str, ...]:
    if isinstance(error, RuntimeFault):
        error = error.__cause__ or error
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(_NOT_THE_FUNCTIONS)
    ]
    return tuple(traceback.format_list(frames[-_STACK_FRAMES:]))
