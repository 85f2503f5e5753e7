"""The runtime loop against a Runtime API with real sockets, in this process."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from knowhub.runtime.context import Context, FunctionFacts
from knowhub.runtime.loop import Loop, ProcessEnd
from knowhub.runtime.runtime_api import HostGone, RuntimeApi
from tests.runtime_api import PATIENCE, RuntimeApiStandIn

Handler = Callable[[Any, Context], object]
Serve = Callable[[Handler], "RunningLoop"]

PRELUDE = b'{"statusCode":200}' + bytes(8)


@dataclass
class RunningLoop:
    """A loop in a thread; `end` is what ended it."""

    environ: dict[str, str] = field(default_factory=dict)
    log: io.StringIO = field(default_factory=io.StringIO)
    end: BaseException | None = None
    thread: threading.Thread | None = None

    def start(self, address: str, handler: Handler) -> None:
        loop = Loop(RuntimeApi(address), handler, FunctionFacts(function_name="ask"), self.environ, self.log)

        def run() -> None:
            try:
                loop.run()
            except (HostGone, ProcessEnd) as end:
                self.end = end

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def join(self) -> BaseException | None:
        assert self.thread is not None
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        return self.end

    @property
    def logged(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.getvalue().splitlines()]


@pytest.fixture
def api() -> Iterator[RuntimeApiStandIn]:
    with RuntimeApiStandIn() as api:
        yield api


@pytest.fixture
def serve(api: RuntimeApiStandIn) -> Iterator[Serve]:
    started: list[RunningLoop] = []

    def start(handler: Handler) -> RunningLoop:
        loop = RunningLoop()
        started.append(loop)
        loop.start(api.address, handler)
        return loop

    yield start
    api.close()
    for loop in started:
        loop.join()


def test_a_dict_is_answered_whole_as_json(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda event, _: {"statusCode": 200, "body": event["question"] + " 知识 é"})
    response = api.invoke({"question": "what?"}).wait().response
    assert response.json == {"statusCode": 200, "body": "what? 知识 é"}
    assert "知识 é".encode() in response.body
    assert response.headers["content-type"] == "application/json"
    assert "lambda-runtime-function-response-mode" not in response.headers
    assert int(response.headers["content-length"]) == len(response.body)


@pytest.mark.parametrize("result", [None, "text", 7, [1, "two"], {"a": None}])
def test_any_json_value_is_a_result(api: RuntimeApiStandIn, serve: Serve, result: object) -> None:
    serve(lambda _event, _context: result)
    assert api.invoke().wait().response.json == result


def test_decimals_become_numbers(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda _event, _context: {"n": Decimal(7), "x": Decimal("1.5"), "big": Decimal(12345678901234567890)})
    assert api.invoke().wait().response.json == {"n": 7, "x": 1.5, "big": 12345678901234567890}


def test_a_lone_surrogate_is_escaped(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda _event, _context: {"name": "a\udcff"})
    assert api.invoke().wait().response.json == {"name": "a\udcff"}


class Circular(dict[str, object]):
    def __init__(self) -> None:
        super().__init__()
        self["self"] = self


@pytest.mark.parametrize("result", [object(), {"x": {1, 2}}, {"x": float("nan")}, b"bytes", Circular(), {(1,): 2}])
def test_an_unserialisable_result_is_a_marshal_error(api: RuntimeApiStandIn, serve: Serve, result: object) -> None:
    serve(lambda event, _context: result if event == "bad" else "good")
    bad, good = api.invoke("bad"), api.invoke("good")
    error = bad.wait().error
    assert error.json["errorType"] == "Runtime.MarshalError"
    assert error.headers["lambda-runtime-function-error-type"] == "Runtime.MarshalError"
    assert good.wait().response.json == "good"


def test_an_event_that_is_no_json_is_an_unmarshal_error(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda event, _context: event)
    assert api.invoke(raw=b"{nope").wait().error.json["errorType"] == "Runtime.UnmarshalError"
    assert api.invoke("next").wait().response.json == "next"


def test_a_handler_error_is_posted_and_the_loop_goes_on(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(event: Any, _context: Context) -> object:
        if event == "bad":
            raise LookupError("no such ✓ thing")
        return event

    loop = serve(handler)
    bad, good = api.invoke("bad"), api.invoke("good")
    error = bad.wait().error
    assert error.json["errorMessage"] == "no such ✓ thing"
    assert error.json["errorType"] == "LookupError"
    assert error.json["requestId"] == bad.request_id
    assert [("in handler" in frame, "no such" in frame) for frame in error.json["stackTrace"]] == [(True, True)]
    assert error.headers["lambda-runtime-function-error-type"] == "LookupError"
    assert bad.response is None
    assert good.wait().response.json == "good"
    assert [(line["level"], line["errorType"], line["requestId"]) for line in loop.logged] == [
        ("ERROR", "LookupError", bad.request_id)
    ]


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Ärger(Exception):  # noqa: PLC2401 - such names are legal, and no header can carry them
    pass


@pytest.mark.parametrize(
    ("raised", "in_header"),
    [
        (Unprintable(), "Unprintable"),
        (Ärger("x"), "?rger"),
        (GeneratorExit("x"), "GeneratorExit"),
        (StopIteration("x"), "StopIteration"),
        (RecursionError("x" * 100_000), "RecursionError"),
    ],
)
def test_odd_errors_are_answers_too(
    api: RuntimeApiStandIn, serve: Serve, raised: BaseException, in_header: str
) -> None:
    def handler(event: Any, _context: Context) -> object:
        if event == "bad":
            raise raised
        return event

    serve(handler)
    error = api.invoke("bad").wait().error
    assert error.headers["lambda-runtime-function-error-type"] == in_header
    assert error.json["errorType"] == type(raised).__name__
    assert len(error.body) < 50_000
    assert api.invoke("good").wait().response.json == "good"


def test_a_deep_recursion_keeps_the_innermost_frames(api: RuntimeApiStandIn, serve: Serve) -> None:
    def dive(_event: Any, _context: Context) -> object:
        return dive(_event, _context)

    serve(dive)
    error = api.invoke().wait().error
    assert error.json["errorType"] == "RecursionError"
    assert 0 < len(error.json["stackTrace"]) <= 50


def test_the_trace_id_follows_the_event(api: RuntimeApiStandIn, serve: Serve) -> None:
    loop = serve(lambda _event, _context: loop.environ.get("_X_AMZN_TRACE_ID"))
    assert api.invoke(headers={"Lambda-Runtime-Trace-Id": "Root=1-a"}).wait().response.json == "Root=1-a"
    assert api.invoke(headers={"Lambda-Runtime-Trace-Id": "Root=1-b"}).wait().response.json == "Root=1-b"
    assert api.invoke().wait().response.json is None


def test_the_handler_gets_the_context_of_its_event(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda _event, context: [context.aws_request_id, context.function_name, context.invoked_function_arn])
    invocation = api.invoke(headers={"Lambda-Runtime-Invoked-Function-Arn": "arn:x"}).wait()
    assert invocation.response.json == [invocation.request_id, "ask", "arn:x"]


def test_a_broken_client_context_is_an_error_of_its_event_alone(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda event, _context: event)
    bad = api.invoke(headers={"Lambda-Runtime-Client-Context": "{nope"}).wait()
    assert bad.error.json["errorType"] == "Runtime.LambdaContextUnmarshalError"
    assert api.invoke("good").wait().response.json == "good"


def test_an_invocation_id_is_sent_back_with_every_kind_of_answer(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(event: Any, _context: Context) -> object:
        if event == "bad":
            raise ValueError
        return iter([b"x"]) if event == "stream" else event

    serve(handler)
    headers = {"Lambda-Runtime-Invocation-Id": "i-7"}
    whole, stream, bad = (api.invoke(event, headers).wait() for event in ("whole", "stream", "bad"))
    for request in (whole.response, stream.response, bad.error):
        assert request.headers["lambda-runtime-invocation-id"] == "i-7"


def test_a_generator_is_streamed_chunk_by_chunk(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(_event: Any, _context: Context) -> Iterator[object]:
        yield PRELUDE
        yield b"data: 1\n\n"
        yield bytearray(b"data: 2\n\n")
        yield memoryview(b"data: 3\n\n")

    serve(handler)
    response = api.invoke().wait().response
    assert response.chunks == [PRELUDE, b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"]
    assert response.headers["content-type"] == "application/vnd.awslambda.http-integration-response"
    assert response.headers["lambda-runtime-function-response-mode"] == "streaming"
    assert response.headers["transfer-encoding"] == "chunked"
    assert "content-length" not in response.headers
    assert response.complete
    assert response.trailers == {}


def test_each_chunk_arrives_before_the_next_one_is_made(api: RuntimeApiStandIn, serve: Serve) -> None:
    seen = [threading.Event() for _ in range(3)]
    order: list[str] = []

    def handler(_event: Any, _context: Context) -> Iterator[object]:
        for number, event in enumerate(seen):
            order.append(f"made {number}")
            yield b"%d" % number
            assert event.wait(PATIENCE), "the chunk did not leave before the next was asked for"

    serve(handler)
    invocation = api.invoke()
    for number, event in enumerate(seen):
        assert invocation.wait_for_chunks(number + 1) == [b"%d" % n for n in range(number + 1)]
        assert not invocation.response.complete
        order.append(f"seen {number}")
        event.set()
    invocation.wait()
    assert order == ["made 0", "seen 0", "made 1", "seen 1", "made 2", "seen 2"]
    assert invocation.response.complete


def test_empty_pieces_send_nothing(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda _event, _context: iter([b"", b"one", b"", b"", b"two", b""]))
    response = api.invoke().wait().response
    assert response.chunks == [b"one", b"two"]
    assert response.complete


@pytest.mark.parametrize("pieces", [[], [b"", b""]])
def test_a_stream_of_nothing_is_an_empty_body(api: RuntimeApiStandIn, serve: Serve, pieces: list[bytes]) -> None:
    serve(lambda _event, _context: iter(pieces))
    response = api.invoke().wait().response
    assert response.complete
    assert response.body == b""


def test_a_large_piece_is_one_chunk(api: RuntimeApiStandIn, serve: Serve) -> None:
    piece = bytes(range(256)) * 20_000
    serve(lambda _event, _context: iter([piece]))
    assert api.invoke().wait().response.chunks == [piece]


def test_pieces_keep_every_byte_of_the_framing(api: RuntimeApiStandIn, serve: Serve) -> None:
    pieces = [b"\r\n", b"0\r\n\r\n", bytes(8), b"5\r\nhello\r\n"]
    serve(lambda _event, _context: iter(pieces))
    assert api.invoke().wait().response.chunks == pieces


def test_a_generator_is_closed_at_its_end(api: RuntimeApiStandIn, serve: Serve) -> None:
    closed = threading.Event()

    def handler(_event: Any, _context: Context) -> Iterator[object]:
        try:
            yield b"x"
        finally:
            closed.set()

    serve(handler)
    api.invoke().wait()
    assert closed.wait(PATIENCE)


def test_a_generator_that_fails_before_its_first_byte_fails_the_invocation(
    api: RuntimeApiStandIn, serve: Serve
) -> None:
    def handler(_event: Any, _context: Context) -> Iterator[object]:
        yield b""
        raise PermissionError("not yours")

    serve(handler)
    invocation = api.invoke().wait()
    assert invocation.error.json["errorType"] == "PermissionError"
    assert invocation.response is None


def test_a_failure_in_mid_stream_goes_into_trailers_and_the_loop_goes_on(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(event: Any, _context: Context) -> Iterator[object]:
        yield PRELUDE
        if event == "bad":
            raise RuntimeError("lost the thread ✗")

    loop = serve(handler)
    bad, good = api.invoke("bad"), api.invoke("good")
    response = bad.wait().response
    assert response.chunks == [PRELUDE]
    assert response.complete
    assert response.trailers["lambda-runtime-function-error-type"] == "RuntimeError"
    assert bad.trailer_error["errorMessage"] == "lost the thread ✗"
    assert bad.trailer_error["errorType"] == "RuntimeError"
    assert "in handler" in bad.trailer_error["stackTrace"][0]
    assert response.headers["trailer"].lower().split(", ") == sorted(response.trailers, reverse=True)
    assert bad.error is None
    assert good.wait().response.trailers == {}
    assert loop.logged[0]["errorType"] == "RuntimeError"


def test_a_piece_that_is_no_bytes_is_a_failure_and_closes_the_generator(api: RuntimeApiStandIn, serve: Serve) -> None:
    closed = threading.Event()

    def handler(_event: Any, _context: Context) -> Iterator[object]:
        try:
            yield b"x"
            yield "text"
        finally:
            closed.set()

    serve(handler)
    invocation = api.invoke().wait()
    assert invocation.trailer_error["errorType"] == "TypeError"
    assert "str" in invocation.trailer_error["errorMessage"]
    assert closed.wait(PATIENCE)


@pytest.mark.parametrize("message", ["x" * 100_000, "知" * 100_000, "\U0001f600" * 100_000])
def test_trailers_fit_one_header_line_whatever_was_raised(api: RuntimeApiStandIn, serve: Serve, message: str) -> None:
    def handler(_event: Any, _context: Context, depth: int = 60) -> Iterator[object]:
        if depth:
            yield from handler(_event, _context, depth - 1)
        yield b"x"
        raise ValueError(message)

    serve(handler)
    invocation = api.invoke().wait()
    assert len(invocation.response.trailers["lambda-runtime-function-error-body"]) <= 12_000
    assert message.startswith(invocation.trailer_error["errorMessage"])
    assert invocation.trailer_error["errorMessage"]


def test_a_host_that_cuts_the_stream_stops_the_generator_and_the_loop_goes_on(
    api: RuntimeApiStandIn, serve: Serve
) -> None:
    closed = threading.Event()
    made: list[int] = []

    def handler(event: Any, _context: Context) -> Iterator[object]:
        if event == "good":
            yield b"good"
            return
        try:
            for number in range(1_000_000):
                made.append(number)
                yield b"x" * 1_000
        finally:
            closed.set()

    serve(handler)
    cut = api.invoke("cut", drop_after_chunks=2).wait()
    assert closed.wait(PATIENCE)
    assert len(made) < 1_000_000
    assert cut.error is None
    assert api.invoke("good").wait().response.chunks == [b"good"]


def test_a_cut_is_noticed_at_the_very_next_piece(api: RuntimeApiStandIn, serve: Serve) -> None:
    cut = threading.Event()
    closed = threading.Event()
    made: list[int] = []

    def handler(_event: Any, _context: Context) -> Iterator[object]:
        try:
            for number in range(10):
                made.append(number)
                yield b"x"
                assert cut.wait(PATIENCE)
        finally:
            closed.set()

    serve(handler)
    api.invoke(drop_after_chunks=1).wait()
    cut.set()
    assert closed.wait(PATIENCE)
    assert made == [0, 1]


def test_a_clean_up_that_fails_after_a_cut_is_logged_and_the_loop_goes_on(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(event: Any, _context: Context) -> Iterator[object]:
        try:
            while True:
                yield event.encode() * 1_000
                if event == "good":
                    return
        finally:
            if event == "cut":
                raise OSError("the clean-up failed")

    loop = serve(handler)
    api.invoke("cut", drop_after_chunks=1).wait()
    assert api.invoke("good").wait().response.complete
    assert "the clean-up failed" in [line["errorMessage"] for line in loop.logged]


def test_an_answer_over_the_hosts_limit_becomes_an_error(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda event, _context: event)
    invocation = api.invoke("large", status=413).wait()
    assert invocation.error.json["errorType"] == "Function.ResponseSizeTooLarge"
    assert api.invoke("good").wait().response.json == "good"


def test_a_refused_answer_is_logged_and_the_loop_goes_on(api: RuntimeApiStandIn, serve: Serve) -> None:
    loop = serve(lambda event, _context: event)
    api.invoke("late", status=403)
    assert api.invoke("good").wait().response.json == "good"
    assert [line["errorType"] for line in loop.logged] == ["Runtime.NotAccepted"]


def test_a_broken_host_ends_the_process(api: RuntimeApiStandIn, serve: Serve) -> None:
    loop = serve(lambda event, _context: event)
    api.invoke("x", status=500)
    end = loop.join()
    assert isinstance(end, ProcessEnd)
    assert end.status == 1


def test_a_host_that_is_gone_ends_the_loop(api: RuntimeApiStandIn, serve: Serve) -> None:
    loop = serve(lambda event, _context: event)
    api.invoke("x").wait()
    api.close()
    assert isinstance(loop.join(), HostGone)


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        (SystemExit(3), 3),
        (SystemExit(), 0),
        (SystemExit("words"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_a_handler_that_ends_the_process_is_answered_for_first(
    api: RuntimeApiStandIn, serve: Serve, wish: BaseException, status: int
) -> None:
    def handler(_event: Any, _context: Context) -> object:
        raise wish

    loop = serve(handler)
    error = api.invoke().wait().error
    assert error.json["errorType"] == ("KeyboardInterrupt" if status == 130 else "Runtime.ExitError")
    end = loop.join()
    assert isinstance(end, ProcessEnd)
    assert end.status == status


def test_an_exit_in_mid_stream_ends_the_stream_properly_first(api: RuntimeApiStandIn, serve: Serve) -> None:
    def handler(_event: Any, _context: Context) -> Iterator[object]:
        yield b"x"
        raise SystemExit(4)

    loop = serve(handler)
    invocation = api.invoke().wait()
    assert invocation.response.complete
    assert invocation.trailer_error["errorType"] == "Runtime.ExitError"
    end = loop.join()
    assert isinstance(end, ProcessEnd)
    assert end.status == 4
    assert invocation.error is None


def test_events_are_asked_for_one_at_a_time(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda event, _context: iter([b"x"]) if event == "stream" else event)
    first, second = api.invoke("stream"), api.invoke("whole")
    first.wait()
    second.wait()
    assert api.paths[:4] == [
        "GET /invocation/next",
        f"POST /invocation/{first.request_id}/response",
        "GET /invocation/next",
        f"POST /invocation/{second.request_id}/response",
    ]


def test_an_iterator_without_close_is_streamed_too(api: RuntimeApiStandIn, serve: Serve) -> None:
    serve(lambda _event, _context: map(bytes, [[1], [2]]))
    assert api.invoke().wait().response.chunks == [b"\x01", b"\x02"]
