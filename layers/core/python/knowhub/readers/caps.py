"""How much text of one document is kept."""

from knowhub.errors import Unreadable
from knowhub.model.document import Loss

MOST_TEXT_BYTES = 20 * 1024 * 1024
"""Of extracted text in UTF-8."""


def cap(text: str, limit: int = MOST_TEXT_BYTES) -> tuple[str, tuple[Loss, ...]]:
    """Cut a text that is over `limit` bytes at the last line end within it, and say so.

    A text whose first line alone is over it is cut inside that line.
    """
    if len(text) * 4 <= limit:
        return text, ()
    data = text.encode("utf-8", errors="surrogatepass")
    if len(data) <= limit:
        return text, ()
    kept = data[:limit].decode("utf-8", errors="ignore")
    line_end = kept.rfind("\n") + 1
    if line_end:
        kept = kept[:line_end]
    where = f"line {kept.count(chr(10)) + (0 if line_end else 1)}"
    detail = f"kept {len(kept.encode())} of {len(data)} bytes of text"
    return kept, (Loss("TEXT_TRUNCATED", where, detail),)


def require_text(text: str) -> None:
    """Refuse a document without a word; raises `Unreadable` with the reason."""
    if not text.strip():
        raise Unreadable("the document holds no text: only white space was found", {"reason": "NO_TEXT"})
