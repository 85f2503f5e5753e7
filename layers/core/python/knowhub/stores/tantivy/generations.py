"""The generations of the embedded index: a folder each, and a file that names those that serve and are being built.

<path>/generations.json   the last number given, which serves and which is being built, and what each was made for
<path>/generations.lock   held while that file is changed
<path>/<number>/          an index folder, see `folder.py`

A number is given first, then its folder is made, then the file names it; a folder goes after the file has forgotten it.
So a kill leaves at most a folder of a number that was given and is not named, which the next `create` clears away. What
the file can't know of (an index of an earlier layout, or everything, should the file be lost) is left alone.
"""

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeAlias

from knowhub.errors import Conflict, SearchUnavailable
from knowhub.ports.chunk_generations import Generation
from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.files import FileLock, replace_file
from knowhub.stores.tantivy.index import TantivyChunkIndex

_Mark: TypeAlias = tuple[int, int, int]
_LOCK_SECONDS = 10.0
_NUMBER = re.compile(r"[1-9][0-9]*")


@dataclass(frozen=True, slots=True)
class _State:
    last: int = 0
    serving: int = 0
    building: int = 0
    made: tuple[Generation, ...] = ()

    def find(self, number: int) -> Generation | None:
        return next((one for one in self.made if one.number == number), None)


class TantivyGenerations:
    """Generations in a folder, made where it is absent; safe between threads and processes."""

    def __init__(self, path: str | Path, *, lock_seconds: float = 5.0) -> None:
        """Remember where; nothing is opened yet."""
        self._path = Path(path)
        self._lock_seconds = lock_seconds
        self._opening = threading.Lock()
        self._indexes: dict[int, TantivyChunkIndex] = {}
        self._known: tuple[_Mark, _State] | None = None
        self._told_none = False

    def serving(self) -> Generation | None:
        """Name the generation that serves."""
        state = self._read()
        self._told_none = not state.serving
        return state.find(state.serving)

    def building(self) -> Generation | None:
        """Name the generation that is being built."""
        state = self._read()
        return state.find(state.building)

    def retired(self) -> list[Generation]:
        """List the others."""
        state = self._read()
        return [one for one in state.made if one.number not in {state.serving, state.building}]

    def create(self, embedder: str, dimension: int, analyser: int) -> Generation:
        """Make the next generation."""
        first = self._told_none or not self._read().serving
        self._told_none = False
        with self._changing() as state:
            serving = state.find(state.serving)
            if first and serving is not None:
                return serving  # another process was faster
            if state.building:
                raise Conflict("A generation of the chunk index is being built", {"generation": state.building})
            folders = self._folders()
            self._clear(number for number in folders if number <= state.last and state.find(number) is None)
            made = Generation(max(state.last, *folders, 0) + 1, embedder, dimension, analyser)
            self._write(replace(state, last=made.number))
            self._make_folder(made.number)
            place = {"serving": made.number} if not state.serving else {"building": made.number}
            self._write(replace(state, last=made.number, made=(*state.made, made), **place))
        return made

    def serve(self, number: int) -> None:
        """Let a generation serve."""
        with self._changing() as state:
            if state.find(number) is None:
                raise SearchUnavailable(f"There is no generation {number} of the chunk index")
            building = 0 if state.building == number else state.building
            self._write(replace(state, serving=number, building=building))

    def drop(self, number: int) -> None:
        """Remove a generation."""
        with self._changing() as state:
            if state.serving == number:
                raise Conflict("This generation of the chunk index serves", {"generation": number})
            building = 0 if state.building == number else state.building
            made = tuple(one for one in state.made if one.number != number)
            self._write(replace(state, building=building, made=made))
            if number <= state.last:
                self._clear([number])

    def index(self, number: int) -> TantivyChunkIndex:
        """Open a generation's index."""
        with self._opening:
            if number not in self._indexes:
                self._indexes[number] = TantivyChunkIndex(
                    self._folder(number), lock_seconds=self._lock_seconds, create=False
                )
            return self._indexes[number]

    def close(self) -> None:
        """Let go of every index; a later call opens it again."""
        self._let_go(lambda _: True)

    def _let_go(self, goes: Callable[[int], bool]) -> None:
        with self._opening:
            indexes = [self._indexes.pop(number) for number in list(self._indexes) if goes(number)]
        for index in indexes:
            index.close()

    def _folder(self, number: int) -> Path:
        return self._path / str(number)

    def _folders(self) -> list[int]:
        """List the numbers that have a folder."""
        with engine_failures("list its generations"):
            return [int(path.name) for path in self._path.iterdir() if _NUMBER.fullmatch(path.name) and path.is_dir()]

    def _make_folder(self, number: int) -> None:
        index = TantivyChunkIndex(self._folder(number))
        index.count(frozenset())  # which opens it
        index.close()

    def _clear(self, numbers: Iterable[int]) -> None:
        """Remove the folders of generations that are named no more; what can't be removed now is by a later call."""
        for number in numbers:
            self._let_go(number.__eq__)
            shutil.rmtree(self._folder(number), ignore_errors=True)

    def _read(self) -> _State:
        """Read the file anew where it has been replaced, and let go of indexes that it has forgotten."""
        with engine_failures("name its generations"):
            try:
                found = (self._path / "generations.json").stat()
                mark = (found.st_ino, found.st_mtime_ns, found.st_size)
                if self._known is not None and self._known[0] == mark:
                    return self._known[1]
                text = (self._path / "generations.json").read_bytes()
            except FileNotFoundError:
                return _State()
        state = _parsed(text)
        self._known = (mark, state)
        self._let_go(lambda number: state.find(number) is None)
        return state

    def _write(self, state: _State) -> None:
        with engine_failures("name its generations"):
            replace_file(self._path / "generations.json", json.dumps(asdict(state)).encode())

    @contextmanager
    def _changing(self) -> Iterator[_State]:
        lock = FileLock(self._path / "generations.lock")
        with engine_failures("be locked"):
            self._path.mkdir(parents=True, exist_ok=True)
            lock.acquire(_LOCK_SECONDS)
        try:
            yield self._read()
        finally:
            lock.release()


def _parsed(text: bytes) -> _State:
    try:
        members = json.loads(text)
        return _State(**{**members, "made": tuple(Generation(**one) for one in members["made"])})
    except (ValueError, TypeError, KeyError) as error:
        raise damaged("the file that names its generations is unreadable", error) from error
