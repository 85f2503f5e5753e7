"""The scan of the dense leg: rows times a query in single precision, widened once and kept where memory allows."""

import threading

import numpy as np
from numpy.typing import NDArray

from knowhub.stores.tantivy.vector_files import VectorRows

WIDE_BYTES = 256 * 2**20
"""Kept by one process, at the most: 131,072 rows of 512 dimensions. A scan of them takes less than half as long."""

_BLOCK_ROWS = 256
_LEAST_ROWS = 1_024
_HALF_TO_SINGLE = 2.0**112
_HALF_MASK = np.int32(-0x70002000)  # 0x8FFFE000: the sign, and the 15 bits of exponent and fraction


class WideRows:
    """The first rows of the valid generation in single precision; what was widened stays as the generation grows."""

    def __init__(self, most_bytes: int = WIDE_BYTES) -> None:
        """Begin with nothing."""
        self._most_bytes = most_bytes
        self._growing = threading.Lock()
        self._generation = 0
        self._count = 0
        self._room = np.empty((0, 0), np.float32)

    def of(self, vectors: VectorRows) -> NDArray[np.float32]:
        """Give the first of these rows, all of them where there is room, widening those that are new."""
        wanted = min(len(vectors.rows), self._most_bytes // (4 * vectors.dimension))
        with self._growing:
            if self._generation != vectors.generation:
                self._generation, self._count = vectors.generation, 0
                self._room = np.empty((0, vectors.dimension), np.float32)
            self._make_room(wanted)
            space = np.empty((_BLOCK_ROWS, vectors.dimension), np.int32)
            for start in range(self._count, wanted, _BLOCK_ROWS):
                part = vectors.halves[start : min(start + _BLOCK_ROWS, wanted)]
                np.multiply(
                    _widened(part, space), np.float32(_HALF_TO_SINGLE), out=self._room[start : start + len(part)]
                )
            self._count = max(self._count, wanted)
            # Rows below the count never change, so that a scan needs no lock.
            return self._room[:wanted]

    def _make_room(self, wanted: int) -> None:
        """Double the room where it is too small; whoever scans the old one keeps it."""
        if wanted <= len(self._room):
            return
        dimension = self._room.shape[1]
        most = self._most_bytes // (4 * dimension)
        room = np.empty((min(most, max(wanted, 2 * len(self._room), _LEAST_ROWS)), dimension), np.float32)
        room[: self._count] = self._room[: self._count]
        self._room = room


def scan(
    wide: NDArray[np.float32], halves: NDArray[np.int16], positions: NDArray[np.int64], unit: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Multiply the vectors at these ascending positions with the query; `wide` holds the first of them widened."""
    scores = np.empty(len(positions), np.float32)
    split = int(np.searchsorted(positions, len(wide)))
    _scan_wide(wide, positions[:split], unit, scores[:split])
    _scan_halves(halves, positions[split:], unit, scores[split:])
    return scores


def _scan_wide(
    wide: NDArray[np.float32], positions: NDArray[np.int64], unit: NDArray[np.float32], scores: NDArray[np.float32]
) -> None:
    if 2 * len(positions) > len(wide):
        scores[:] = (wide @ unit)[positions]  # picking rows costs more than multiplying those between them
        return
    for start in range(0, len(positions), _BLOCK_ROWS):
        part = positions[start : start + _BLOCK_ROWS]
        np.dot(wide[part], unit, out=scores[start : start + len(part)])


def _scan_halves(
    halves: NDArray[np.int16], positions: NDArray[np.int64], unit: NDArray[np.float32], scores: NDArray[np.float32]
) -> None:
    scaled = unit * np.float32(_HALF_TO_SINGLE)
    space = np.empty((_BLOCK_ROWS, halves.shape[1]), np.int32)
    for start in range(0, len(positions), _BLOCK_ROWS):
        part = positions[start : start + _BLOCK_ROWS]
        first, last = int(part[0]), int(part[-1])
        block = halves[first : last + 1] if last - first == len(part) - 1 else halves[part]
        np.dot(_widened(block, space), scaled, out=scores[start : start + len(part)])


def _widened(halves: NDArray[np.int16], space: NDArray[np.int32]) -> NDArray[np.float32]:
    """Widen a block of halves, within this space, to singles that are smaller by a constant factor.

    It is done on the bits, for numpy converts halves one by one: the 15 bits of exponent and fraction, shifted left by
    13, are the same number as a single, but for the exponents' bias.
    """
    wide = space[: len(halves)]
    wide[:] = halves
    np.left_shift(wide, 13, out=wide)
    np.bitwise_and(wide, _HALF_MASK, out=wide)
    return wide.view(np.float32)
