"""What holds for the pieces of every text chunker, as checks that name what they found."""

import unicodedata
from collections.abc import Sequence

from knowhub.chunkers.options import ChunkOptions
from knowhub.model.chunk import Piece


def check_all(text: str, pieces: Sequence[Piece], options: ChunkOptions) -> None:
    check_sizes(pieces, options)
    check_coverage(text, pieces)
    check_locators(text, pieces)
    check_graphemes(text, pieces)


def check_sizes(pieces: Sequence[Piece], options: ChunkOptions) -> None:
    assert pieces
    for piece in pieces:
        assert 0 < len(piece.text) <= options.size, piece
        assert piece.text.strip(), piece
        assert 0 <= piece.overlap <= options.overlap, piece
    assert pieces[0].overlap == 0


def check_coverage(text: str, pieces: Sequence[Piece]) -> None:
    covered = [position for piece in pieces for span in piece.own_spans for position in range(span.start, span.end)]
    assert len(covered) == len(set(covered))
    missing = set(range(len(text))) - set(covered)
    assert all(text[position].isspace() for position in missing)
    assert covered == sorted(covered)


def body_of(piece: Piece) -> str:
    """Give the piece without what the chunker added."""
    synthetic = {at for span in piece.synthetic_spans for at in range(span.start, span.end)}
    return "".join(char for at, char in enumerate(piece.text) if at not in synthetic)


def check_locators(text: str, pieces: Sequence[Piece]) -> None:
    for piece in pieces:
        where = piece.locator
        assert text[where.char_start : where.char_end] == body_of(piece)
        assert where.char_start + piece.overlap == piece.own_spans[0].start
        assert where.line_start == text.count("\n", 0, where.char_start) + 1
        assert where.line_end == text.count("\n", 0, where.char_end - 1) + 1


def check_graphemes(text: str, pieces: Sequence[Piece]) -> None:
    """Only a cut between two neighbouring own ranges can break something."""
    for piece in pieces:
        for cut in (piece.locator.char_start, piece.locator.char_end):
            assert not breaks_grapheme(text, cut), (text[max(0, cut - 3) : cut + 3], piece)


def breaks_grapheme(text: str, cut: int) -> bool:
    if cut in {0, len(text)} or text[cut - 1].isspace():
        return text[cut - 1 : cut + 1] == "\r\n" if 0 < cut < len(text) else False
    after = text[cut]
    if unicodedata.combining(after) or after in "\u200d\ufe0f\U0001f3fd" or text[cut - 1] == "\u200d":
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":
        before = text[:cut]
        return (len(before) - len(before.rstrip("\U0001f1e9\U0001f1ea\U0001f1e8\U0001f1f3"))) % 2 == 1
    return False
