"""What a line of Markdown can be: the patterns of CommonMark and of the table extension, one line at a time.

Every pattern is possessive where it repeats, so that a line of any length costs its length.
"""

import re
from dataclasses import dataclass

ATX = re.compile(r" {0,3}+(#{1,6}+)(?:[ \t]++([^\r\n]*+)|(?=[\r\n]|\Z))")
SETEXT = re.compile(r" {0,3}+(?:(=++)|(-++))[ \t]*+\r?\Z")
NOT_SETEXT_TEXT = re.compile(r"(?: {4}|\t| {0,3}+(?:>|[-*+](?:[ \t]|\Z)|\d{1,9}+[.)](?:[ \t]|\Z)))")
_FENCE = re.compile(
    r"((?:[ \t]*+(?:>|[-*+](?=[ \t])|\d{1,9}+[.)](?=[ \t])))*+[ \t]*+)(?:(`{3,}+)(?=[^`]*+\Z)|(~{3,}+))([^\r\n]*+)"
)
_DELIMITER_ROW = re.compile(r"[ \t]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\r?\Z")
_MOST_INDENT = 3
"""Columns that a block mark may be indented by within what holds it; with more it is code."""
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


@dataclass(frozen=True, slots=True)
class Fence:
    """An opened code fence: what it hangs from (quote marks, list markers, indentation), its marker and info string."""

    container: str
    marker: str
    info: str

    @property
    def is_nested(self) -> bool:
        """Whether it can be a fence only within a list item or a quote, and is plain text where nothing closes it."""
        return bool(self.container.strip()) or _indent(self.container) > _MOST_INDENT

    @property
    def continued(self) -> str:
        """What code lines and the closing marker hang from: list markers become indentation, quote marks stay."""
        return "".join(char if char in ">\t" else " " for char in self.container)

    @property
    def reopening(self) -> str:
        """The line that opens the fence again in a later piece."""
        return f"{self.continued}{self.marker}{self.info}"

    @property
    def closing(self) -> str:
        """The line that closes it."""
        return f"{self.continued}{self.marker}"

    def is_closed_by(self, line: str) -> bool:
        """Whether the line is a closing fence: the same character, at least as many, and nothing behind."""
        bare = line.strip(" \t>\r") if ">" in self.container else line.strip()
        if len(bare) < len(self.marker) or bare.strip(self.marker[0]):
            return False
        return ">" in self.container or _indent(line) <= _indent(self.continued) + _MOST_INDENT

    def is_left_by(self, line: str) -> bool:
        """Whether the line stands outside of the quote that holds the fence, which ends it."""
        return ">" in self.container and not line.lstrip(" \t").startswith(">")


def fence(line: str) -> Fence | None:
    """Read an opening code fence, also one in a list item or a quote."""
    match = _FENCE.match(line)
    if match is None:
        return None
    return Fence(match.group(1), match.group(2) or match.group(3), match.group(4))


def heading_title(raw: str) -> str:
    """Strip the closing hashes and white space from what follows an ATX marker."""
    return _CLOSING_HASHES.sub("", raw.strip()).strip()


def table_width(line: str, delimiter: str) -> int:
    """Count the columns of a table of this header line and delimiter row; 0 where the two make no table."""
    if "|" not in delimiter or "|" not in line or not _DELIMITER_ROW.match(delimiter):
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
    bare = _ESCAPED_PIPE.sub("", line).strip()
    return bare.count("|") + 1 - bare.startswith("|") - (len(bare) > 1 and bare.endswith("|"))
