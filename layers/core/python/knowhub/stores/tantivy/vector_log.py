"""The writing side of the vectors: appended, synced, compacted. One process at a time, under the writer's lock."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowhub.errors import InvalidRequest
from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.files import sync_folder
from knowhub.stores.tantivy.vector_files import (
    HALF_BYTES,
    KEY_BYTES,
    Manifest,
    VectorRows,
    halves_file,
    keys_file,
    map_rows,
    read_manifest,
    whole_rows,
    write_manifest,
)

Living: TypeAlias = Callable[[int, int], Sequence[int]]
"""Tells which row numbers of a closed range have a chunk."""

_COPY_ROWS = 8_192


def half_vectors(vectors: Sequence[Sequence[float]]) -> NDArray[np.float16]:
    """Turn vectors into unit vectors in half precision; raises `InvalidRequest` for what has no direction."""
    if len({len(vector) for vector in vectors}) != 1 or not len(vectors[0]):
        raise InvalidRequest("Vectors of one index have the same length, at least 1")
    full = np.asarray(vectors, np.float64)
    norms = np.linalg.norm(full, axis=1, keepdims=True)
    if not np.isfinite(norms).all() or not norms.all():
        raise InvalidRequest("A vector is finite and not all zero")
    halves: NDArray[np.float16] = (full / norms).astype("<f2")
    return halves


class VectorLog:
    """The valid generation, open for appending."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest: Manifest | None = None
        self._files: tuple[IO[bytes], IO[bytes]] | None = None
        self._next_row = 0
        self._unsynced = False

    def check_dimension(self, dimension: int) -> None:
        """Refuse vectors of another length than those that are there."""
        manifest = self._valid()
        if manifest is not None and manifest.dimension != dimension:
            raise InvalidRequest(f"Vectors of this index have {manifest.dimension} dimensions, not {dimension}")

    def append(self, kb_ids: Sequence[int], halves: NDArray[np.float16]) -> list[int]:
        """Write vectors behind the last one and return their row numbers; durable only after `sync`."""
        with engine_failures("write vectors"):
            keys_out, halves_out = self._opened(halves.shape[1])
            self._unsynced = True
            rows = list(range(self._next_row, self._next_row + len(kb_ids)))
            keys = np.column_stack([np.asarray(rows, "<i8"), np.asarray(kb_ids, "<i8")])
            try:
                _write(halves_out, halves.tobytes())
                _write(keys_out, keys.tobytes())
            except OSError:
                self.close()  # opening again cuts off what was half written
                raise
            self._next_row += len(rows)
        return rows

    def sync(self) -> None:
        """Make every appended row durable."""
        manifest = self._valid()
        if manifest is None or not self._unsynced:
            return
        with engine_failures("sync its vectors"):
            for file in self._opened(manifest.dimension):
                os.fsync(file.fileno())
        self._unsynced = False

    def size(self) -> int:
        """Count the rows in the files, dead ones too."""
        with engine_failures("read its vectors"):
            manifest = self._valid()
            return whole_rows(self._folder, manifest) if manifest else 0

    def compact(self, living: Living) -> None:
        """Keep living rows only. A kill at any point leaves the old generation or the new one valid, whole."""
        with engine_failures("compact its vectors"):
            manifest = self._valid()
            if manifest is None:
                return
            self._opened(manifest.dimension)
            new = Manifest(manifest.generation + 1, manifest.dimension, self._next_row)
            self._copy(manifest, new, living)
            self.close()
            write_manifest(self._folder, new)
            self._drop_others(new)

    def close(self) -> None:
        """Close the files; the next append opens them again."""
        for file in self._files or ():
            file.close()
        self._files = None
        self._manifest = None

    def _valid(self) -> Manifest | None:
        return self._manifest or read_manifest(self._folder)

    def _opened(self, dimension: int) -> tuple[IO[bytes], IO[bytes]]:
        if self._files is not None:
            return self._files
        manifest = read_manifest(self._folder) or self._created(dimension)
        mapped = _existing(self._folder, manifest)
        count = len(mapped.rows)
        # Readers map sound rows only, so cutting off the others takes nothing from under them.
        os.truncate(keys_file(self._folder, manifest.generation), count * KEY_BYTES)
        os.truncate(halves_file(self._folder, manifest.generation), count * HALF_BYTES * manifest.dimension)
        self._next_row = max(manifest.first_row, int(mapped.rows[-1]) + 1 if count else 0)
        self._manifest = manifest
        self._files = (
            keys_file(self._folder, manifest.generation).open("ab", buffering=0),
            halves_file(self._folder, manifest.generation).open("ab", buffering=0),
        )
        self._drop_others(manifest)
        return self._files

    def _created(self, dimension: int) -> Manifest:
        self._folder.mkdir(parents=True, exist_ok=True)
        sync_folder(self._folder.parent)
        manifest = Manifest(1, dimension, 1)
        keys_file(self._folder, 1).touch()
        halves_file(self._folder, 1).touch()
        write_manifest(self._folder, manifest)
        return manifest

    def _copy(self, old: Manifest, new: Manifest, living: Living) -> None:
        source = _existing(self._folder, old)
        with (
            keys_file(self._folder, new.generation).open("wb") as keys_out,
            halves_file(self._folder, new.generation).open("wb") as halves_out,
        ):
            for start in range(0, len(source.rows), _COPY_ROWS):
                block = source.rows[start : start + _COPY_ROWS]
                part = source.positions_of(np.asarray(living(int(block[0]), int(block[-1])), np.int64))
                keys_out.write(np.column_stack([source.rows[part], source.kbs[part]]).tobytes())
                halves_out.write(source.halves[part].tobytes())
            for file in (keys_out, halves_out):
                file.flush()
                os.fsync(file.fileno())
        sync_folder(self._folder)

    def _drop_others(self, valid: Manifest) -> None:
        """Remove generations that were left behind; who has them mapped keeps them."""
        for suffix in ("keys", "halves"):
            for path in self._folder.glob(f"*.{suffix}"):
                if path.stem != str(valid.generation):
                    path.unlink(missing_ok=True)


def _existing(folder: Path, manifest: Manifest) -> VectorRows:
    mapped = map_rows(folder, manifest)
    if mapped is None:
        raise damaged("its vector files are gone")
    return mapped


def _write(file: IO[bytes], content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[file.write(view) :]
