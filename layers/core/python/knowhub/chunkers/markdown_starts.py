"""Where a block of Markdown may begin, looked for in the whole text: one search from one such line to the next.

Every pattern is possessive where it repeats, or steps back over white space alone, so that a search costs the text that
it passes. What they find is a candidate: how far it may be indented, and what else must hold, is for the caller to say.
Group 1 is there where blank lines lie before the line, group 2 is what the line is indented by (a line with other white
space in front begins nothing), and `lastindex` is one of the numbers below, or 2 for a line that begins nothing.
"""

import re

HEADING, FENCE, TAG, UNDERLINE, DELIMITER = 4, 5, 6, 7, 8

_LINE_END = r"(?=\n|\Z)"
_LINE = r"(\s*\n)?+([ \t]*+)"
_HEADING = r"#(#{0,5}+)(?=[ \t\r\n]|\Z)([^\r\n]*+)"
_TICKS = r"`(?:`{2,}+)(?=[^`\n]*+(?:\n|\Z))"
_MARK = r">|[-*+](?=[ \t])|\d{1,9}+[.)](?=[ \t])"
_NESTED = rf"(?=[>*+0-9-])(?:{_MARK})(?:[ \t]*+(?:{_MARK}))*+[ \t]*+(?:{_TICKS}|~~~)"
_UNDERLINE = rf"(?:==*+|--*+)[ \t]*+\r?{_LINE_END}()"
_DELIMITER = rf"\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\r?{_LINE_END}()"
_WITHIN = rf"(?(1)|(?:{_UNDERLINE}|(?=[-:|]){_DELIMITER}))"

FIRST_LINE = re.compile(rf"{_LINE}(?:{_HEADING}|(?:{_TICKS}|~~~|{_NESTED})()|<()|)")
"""Matches the next line that is not blank, where no run of lines is open."""

NEXT_LINE = re.compile(rf"\n(?=[\s#`~<=:|>*+0-9-]){_LINE}(?:{_HEADING}|(?:{_TICKS}|~~~|{_NESTED})()|<()|{_WITHIN})")
"""Finds the next line that follows a blank one or may end a run of lines; the match begins where the run would end."""

TABLE_END = re.compile(
    rf"\n(?=[\s>#`~])(?:(?=[^\S\n]*+[\n>])|(?= {{0,3}}+#{{1,6}}+(?:[ \t\r\n]|\Z))|(?=[ \t]*+(?:{_TICKS}|~~~)))"
)
"""Finds the line break behind a table's last row."""

BLANK_LINE = re.compile(r"\n(?=[^\S\n]*+\n)")
"""Finds the line break before a blank line."""

CLOSING_FENCES = {mark: re.compile(rf"\n([^\S\n]*+)({mark}{{3,}}+)[^\S\n]*+{_LINE_END}") for mark in "`~"}
"""Find a line that is a closing fence, by its character: what it is indented by, and its marker."""
