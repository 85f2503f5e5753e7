"""Front matter: what becomes metadata, and what stays text."""

import pytest

from knowhub.readers.front_matter import split


def entries(block: str) -> dict[str, object]:
    found, body, losses = split(f"---\n{block}\n---\nbody\n")
    assert (body, losses) == ("body\n", ())
    return found


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("key: plain words", "plain words"),
        ("key: 42", 42),
        ("key: -1.5", -1.5),
        ("key: 007", "007"),
        ("key: true", True),
        ("key: null", None),
        ("key:", None),
        ("key: 2024-01-31", "2024-01-31"),
        ('key: "a: b \\"c\\" \\u00e9"', 'a: b "c" é'),
        ("key: 'it''s'", "it's"),
        ("key: https://example.org/a#b", "https://example.org/a#b"),
        ("key: value  # a remark", "value"),
        ("key: [a, 'b, c', 3]", ["a", "b, c", 3]),
        ('key:\n  - one\n  - "two"', ["one", "two"]),
        ("key:\n- one", ["one"]),
        ("key: 中文", "中文"),
        ("# remark\nkey: x", "x"),
    ],
)
def test_simple_entries_are_read(line: str, value: object) -> None:
    assert entries(line) == {"key": value}


@pytest.mark.parametrize(
    "block",
    [
        "key: {a: 1}",
        "key: &anchor x",
        "key: *anchor",
        "key: !!python/object x",
        "key: |\n  text",
        "key: >\n  text",
        "key:\n  nested: 1",
        "key: 1\nkey: 2",
        'key: "open',
        "key: 'open",
        "key: a: b",
        "key: [a, [b]]",
        "key: 1\nno entry",
        "key:\n  - a: 1",
        ": : [",
        "{a: 1}",
        "[a, b]",
        "- a\n- b",
    ],
)
def test_what_is_beyond_the_reader_stays_text_with_a_loss(block: str) -> None:
    text = f"---\n{block}\n---\nbody\n"
    found, body, losses = split(text)
    assert (found, body) == ({}, text)
    assert [loss.code for loss in losses] == ["FRONT_MATTER_UNREADABLE"]
    assert losses[0].where.startswith("line ")


@pytest.mark.parametrize(
    "text", ["body", "---", "--- \nbody\n\nmore", "---\n\nSome prose.\n\n---\n", "a\n---\nkey: 1\n---\n"]
)
def test_a_text_without_front_matter_comes_back_whole(text: str) -> None:
    assert split(text) == ({}, text, ())


def test_dots_end_front_matter_and_blank_lines_behind_it_go() -> None:
    assert split("---\nkey: 1\n...\n\n\nbody") == ({"key": 1}, "body", ())


def test_an_unclosed_block_is_looked_for_in_the_first_lines_only() -> None:
    text = "---\nkey: 1\n" + "x\n" * 2000 + "---\n"
    assert split(text) == ({}, text, ())


def test_a_number_of_any_length_is_a_string() -> None:
    assert entries("key: " + "9" * 5000) == {"key": "9" * 5000}


def test_toml_between_pluses_is_read_with_dotted_keys() -> None:
    simple = 'title = "The book"\ndate = 2024-01-31\ntags = ["a", "b"]\nrate = nan'
    block = f"{simple}\n[extra]\nlevel = 2\n[extra.deep]\non = true"
    expected = {
        "title": "The book",
        "date": "2024-01-31",
        "tags": ["a", "b"],
        "rate": "nan",
        "extra.level": 2,
        "extra.deep.on": True,
    }
    assert split(f"+++\n{block}\n+++\n\nbody\n") == (expected, "body\n", ())


@pytest.mark.parametrize(
    "block",
    [
        "title = ",
        "title: x",
        "a = [[1]]",
        "[[a]]\nb = 1",
        "a = 1\na = 2",
        "a = " + "[" * 5_000,
        "a = '" + "x" * 100_000 + "'",
    ],
)
def test_toml_that_is_broken_or_has_no_place_stays_text_with_a_loss(block: str) -> None:
    text = f"+++\n{block}\n+++\nbody\n"
    found, body, losses = split(text)
    assert (found, body) == ({}, text)
    assert [loss.code for loss in losses] == ["FRONT_MATTER_UNREADABLE"]


def test_pluses_that_nothing_closes_are_text() -> None:
    assert split("+++\na = 1\n") == ({}, "+++\na = 1\n", ())
