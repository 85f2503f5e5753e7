"""Answer events one after the other, buffered or streamed."""

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import NoReturn, TextIO

from knowhub.runtime.context import FunctionFacts, context_of
from knowhub.runtime.faults import ErrorReport, RuntimeFault, report_of
from knowhub.runtime.json_body import decode, encode
from knowhub.runtime.loading import Handler
from knowhub.runtime.runtime_api import HostGone, Invocation, ResponseStream, RuntimeApi

_TRACE_VARIABLE = "_X_AMZN_TRACE_ID"


class ProcessEnd(BaseException):
    """The process has to end now; the event under way has been answered. `status` is for the shell."""

    def __init__(self, status: int) -> None:
        """Keep the exit status."""
        super().__init__(status)
        self.status = status


@dataclass(frozen=True, slots=True)
class Loop:
    """The runtime's loop with its collaborators; `environ` receives the trace id of the event under way."""

    api: RuntimeApi
    handler: Handler
    function: FunctionFacts
    environ: MutableMapping[str, str]
    log: TextIO
    now: Callable[[], float] = time.time

    def run(self) -> NoReturn:
        """Serve until the host is gone (`HostGone`) or the handler has ended the process (`ProcessEnd`)."""
        while True:
            self.serve(self.api.next())

    def serve(self, invocation: Invocation) -> None:
        """Answer one event; whatever the handler raises becomes the answer.

        Raises `ProcessEnd` where the handler called `sys.exit` or was interrupted, and where the host is broken.
        """
        self._set_trace(invocation)
        try:
            result = self._call(invocation)
            if isinstance(result, Iterator):
                self._stream(invocation, result)
            else:
                self._respond(invocation, _marshal(result))
        except HostGone as gone:
            # Nobody waits for this answer any more; whether the host lives shows when it is asked for the next event.
            self._note(gone, invocation)
        except ProcessEnd:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a handler raises is an answer, the loop goes on
            self._fail(invocation, error)
            _end_if_wished(error)

    def _set_trace(self, invocation: Invocation) -> None:
        trace = invocation.headers.get("lambda-runtime-trace-id")
        if trace:
            self.environ[_TRACE_VARIABLE] = trace
        else:
            self.environ.pop(_TRACE_VARIABLE, None)

    def _call(self, invocation: Invocation) -> object:
        context = context_of(invocation.headers, self.function, self.now)
        try:
            event = decode(invocation.body)
        except ValueError as error:
            raise RuntimeFault("Runtime.UnmarshalError", f"The event is not JSON: {error}") from error
        return self.handler(event, context)

    def _respond(self, invocation: Invocation, body: bytes) -> None:
        status = self.api.respond(invocation, body)
        if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
            raise RuntimeFault(
                "Function.ResponseSizeTooLarge", f"The answer's {len(body)} bytes are over Lambda's limit"
            )
        self._check(status, invocation)

    def _stream(self, invocation: Invocation, pieces: Iterator[object]) -> None:
        try:
            # A generator does nothing before its first piece is asked for: what fails until then is answered as a
            # failure of the whole invocation, with no stream opened.
            first = _next_piece(pieces)
            stream = self.api.stream(invocation)
            try:
                self._send_all(stream, first, pieces, invocation)
            finally:
                stream.close()
        finally:
            self._close(pieces, invocation)

    def _send_all(
        self, stream: ResponseStream, piece: bytes | None, pieces: Iterator[object], invocation: Invocation
    ) -> None:
        try:
            while piece is not None:
                stream.send(piece)
                piece = _next_piece(pieces)
        except HostGone:
            raise
        except BaseException as error:  # noqa: BLE001 - in mid-stream every failure of the handler goes into trailers
            self._check(stream.finish(self._note(error, invocation)), invocation)
            _end_if_wished(error)
        else:
            self._check(stream.finish(), invocation)

    def _close(self, pieces: Iterator[object], invocation: Invocation) -> None:
        close = getattr(pieces, "close", None)
        if close is None:
            return
        try:
            close()
        except Exception as error:  # noqa: BLE001 - the answer is out already; a failing clean-up is only logged
            self._note(error, invocation)

    def _fail(self, invocation: Invocation, error: BaseException) -> None:
        report = self._note(error, invocation)
        try:
            self._check(self.api.fail(invocation, report), invocation)
        except HostGone as gone:
            self._note(gone, invocation)

    def _check(self, status: int, invocation: Invocation) -> None:
        if status == HTTPStatus.ACCEPTED:
            return
        self._note(RuntimeFault("Runtime.NotAccepted", f"The host answered {status} to the answer"), invocation)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise ProcessEnd(1)  # the Runtime API calls this state not recoverable and asks the runtime to exit

    def _note(self, error: BaseException, invocation: Invocation) -> ErrorReport:
        report = report_of(error, invocation.request_id)
        write_report(self.log, report)
        return report


def write_report(log: TextIO, report: ErrorReport) -> None:
    """Write a failure to the function's log, at once: an environment may be frozen right after."""
    with suppress(OSError, ValueError):  # a closed log must not cost the answer
        log.write(report.log_line + "\n")
        log.flush()


def exit_status(wish: BaseException) -> int:
    """Give the shell's status for what ends a process: `sys.exit`'s argument, 130 for an interrupt, else 1."""
    if isinstance(wish, KeyboardInterrupt):
        return 130
    code = wish.code if isinstance(wish, SystemExit) else 1
    return code if isinstance(code, int) else int(code is not None)


def _end_if_wished(error: BaseException) -> None:
    if isinstance(error, SystemExit | KeyboardInterrupt):
        raise ProcessEnd(exit_status(error)) from error


def _marshal(result: object) -> bytes:
    try:
        return encode(result)
    except (TypeError, ValueError, RecursionError) as error:
        raise RuntimeFault("Runtime.MarshalError", f"Unable to marshal response: {error}") from error


def _next_piece(pieces: Iterator[object]) -> bytes | None:
    for piece in pieces:
        if not isinstance(piece, bytes | bytearray | memoryview):
            raise TypeError(f"A streaming handler yields bytes, and this one yielded {type(piece).__name__}")
        # An empty chunk would be the end of a chunked body.
        if piece:
            return bytes(piece)
    return None
