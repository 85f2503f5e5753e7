"""Characters that a model sends in two halves."""


class WholeCharacters:
    """Joins halves of surrogate pairs across parts; a half that stays alone becomes a replacement character."""

    def __init__(self) -> None:
        self._half = ""

    def of(self, text: str) -> str:
        """Give what is whole by now."""
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
