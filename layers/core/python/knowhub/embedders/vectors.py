"""Vectors as models send them: checked, and brought to length 1."""

import math
from collections.abc import Callable, Sequence

from knowhub.calling.texts import says_something
from knowhub.errors import Unavailable

Vector = Sequence[float]

_SMALLEST = 1e-12


def unit(values: object, length: int) -> Vector | None:
    """Give a vector of length 1 in the same direction; None where all numbers are (nearly) 0.

    Raises `Unavailable` for anything but a list of `length` finite numbers: no search may go by such a vector.
    """
    if not isinstance(values, list | tuple) or len(values) != length:
        size = len(values) if isinstance(values, list | tuple) else "no"
        raise Unavailable(f"The embedder gives vectors of {size} numbers where {length} are expected")
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise Unavailable("The embedder gives vectors that hold something else than numbers")
    try:
        norm = math.hypot(*values)
    except OverflowError:
        norm = math.inf
    if not math.isfinite(norm):
        raise Unavailable("The embedder gives vectors with numbers that are not finite")
    return None if norm < _SMALLEST else [value / norm for value in values]


def embed_with_gaps(texts: Sequence[str], embed: Callable[[list[str]], Sequence[Vector | None]]) -> list[Vector | None]:
    """Embed the texts that say something; the others have no direction and are never sent anywhere."""
    places = [place for place, text in enumerate(texts) if says_something(text)]
    result: list[Vector | None] = [None] * len(texts)
    if places:
        found = embed([texts[place] for place in places])
        for place, vector in zip(places, found, strict=True):
            result[place] = vector
    return result
