"""Texts as models take them."""


def says_something(text: str) -> bool:
    """Tell whether a text has any character that can be seen: models answer white space with an error or at random."""
    return any(character.isprintable() and character != " " for character in text)


def sendable(text: str, characters: int) -> str:
    """Give at most the first `characters` of a text; halves of surrogate pairs, which UTF-8 can't hold, become `?`."""
    cut = text[:characters]
    return cut if cut.isascii() else cut.encode("utf-8", "replace").decode("utf-8")
