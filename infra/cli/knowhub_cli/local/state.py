"""The state folder: one host at a time, and no guessing about what another version has written there."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from knowhub_cli.local.failures import StateCorrupt, StateInUse, StateSchema, StateUnusable

SCHEMA: Final = 1
"""Of the folder's layout; goes up when a host could not serve what an earlier one has left."""

_LOCK: Final = "host.lock"
_DESCRIPTION: Final = "state.json"
_DRAFT: Final = "state.json.new"


@contextmanager
def claimed(state: Path) -> Iterator[None]:
    """Hold the state folder, made where absent, for as long as the context lasts.

    The claim ends with the process, however it ends. Raises `StateInUse`, `StateUnusable`, `StateCorrupt` or
    `StateSchema`.
    """
    lock = _open_lock(state)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StateInUse(f"{state} is already served by another knowhub{_holder(lock)}") from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        _check_description(state)
        yield
    finally:
        os.close(lock)


def _open_lock(state: Path) -> int:
    if state.exists() and not state.is_dir():
        raise StateUnusable(f"{state} is a file; the state needs a folder of its own")
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(state / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StateUnusable(f"{state} can't be written to: {error.strerror}") from error


def _holder(lock: int) -> str:
    text = os.pread(lock, 20, 0).decode(errors="replace")
    return f" (process {text})" if text.isdigit() else ""


def _check_description(state: Path) -> None:
    path = state / _DESCRIPTION
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        _refuse_foreign(state)
        _write_description(state)
        return
    except OSError as error:
        raise StateUnusable(f"{path} can't be read: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise StateCorrupt(f"{path} is damaged; restore the state folder from a copy, or choose another") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise StateCorrupt(f"{path} names no schema; restore the state folder from a copy, or choose another")
    if schema != SCHEMA:
        age = "an older" if schema < SCHEMA else "a newer"
        raise StateSchema(
            f"{state} was written by {age} knowhub (schema {schema}, this one serves {SCHEMA});"
            " use that version, or another state folder"
        )


def _refuse_foreign(state: Path) -> None:
    """Never settle in a folder with somebody's files in it, or in a state whose description was lost."""
    others = sorted(entry.name for entry in state.iterdir() if entry.name not in {_LOCK, _DRAFT})
    if not others:
        return
    with suppress(OSError):
        (state / _LOCK).unlink()
    raise StateCorrupt(f"{state} holds other files ({others[0]}) and no {_DESCRIPTION}; choose an empty folder")


def _write_description(state: Path) -> None:
    draft = state / _DRAFT
    try:
        with draft.open("wb") as file:
            file.write(json.dumps({"schema": SCHEMA}).encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(state / _DESCRIPTION)
        folder = os.open(state, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise StateUnusable(f"{state} can't be written to: {error.strerror}") from error
