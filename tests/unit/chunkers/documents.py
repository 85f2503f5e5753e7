"""Random documents: prose in two scripts, difficult characters, and Markdown that is well and badly formed."""

from hypothesis import strategies as st

from knowhub.chunkers.options import ChunkOptions

WORDS = [
    "word ",
    "longer-word ",
    "字",
    "汉字，",
    "句。",
    "End. ",
    "3.14 ",
    "v1.2.3 ",
    "a, b; c: ",
    "x" * 40,
    "  ",
    "\t",
    "...",
]
DIFFICULT = [
    "e\u0301",
    "👩🏽\u200d💻",
    "\U0001f1e9\U0001f1ea",
    "\U0001f1e8\U0001f1f3",
    "\r\n",
    "각",
    "ก\u0e33",
    "❤\ufe0f",
]
BLOCKS = [
    "# Title\n", "## Part two\n", "### \n", "#### 第四级\n", "Under\n===\n", "Under\n---\n", "\n", "\n\n", "\n", " \n",
    "```py\nx = 1\n# no heading\n```\n", "~~~~ sh\nls\n```\n~~~~\n", "```\n", "    ```\n", "> ```\n> a\n> ```\n",
    "- ```\n  a\n  ```\n",
    "|a|b|\n|-|-|\n|1|2|\n|3|4|\n\n", "|row|x|\n", "<div>\n# no heading\n</div>\n\n",
    "<!-- c\n-->\n", "<!--", "- item\n", "=", "-",
]  # fmt: skip

plain_texts = st.lists(st.sampled_from(WORDS + DIFFICULT + ["\n", "\n\n"]), min_size=1, max_size=60).map("".join)
markdown_texts = st.lists(st.sampled_from(WORDS + DIFFICULT + BLOCKS * 2), min_size=1, max_size=70).map("".join)


@st.composite
def options(draw: st.DrawFn, *, overlap: bool = True) -> ChunkOptions:
    """Sizes whose room for new text holds the longest of the difficult characters."""
    size = draw(st.sampled_from([8, 13, 20, 33, 50, 80, 120, 200]))
    most = draw(st.sampled_from([0, 1, size // 4, size // 2, size - 6])) if overlap else 0
    return ChunkOptions(size=size, overlap=most)
