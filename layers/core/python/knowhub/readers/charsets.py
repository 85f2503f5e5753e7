"""Names of encodings as senders and documents give them, to those that Python decodes with."""

import codecs
import re

_PARAMETER = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta\s[^>]*?\bcharset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_META_BYTES = 4096
"""How far into a document its declaration is looked for; browsers read 1024 bytes."""

_ENCODING = re.compile(r"utf-(?:8|16|32)|cp\d|iso8859-|iso2022_jp|koi8|gb|big5|shift_jis|euc_|mac-|tis|ascii\Z")
_ALIASES = {"x-sjis": "shift_jis", "windows-31j": "cp932", "x-gbk": "gbk", "x-euc-jp": "euc_jp", "x-x-big5": "big5"}
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""What is meant by a name: the wider encoding of the two (WHATWG Encoding, names and labels)."""


def of_content_type(content_type: str | None) -> str | None:
    """Give the encoding that a content type names, as Python spells it; None without one or with an unknown one."""
    match = _PARAMETER.search(content_type or "")
    return _known(match.group(1)) if match else None


def of_html(data: bytes) -> str | None:
    """Give the encoding that an HTML document's own head names, as above; one that is read as ASCII can't be UTF-16."""
    match = _META.search(data[:_META_BYTES])
    found = _known(match.group(1).decode("latin-1")) if match else None
    return "utf-8" if found and found.startswith("utf-16") else found


def _known(label: str) -> str | None:
    """Look a label up among those of encodings: Python has codecs of other kinds, such as hex and punycode."""
    try:
        name = codecs.lookup(_ALIASES.get(label.lower(), label)).name
    except (LookupError, ValueError):
        return None
    return _WIDER.get(name, name) if _ENCODING.match(name) else None
