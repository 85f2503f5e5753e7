"""Answers what the path asks for; waits for files instead of time, so that a test decides the order."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

SCRATCH = Path(os.environ["SCRATCH"])


def wait_for(name: str) -> None:
    while not (SCRATCH / name).exists():
        time.sleep(0.005)


def note(name: str) -> None:
    (SCRATCH / name).write_text(str(os.getpid()), encoding="utf-8")


def prelude(status: int) -> bytes:
    return json.dumps({"statusCode": status, "headers": {"Content-Type": "text/event-stream"}}).encode() + bytes(8)


def in_steps() -> Iterator[bytes]:
    try:
        head = prelude(201)
        yield head[:10]
        yield head[10:] + b"one\n"
        wait_for("second")
        yield b"two\n"
        wait_for("third")
        yield b"three\n"
    finally:
        note("stream-closed")


def endless() -> Iterator[bytes]:
    try:
        yield prelude(200)
        while True:
            yield b"again\n"
            time.sleep(0.01)
    finally:
        note("stream-closed")


def late() -> Iterator[bytes]:
    note("begun")
    wait_for("second")
    yield from endless()


def failing(after_head: bool) -> Iterator[bytes]:
    if after_head:
        yield prelude(200) + b"begun"
    raise RuntimeError("a stream that fails")


def no_prelude() -> Iterator[bytes]:
    yield b"x" * 20_000


STREAMS = {
    "steps": in_steps,
    "endless": endless,
    "late": late,
    "fails": lambda: failing(after_head=True),
    "fails-early": lambda: failing(after_head=False),
    "no-prelude": no_prelude,
}


def answer(body: Any, **members: Any) -> dict[str, Any]:
    return {"statusCode": 200, "headers": {"Content-Type": "application/json"}, "body": json.dumps(body)} | members


def fail(_: dict[str, Any]) -> NoReturn:
    raise RuntimeError("a secret inside")


def die(_: dict[str, Any]) -> NoReturn:
    os._exit(3)


def hang(_: dict[str, Any]) -> dict[str, Any]:
    note("hanging")
    wait_for("release-hanging")
    return answer("late")


def meet(event: dict[str, Any]) -> dict[str, Any]:
    note(f"met-{event['path'].rpartition('/')[2]}")
    wait_for("all-met")
    return answer(os.getpid())


def start_child(_: dict[str, Any]) -> dict[str, Any]:
    child = subprocess.Popen(["sleep", "1000"])
    return answer([os.getpid(), child.pid])


def speak(_: dict[str, Any]) -> dict[str, Any]:
    sys.stdout.write("printed by the function\n")
    return answer("said")


def stream(event: dict[str, Any]) -> Any:
    what = event["path"].rpartition("/")[2]
    return answer("whole") if what == "buffered" else STREAMS[what]()


ACTIONS = {
    "back": lambda event: answer(0) | {"body": event["body"], "isBase64Encoded": event["isBase64Encoded"]},
    "child": start_child,
    "die": die,
    "environment": lambda _: answer(dict(os.environ)),
    "fail": fail,
    "hang": hang,
    "headers": lambda _: answer(
        1,
        headers={"X-One": 1},
        multiValueHeaders={"Set-Cookie": ["a=1", "b=2"], "WWW-Authenticate": ["Bearer"]},
    ),
    "large": lambda _: answer("x" * 7_000_000),
    "malformed": lambda _: ["no", "response"],
    "meet": meet,
    "print": speak,
    "short": hang,
    "split-header": lambda _: answer(1, headers={"X-Bad": "a\r\nX-Injected: b"}),
    "stream": stream,
    "undeclared-stream": lambda _: in_steps(),
}


def handler(event: dict[str, Any], context: Any) -> Any:
    name = event["path"].removeprefix("/api").strip("/").partition("/")[0]
    if name == "remaining":
        return answer(context.get_remaining_time_in_millis())
    return ACTIONS.get(name, answer)(event)
