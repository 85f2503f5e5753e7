"""The block scanner agrees with one that looks at every line, and its work stays in proportion to the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.chunkers.markdown_blocks import scan
from tests.unit.chunkers.documents import BLOCKS, DIFFICULT, WORDS
from tests.unit.chunkers.line_scanner import scan_lines

STARTS = [
    "  ", "    ", "\t", "- ", "1. ", "> ", ">", "* ", "```", "````", "~~~", "`", "|", "|a|b|\n", "|-|-|\n", "a|b\n",
    " -|- \n", "---\n", "===\n", "--\r\n", "# a #\n", "#\n", "#x\n", "####### x\n", "    # x\n", " ## y ##  \r\n",
    "<div>", "<script>\n", "</script>\n", "<pre>", "<?php", "?>", "<![CDATA[", "]]>", "<!X", "<br/>\n", "</b>\n",
    "<a href='x'>\n", "\x0b", "\x1c", "\x85", "\u2028", "\u3000", "\u0661. ```\n", "> \u0661. ```\n", "\r", "\r\n",
    "\n\n\n", " \n", "\\|", "text\n", "      ```sh\n      x\n      ```\n", "> x\n", "1. ```py\n   x\n   ```\n",
    "```a`b\n", "~~~a~b\n", "\x00", "\ufeff", "1234567890. ```\n", ": x\n", ":-\n", "-\n", " - \n",
]  # fmt: skip
documents = st.lists(st.sampled_from(STARTS * 2 + BLOCKS + WORDS + DIFFICULT), max_size=40).map("".join)
lines = st.lists(st.sampled_from(STARTS + BLOCKS + WORDS), max_size=25).map("\n".join)

LONG = 300_000
"""Characters: with work that grew with their square, one such text would take longer than all tests together."""


@given(documents | lines)
def test_blocks_are_those_of_a_scan_line_by_line(text: str) -> None:
    assert scan(text) == scan_lines(text)


@pytest.mark.parametrize(
    ("head", "repeated"),
    [
        ("", " "), ("y", " \n"), ("y", "\n"), ("y\n", "`"), ("y\n", "```\n"), ("", "    ```\n"), ("", "> ```\n"),
        ("", "> ```\n\n"), ("y\n", "- "), ("y\n", "-"), ("y\n", "|-"), ("y\n", "|-|\n"), ("y\n", "\\|"), ("", "<a "),
        ("y", "\n<a "), ("", "<!--\n"), ("", "#"), ("", "# \n"), ("y\n", "> - "), ("y\n", "1"), ("y\n", "\r"),
        ("- " + "a" * LONG + "\n", "---\n"), ("a|" * LONG + "\n", "|-\n"), ("y" * LONG + "\n", "<x y\n"),
    ],
)  # fmt: skip
def test_a_hostile_text_is_scanned_to_its_end(head: str, repeated: str) -> None:
    text = head + repeated * (LONG // len(repeated))
    solid = len(text.rstrip())
    assert not solid or solid <= scan(text)[-1].end <= len(text)


def test_nested_fences_of_many_kinds_that_nothing_closes_are_text() -> None:
    text = "".join(f"{' ' * (number % 90)}- ~~~x\n" for number in range(LONG // 50))
    assert [block.kind for block in scan(text)] == ["text"]
