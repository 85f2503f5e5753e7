"""The process in which binary and archive formats are read: one document after another, over its standard streams.

It loads what its readers need, locks itself, then answers requests until its input ends or a failure leaves it in
doubt. A request is two frames, JSON with `reader` and `name`, then the bytes; an answer is a failure, or a document
with its attachments.
"""

import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Callable, Mapping
from typing import BinaryIO

from knowhub.errors import Unreadable, UnsupportedMediaType
from knowhub.model.extraction import ReadDocument
from knowhub.readers import child_confinement as confinement
from knowhub.readers.child_frames import LOCKED, UNLOCKED, Failure, encode_document, encode_failure, frame, read_frame
from knowhub.readers.registry import ISOLATED

Reader = Callable[[bytes, str], ReadDocument]


def main(arguments: str, extra: Mapping[str, Reader] | None = None) -> None:
    """Serve until the input ends; `arguments` is JSON with `memory_bytes`, `cpu_seconds` and `documents`.

    `extra` are readers beside those that the registry names, for who starts this process with a command of their own.
    """
    limits = json.loads(arguments)
    requests, answers = _take_streams()
    readers = {**_load(), **(extra or {})}
    cpu_seconds = limits["cpu_seconds"]
    confinement.limit(limits["memory_bytes"], cpu_seconds * (limits["documents"] + 1))
    locked = confinement.lock()
    answers.write(frame(LOCKED if locked else UNLOCKED))
    answers.flush()
    while (request := read_frame(requests)) is not None:
        data = read_frame(requests)
        if data is None:
            return
        asked = json.loads(request)
        confinement.start_budget(cpu_seconds)
        spent, payloads = _answer(readers, asked["reader"], asked["name"], data)
        confinement.start_budget(0)
        del data
        for payload in payloads:
            answers.write(frame(payload))
        answers.flush()
        if spent:
            return


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the pipes for the protocol, so that what a library prints can't get into it."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, answers


def _load() -> dict[str, Reader]:
    """Import all that a document may need later, when files can't be opened any more.

    A reader names its libraries in `LIBRARIES`; `name.*` stands for a package with all its modules.
    """
    readers: dict[str, Reader] = {}
    _import("encodings.*")
    for name, path in ISOLATED.items():
        reader = importlib.import_module(path)
        for library in reader.LIBRARIES:
            _import(library)
        readers[name] = reader.read
    return readers


def _import(name: str) -> None:
    """Import a module if it is there: its reader says so where it is not."""
    package = name.removesuffix(".*")
    try:
        found = importlib.import_module(package)
    except (ImportError, OSError):
        return
    if package != name:
        for module in pkgutil.iter_modules(found.__path__):
            _import(f"{package}.{module.name}")


def _answer(readers: Mapping[str, Reader], reader: str, name: str, data: bytes) -> tuple[bool, list[bytes]]:
    """Read one document; says whether the process had better end, and gives the answer's frames."""
    try:
        return False, encode_document(readers[reader](data, name))
    except Unreadable as error:
        failure = Failure("unreadable", error.message, error.detail)
    except UnsupportedMediaType as error:
        failure = Failure("unsupported", error.message, error.detail)
    except ImportError as error:
        message = f"documents of type {reader} are not read here: the library {error.name} is not installed"
        failure = Failure("unsupported", message, {"type": reader})
    except MemoryError:
        failure = Failure("unreadable", "the document needs more memory than a reader may use", _reason("MEMORY"), True)
    except RecursionError:
        failure = Failure("unreadable", "the document is nested too deeply", _reason("TOO_DEEP"), True)
    except Exception as error:  # noqa: BLE001 - whatever a broken document does to its reader, it fails alone
        detail = {**_reason("READER_FAILED"), "error": type(error).__name__}
        failure = Failure("unreadable", f"the document is broken: its {reader} reader gave up", detail, True)
    return failure.spent, [encode_failure(failure)]


def _reason(reason: str) -> dict[str, object]:
    return {"reason": reason}
