"""Turned text: how a run stands on the page, and the page turned so that the run is level."""

import math
from dataclasses import dataclass
from typing import Any

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points, from the top left corner of the page as it is shown."""

Size = tuple[float, float]
"""Width and height in points."""

_QUARTER = 90.0
_SKEW = 10.0
"""Degrees off a quarter from which text counts as standing at an angle."""


@dataclass(frozen=True, slots=True)
class Way:
    """How text runs on the page as it is shown: the nearest quarter counter-clockwise, and whether it is off it."""

    turn: int
    is_skew: bool = False


_WAYS = {is_skew: tuple(Way(turn, is_skew) for turn in range(4)) for is_skew in (False, True)}
"""The only ways there are, so that two can be told apart by what they are."""

LEVEL = _WAYS[False][0]


def way_of(angle: float, rotation: int) -> Way:
    """Tell the way of a character from its angle on the page (radians; negative is unknown) and the page's rotation."""
    if angle < 0:
        return LEVEL
    # PDFium counts clockwise, and so does the page's rotation.
    shown = -math.degrees(angle) - rotation
    quarters = round(shown / _QUARTER)
    return _WAYS[abs(shown - quarters * _QUARTER) > _SKEW][quarters % 4]


def shown_size(page: Any) -> Size:
    """Measure the visible part of a page as it is shown."""
    left, bottom, right, top = page.get_cropbox()
    width, height = right - left, top - bottom
    return (width, height) if page.get_rotation() % 180 == 0 else (height, width)


def turned(box: Box, turn: int, size: Size) -> Box:
    """Give the place of a box when its page is turned so that text of this turn is level."""
    left, top, right, bottom = box
    width, height = size
    if turn == 1:
        return height - bottom, left, height - top, right
    if turn == 2:  # noqa: PLR2004 - turns are counted in quarters
        return width - right, height - bottom, width - left, height - top
    return (top, width - right, bottom, width - left) if turn else box


def upright(box: Box, turn: int, size: Size) -> Box:
    """Give the place on the page as it is shown of a box of the turned page: the contrary of `turned`."""
    left, top, right, bottom = box
    width, height = size
    if turn == 1:
        return top, height - right, bottom, height - left
    if turn == 2:  # noqa: PLR2004 - turns are counted in quarters
        return width - right, height - bottom, width - left, height - top
    return (width - bottom, left, width - top, right) if turn else box
