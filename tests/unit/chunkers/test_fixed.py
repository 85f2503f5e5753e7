"""The fixed chunker: what every piece keeps, and where it cuts."""

import pytest
from hypothesis import given

from knowhub.chunkers import fixed
from knowhub.chunkers.options import ChunkOptions
from tests.unit.chunkers.documents import markdown_texts, options, plain_texts
from tests.unit.chunkers.invariants import check_all, check_sizes


def texts(source: str, **sizes: int | bool) -> list[str]:
    return [piece.text for piece in fixed.chunk(source, ChunkOptions(**sizes))]  # type: ignore[arg-type]  # by name


@given(plain_texts.filter(str.strip), options())
def test_pieces_keep_every_invariant(text: str, sizes: ChunkOptions) -> None:
    check_all(text, fixed.chunk(text, sizes), sizes)


@given(markdown_texts.filter(str.strip), options())
def test_packed_lines_keep_every_invariant(text: str, sizes: ChunkOptions) -> None:
    lines = ChunkOptions(sizes.size, sizes.overlap, preserve_lines=True)
    check_all(text, fixed.chunk(text, lines), lines)


@given(plain_texts.filter(str.strip), options())
def test_trimming_points_back_at_the_source(text: str, sizes: ChunkOptions) -> None:
    trimming = ChunkOptions(sizes.size, sizes.overlap, trim_whitespace=True)
    pieces = fixed.chunk(text, trimming)
    check_sizes(pieces, trimming)
    for piece in pieces:
        own = "".join(text[span.start : span.end] for span in piece.own_spans)
        assert piece.text[piece.overlap :].replace("\n", "") == own.replace("\n", "")
        assert piece.text == piece.text.strip()
    covered = [at for piece in pieces for span in piece.own_spans for at in range(span.start, span.end)]
    assert len(covered) == len(set(covered))
    assert all(text[at].isspace() for at in set(range(len(text))) - set(covered))


@given(plain_texts.filter(str.strip), options(overlap=False))
def test_lines_that_fit_are_never_cut(text: str, sizes: ChunkOptions) -> None:
    lines = ChunkOptions(sizes.size, preserve_lines=True)
    pieces = fixed.chunk(text, lines)
    cuts = {span.start for piece in pieces for span in piece.own_spans}
    at = 0
    for line in text.split("\n"):
        if len(line) <= sizes.size:
            inside = {cut for cut in cuts if at < cut < at + len(line)}
            assert not inside or len(text) <= sizes.size
        at += len(line) + 1


def test_a_text_that_fits_is_untouched() -> None:
    assert texts("  a \n\n b  \n", size=12) == ["  a \n\n b  \n"]


def test_a_line_end_wins_over_a_later_sentence_end() -> None:
    assert texts("one two three\nfour. five six seven eight", size=22)[0] == "one two three\n"


def test_a_sentence_end_wins_over_later_white_space() -> None:
    assert texts("It was late. We went home then all right", size=20)[0] == "It was late."


def test_a_clause_end_wins_over_later_white_space() -> None:
    assert texts("when it rained, we stayed at home all day", size=24)[0] == "when it rained,"


def test_white_space_is_the_last_resort_and_begins_the_next_piece() -> None:
    assert texts("alpha beta gamma delta", size=12) == ["alpha beta", " gamma delta"]


def test_boundaries_before_half_of_the_window_do_not_count() -> None:
    assert texts("ab cdefghijklmnopqrstuvwxyz", size=10)[0] == "ab cdefghi"


def test_numbers_versions_and_dots_stay_whole() -> None:
    assert texts("see v1.2.3 and wait... pi=3.14159 there", size=20)[0] == "see v1.2.3 and"
    assert texts("ooooooooo 3.14 x", size=12)[0] == "ooooooooo"


def test_chinese_sentences_end_at_their_marks() -> None:
    text = "知识库存放文档。检索会返回片段！答案引用来源？是的，每一句都有出处。"
    assert texts(text, size=18) == ["知识库存放文档。检索会返回片段！", "答案引用来源？是的，每一句都有出处。"]


def test_closing_quotes_stay_with_their_sentence() -> None:
    assert texts("他说：「今天下雨了。」然后我们回家休息吧", size=14)[0] == "他说：「今天下雨了。」"


def test_a_small_rest_is_shared_with_the_piece_before() -> None:
    pieces = texts("a" * 110, size=100)
    assert [len(piece) for piece in pieces] == [60, 50]


def test_a_small_rest_is_shared_at_a_natural_boundary() -> None:
    text = " ".join(["seven77"] * 14)
    first, second = texts(text, size=100)
    assert len(first) >= 40
    assert len(second) >= 40
    assert first.endswith("seven77")


def test_overlap_begins_at_a_natural_place_and_counts_inside_the_size() -> None:
    pieces = fixed.chunk("alpha beta gamma delta epsilon zeta eta theta", ChunkOptions(size=20, overlap=8))
    assert [piece.text for piece in pieces][:2] == ["alpha beta gamma", "gamma delta"]
    assert pieces[1].text[: pieces[1].overlap] == "gamma"
    assert pieces[1].overlap == 5


def test_overlap_without_a_natural_place_is_cut_hard() -> None:
    pieces = fixed.chunk("x" * 40, ChunkOptions(size=20, overlap=5))
    assert [piece.overlap for piece in pieces] == [0, 5, 5]


@pytest.mark.parametrize("cluster", ["e\u0301", "👩🏽\u200d💻", "\U0001f1e9\U0001f1ea", "각", "❤\ufe0f"])
def test_what_looks_like_one_character_is_never_cut(cluster: str) -> None:
    for lead in range(5):
        pieces = texts("x" * lead + cluster * 30, size=11)
        assert all(piece.lstrip("x").replace(cluster, "") == "" for piece in pieces)


def test_a_cluster_longer_than_the_size_is_cut_all_the_same() -> None:
    check = texts("a" + "\u0301" * 50, size=10)
    assert all(len(piece) <= 10 for piece in check)
    assert "".join(check) == "a" + "\u0301" * 50


def test_lines_are_packed_whole() -> None:
    assert texts("a1|a2\nb1|b2\nc1|c2\nd1|d2", size=12, preserve_lines=True) == ["a1|a2\nb1|b2", "c1|c2\nd1|d2"]


def test_a_line_over_the_budget_shares_no_piece_with_other_records() -> None:
    pieces = texts("ab\n" + "x" * 15 + "\ncd", size=10, preserve_lines=True)
    assert pieces == ["ab", "x" * 10, "x" * 5, "cd"]


def test_indentation_is_kept_by_default_and_given_up_on_request() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    assert "    return 1" in "".join(texts(text, size=24))
    assert "    return" not in "".join(texts(text, size=24, trim_whitespace=True))


def test_long_white_space_is_dropped_and_words_are_not() -> None:
    pieces = texts("a" + " " * 100 + "b", size=10)
    assert [piece.strip() for piece in pieces] == ["a", "b"]


def test_one_long_line_costs_windows_in_proportion() -> None:
    short, long = (len(fixed.chunk("字" * length, ChunkOptions())) for length in (100_000, 1_000_000))
    assert long == pytest.approx(10 * short, abs=10)
