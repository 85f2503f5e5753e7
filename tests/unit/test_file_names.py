"""Names of files: one segment, whatever a client or a site calls them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.model.file_names import LONGEST, base_name, file_name


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a.md", "a.md"),
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\a.md", "a.md"),
        ("a/b/", "b"),
        ("..", "document"),
        ("../..", "document"),
        ("/", "document"),
        ("", "document"),
        (" ", "document"),
        ("a\0.md", "a_.md"),
        ("a\r\nb.md", "a__b.md"),
        ("a\x85b.md", "a_b.md"),
        ("gpj\u202e.exe", "gpj_.exe"),
        ("\ud800.md", "_.md"),
        (".htaccess", ".htaccess"),
        ("日本語.txt", "日本語.txt"),
        ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
    ],
)
def test_a_file_is_called_by_the_last_part_of_what_was_sent(sent: str, kept: str) -> None:
    assert base_name(sent) == kept


def test_what_looks_like_a_path_in_a_text_stays_readable() -> None:
    assert file_name("TCP/IP: a\\b") == "TCP_IP: a_b"


@given(st.text(max_size=400))
def test_nothing_that_leads_elsewhere_is_left(text: str) -> None:
    name = base_name(text)
    assert 1 <= len(name) <= LONGEST
    assert not set(name) & set("/\\\0\n\r")
    assert name not in {".", ".."}
    assert base_name(name) == name
