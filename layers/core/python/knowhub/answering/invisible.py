"""Characters that nobody sees: in a source they hide instructions, in an answer they turn its order about."""

import re

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Give a text without controls, marks of direction, tag characters and the like; line ends stay."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n"))
