"""What a line of Markdown can be: the patterns of CommonMark and of the table extension, one line at a time.

Every pattern is possessive where it repeats, so that a line of any length costs its length.
"""

import re
from typing import NamedTuple

NOT_SETEXT_TEXT = re.compile(r"(?: {4}|\t| {0,3}+(?:>|[-*+](?:[ \t\n]|\Z)|\d{1,9}+[.)](?:[ \t\n]|\Z)))")
"""Begins the lines above an underline that make no heading; looked for within a text."""

_FENCE = re.compile(
    r"((?:[ \t]*+(?:>|[-*+](?=[ \t])|\d{1,9}+[.)](?=[ \t])))*+[ \t]*+)(?:(`{3,}+)(?=[^`]*+\Z)|(~{3,}+))([^\r\n]*+)"
)
_MOST_INDENT = 3
"""Columns that a block mark may be indented by within what holds it; with more it is code."""
_LIST_MARKS = re.compile(r"[^>\t]")
_ESCAPED_PIPE = re.compile(r"\\.")
_CLOSING_HASHES = re.compile(r"(?:^|[ \t])#++\Z")

_HTML_BLOCKS = (
    (
        re.compile(r" {0,3}+<(?:script|pre|style|textarea)(?:[\s>]|\Z)", re.IGNORECASE),
        re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
    ),
    (re.compile(r" {0,3}+<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}+<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}+<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(r" {0,3}+<![A-Za-z]"), re.compile(r">")),
)
_HTML_ELEMENT = re.compile(
    r"[ \t]*+</?+(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|"
    r"dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|"
    r"main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    r"title|tr|track|ul)(?:[\s>]|/>|\Z)",
    re.IGNORECASE,
)
_LONE_TAG = re.compile(
    r"[ \t]*+<(?:/[A-Za-z][\w.-]*+\s*+|[A-Za-z][\w.-]*+(?=[\s/>])(?:\"[^\"]*+\"|'[^']*+'|[^<>\"'])*+)>\s*+\Z"
)


class Fence(NamedTuple):
    """An opened code fence: what it hangs from (quote marks, list markers, indentation), its marker and info string."""

    container: str
    marker: str
    info: str

    @property
    def is_nested(self) -> bool:
        """Whether it can be a fence only within a list item or a quote, and is plain text where nothing closes it."""
        container = self.container
        return bool(container) and (not container.isspace() or _indent(container) > _MOST_INDENT)

    @property
    def continued(self) -> str:
        """What code lines and the closing marker hang from: list markers become indentation, quote marks stay."""
        return _LIST_MARKS.sub(" ", self.container)

    @property
    def reopening(self) -> str:
        """The line that opens the fence again in a later piece."""
        return f"{self.continued}{self.marker}{self.info}"

    @property
    def closing(self) -> str:
        """The line that closes it."""
        return f"{self.continued}{self.marker}"

    @property
    def is_quoted(self) -> bool:
        """Whether it stands in a quote, each line of which has a mark of its own."""
        return ">" in self.container

    def is_closed_with(self, indent: str, marker: str) -> bool:
        """Whether a line of white space and such a marker closes it: not shorter, and not indented by much more."""
        if len(marker) < len(self.marker):
            return False
        return not indent or _indent(indent) <= _indent(self.continued) + _MOST_INDENT

    def is_closed_by(self, line: str) -> bool:
        """Whether a line of its quote is a closing fence: the same character, at least as many, and nothing behind."""
        bare = line.strip(" \t>\r")
        return len(bare) >= len(self.marker) and not bare.strip(self.marker[0])

    def is_left_by(self, line: str) -> bool:
        """Whether the line stands outside of the quote that holds the fence, which ends it."""
        return not line.lstrip(" \t").startswith(">")


def fence(line: str) -> Fence | None:
    """Read an opening code fence, also one in a list item or a quote."""
    match = _FENCE.match(line)
    if match is None:
        return None
    return Fence(match.group(1), match.group(2) or match.group(3), match.group(4))


def is_little(indent: str) -> bool:
    """Whether a heading may be indented by this."""
    return len(indent) <= _MOST_INDENT and not indent.strip(" ")


def heading_title(raw: str) -> str:
    """Strip the closing hashes and white space from what follows an ATX marker."""
    bare = raw.strip()
    return bare if not bare.endswith("#") else _CLOSING_HASHES.sub("", bare).strip()


def table_width(line: str, delimiter: str) -> int:
    """Count the columns of a table of this line and a delimiter row; 0 where the two make no table."""
    if "|" not in delimiter or "|" not in line:
        return 0
    width = _cells(line)
    return width if width == _cells(delimiter) else 0


def html_end(line: str) -> re.Pattern[str] | None:
    """Give the pattern that ends the HTML block which this line begins, where it is one with an end mark of its own."""
    for begin, end in _HTML_BLOCKS:
        if begin.match(line):
            return end
    return None


def begins_html_until_blank(line: str, *, in_paragraph: bool) -> bool:
    """Whether the line begins an HTML block that a blank line ends; a lone tag can't interrupt a paragraph."""
    return bool(_HTML_ELEMENT.match(line)) or (not in_paragraph and bool(_LONE_TAG.match(line)))


def _indent(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def _cells(line: str) -> int:
    bare = (_ESCAPED_PIPE.sub("", line) if "\\" in line else line).strip()
    return bare.count("|") + 1 - bare.startswith("|") - (len(bare) > 1 and bare.endswith("|"))
