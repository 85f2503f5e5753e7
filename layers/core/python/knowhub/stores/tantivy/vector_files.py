"""The vectors beside the text index: what the files are, and the memory-mapped view of them.

    vectors/manifest.json   generation, dimension, and the first row number that no earlier generation has used
    vectors/<n>.keys        a row number and a KB a row: two little-endian 64-bit integers, row numbers ascending
    vectors/<n>.halves      the vectors, in the same order: little-endian half-precision floats

A row number is given once and never again, so that a chunk in the text index can't point to another chunk's vector.
Rows whose chunk is gone stay until the next compaction, which writes a new generation; rows that no commit refers to
(their writer was killed) are the same. Rows are synced before the commit that refers to them.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.files import replace_file

KEY_BYTES = 16
HALF_BYTES = 2


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which files are valid, and what is in them."""

    generation: int
    dimension: int
    first_row: int


@dataclass(frozen=True, slots=True)
class VectorRows:
    """The rows of one generation, ascending by row number from 1; `halves` holds the floats' 16 bits as they are.

    `wide` holds the first of them once more, in single precision, none where they are not kept so.
    """

    generation: int
    rows: NDArray[np.int64]
    kbs: NDArray[np.int64]
    halves: NDArray[np.int16]
    wide: NDArray[np.float32]

    @property
    def dimension(self) -> int:
        """The length of each vector."""
        return int(self.halves.shape[1])

    def positions_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Find where these rows are; those that are not in the files are left out."""
        ordered = np.unique(rows)
        places = np.searchsorted(self.rows, ordered)
        places = places[places < len(self.rows)]
        return places[np.isin(self.rows[places], ordered)]


def keys_file(folder: Path, generation: int) -> Path:
    """Name the file of row numbers and KBs."""
    return folder / f"{generation}.keys"


def halves_file(folder: Path, generation: int) -> Path:
    """Name the file of vectors."""
    return folder / f"{generation}.halves"


def read_manifest(folder: Path) -> Manifest | None:
    """Read which generation is valid; None where no vector was ever written."""
    try:
        content = (folder / "manifest.json").read_bytes()
    except FileNotFoundError:
        return None
    try:
        return Manifest(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise damaged("its vector manifest is unreadable", error) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Make a generation the valid one, durably."""
    replace_file(folder / "manifest.json", json.dumps(asdict(manifest)).encode())


def whole_rows(folder: Path, manifest: Manifest) -> int:
    """Count the rows that are whole in both files; a killed writer may have left a part of one more."""
    keys = keys_file(folder, manifest.generation).stat().st_size // KEY_BYTES
    halves = halves_file(folder, manifest.generation).stat().st_size // (HALF_BYTES * manifest.dimension)
    return min(keys, halves)


def map_rows(folder: Path, manifest: Manifest) -> VectorRows | None:
    """Map a generation's sound rows into memory; None where its files have made way for a newer one."""
    with engine_failures("read its vectors"):
        try:
            # 16 bytes a row, scanned in every search: each column is read into one piece of memory.
            keys = np.fromfile(keys_file(folder, manifest.generation), "<i8", whole_rows(folder, manifest) * 2)
            rows, kbs = (np.ascontiguousarray(keys.reshape(-1, 2)[:, column]) for column in (0, 1))
            count = _sound(rows)
            halves = _mapped_halves(halves_file(folder, manifest.generation), (count, manifest.dimension))
        except FileNotFoundError:
            return None
    wide = np.empty((0, manifest.dimension), np.float32)
    return VectorRows(manifest.generation, rows[:count], kbs[:count], halves, wide)


def _sound(rows: NDArray[np.int64]) -> int:
    """Count the rows before the first that is out of order: a power cut can leave zeros where nothing was synced."""
    wrong = np.flatnonzero(np.diff(rows, prepend=0) <= 0)
    return int(wrong[0]) if len(wrong) else len(rows)


def _mapped_halves(path: Path, shape: tuple[int, int]) -> NDArray[np.int16]:
    if not shape[0]:
        return np.empty(shape, np.int16)  # nothing can't be mapped
    # As a plain array, whose slices cost a tenth of the subclass's.
    return np.asarray(np.memmap(path, "<i2", "r", shape=shape))
