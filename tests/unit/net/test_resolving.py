"""Names are looked up with an end to the wait."""

import socket
import threading
from typing import Any

import pytest

from knowhub.net.resolving import SystemResolver


def entry(family: int, address: str) -> tuple[Any, ...]:
    return (family, socket.SOCK_STREAM, 6, "", (address, 0))


def test_all_addresses_are_given_once_with_version_4_first() -> None:
    answers = [entry(socket.AF_INET6, "2606::1"), entry(socket.AF_INET, "1.1.1.1"), entry(socket.AF_INET, "1.1.1.1")]
    asked: list[str] = []

    def lookup(host: str, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        asked.append(host)
        return answers

    assert SystemResolver(lookup).resolve("a.example", seconds=60) == ["1.1.1.1", "2606::1"]
    assert asked == ["a.example"]


@pytest.mark.parametrize("error", [socket.gaierror(-2, "unknown"), UnicodeError("label too long")])
def test_an_unknown_name_is_an_error_of_the_system(error: Exception) -> None:
    def lookup(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
        raise error

    with pytest.raises(OSError, match="the name was not found"):
        SystemResolver(lookup).resolve("a.example", seconds=60)


def test_an_answer_that_does_not_come_is_not_waited_for() -> None:
    held = threading.Event()

    def lookup(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
        held.wait(60)
        return []

    try:
        with pytest.raises(TimeoutError):
            SystemResolver(lookup).resolve("a.example", seconds=0.01)
    finally:
        held.set()
