"""Expansion: a hit with its neighbours reads as the source does."""

from knowhub.model.chunk import Chunk, Locator
from knowhub.retrieval.expansion import expanded, neighbour_ids

LINES = ["alpha beta", "gamma delta", "", "epsilon"]


def chunk(index: int, text: str, start: int, line: int, **more: object) -> Chunk:
    locator = Locator(start, start + len(text), line, line, page=index)
    return Chunk(f"d:1:{index}", "d", 1, 1, index, "t", text, locator, **more)  # type: ignore[arg-type] # a test names what it varies


def known(*chunks: Chunk) -> dict[str, Chunk]:
    return {one.chunk_id: one for one in chunks}


FIRST = chunk(1, "alpha beta", 0, 1)
SECOND = chunk(2, "gamma delta", 11, 2)
THIRD = chunk(3, "epsilon", 24, 4)


def test_neighbours_are_joined_as_their_lines_stand() -> None:
    whole = expanded(SECOND, 1, known(FIRST, SECOND, THIRD))
    assert whole.text == "alpha beta\ngamma delta\n\nepsilon"
    assert (whole.locator.char_start, whole.locator.char_end) == (0, 31)
    assert (whole.locator.line_start, whole.locator.line_end, whole.locator.page) == (1, 4, 1)
    assert whole.chunk_id == "d:1:2"


def test_an_overlap_is_not_repeated() -> None:
    after = chunk(2, "beta gamma", 6, 1, overlap=4)
    assert expanded(FIRST, 1, known(FIRST, after)).text == "alpha beta gamma"


def test_parts_of_one_line_are_joined_within_it() -> None:
    left, right = chunk(1, "walr", 0, 1), chunk(2, "us", 4, 1)
    assert expanded(left, 1, known(left, right)).text == "walrus"
    apart = chunk(2, "us", 5, 1)
    assert expanded(left, 1, known(left, apart)).text == "walr us"


def test_a_side_ends_where_a_neighbour_is_missing() -> None:
    fourth = chunk(4, "zeta", 32, 5)
    assert expanded(SECOND, 2, known(FIRST, SECOND, fourth)).text == "alpha beta\ngamma delta"


def test_neighbours_that_are_hits_themselves_are_not_asked_for_again() -> None:
    assert neighbour_ids([FIRST, SECOND], 2) == ["d:1:3", "d:1:4"]
