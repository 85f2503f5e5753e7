"""Taming HTML before a parser builds its tree: one pass over the tags, which leaves nothing that makes trees explode.

Scripts, styles and their like go with their content. Tags of mere looks go, since each that is left open is built anew
in every paragraph after it. Links and inline code get names of their own for the same reason. Elements beyond the limit
of nesting lose their tags and keep their text. The parser's work grows with the elements times the depth that they
stand in, so the limit sinks once that product is large.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

MOST_LEVELS = 2_000
"""Elements within each other."""

LINK, CODE, TITLE, FOREIGN, OMITTED = "x-link", "x-code", "x-title", "x-foreign", "x-omitted"
"""Names that stand for `a`, for `code` and its like, for `title`, for `svg`, and for what is never shown as text."""

_MOST_WORK = 200_000_000
_LEVELS_AFTER = 64

_TAG = re.compile(r"<(/?+)([A-Za-z][^\s/>]*+)((?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)>")
_PLAIN_TAG = re.compile(r"<(/?+)([A-Za-z][^\s/<>]*+)([^<>]*+)>")
_BROKEN_TAG = re.compile(r"</?+[A-Za-z][^<>]*+>?+")
_DECLARATION = re.compile(r"<(?:[!?]|/(?![A-Za-z]))[^>]*+(?:>|\Z)")
_ATTRIBUTE = re.compile(r"([A-Za-z][\w:-]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]++)))?+")
_NAME = re.compile(r"[a-z][a-z0-9-]*+\Z")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_OPAQUE = frozenset({"script", "style", "noembed", "noframes", "iframe", "textarea", "title", "xmp"})
"""Whose content is no markup: tags in it are text."""
_KEPT_OPAQUE = frozenset({"title", "xmp", "textarea"})
_DROPPED_TAGS = frozenset(
    {"html", "head", "body", "b", "big", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "u", "plaintext",
     "frameset", "form"}
)  # fmt: skip
_RENAMED = {"a": LINK, "code": CODE, "tt": CODE, "kbd": CODE, "samp": CODE, "title": TITLE, "svg": FOREIGN,
            "math": "span", "textarea": "span", "xmp": "pre", "listing": "pre", "image": "img", "template": OMITTED,
            "noscript": OMITTED, "select": OMITTED, "datalist": OMITTED, "object": OMITTED, "applet": OMITTED,
            "audio": OMITTED, "video": OMITTED, "canvas": OMITTED, "map": OMITTED}  # fmt: skip
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track",
     "wbr", "basefont", "bgsound", "keygen"}
)  # fmt: skip
_SIBLINGS = {"li": ("li", 0), "dt": ("dl", 0), "dd": ("dl", 0), "tr": ("table", 1), "td": ("table", 2),
             "th": ("table", 2), "thead": ("table", 0), "tbody": ("table", 0), "tfoot": ("table", 0),
             "caption": ("table", 0), "colgroup": ("table", 0), "p": ("p", 0)}  # fmt: skip
"""Elements whose end tag is often left out, by family and rank: one of the same or a higher rank ends them."""
_INLINE = frozenset({LINK, CODE, "span", "label", "q", "cite", "sub", "sup", "mark", "abbr", "time", "small", "var"})
_KEPT_ATTRIBUTES = frozenset(
    {"href", "alt", "hidden", "aria-hidden", "role", "class", "start", "colspan", "rowspan", "type", "value",
     "property", "content"}
)  # fmt: skip
_EMBEDDED = frozenset({"iframe", "embed", "object", "applet", "audio", "video", "frame"})
"""Pages, files and recordings within the page."""


@dataclass(slots=True)
class Cleaned:
    """The HTML that a parser may have, and the offset in the source of the first element that nested too deeply.

    `embedded` are the offsets of what is shown within the page and has no text in it: frames, recordings, files.
    """

    html: str
    too_deep: int | None = None
    embedded: tuple[int, ...] = ()


def clean(source: str) -> Cleaned:
    """Clean a document in one pass, in time that grows with its length alone."""
    cleaning = _Cleaning(source)
    cleaning.run()
    return Cleaned("".join(cleaning.parts), cleaning.too_deep, tuple(cleaning.embedded))


class _Cleaning:
    """One pass over one document."""

    def __init__(self, source: str) -> None:
        self.parts: list[str] = []
        self.too_deep: int | None = None
        self.embedded: list[int] = []
        self._source = source
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()
        self._flattened: Counter[str] = Counter()
        self._work = 0
        self._tag_pattern = _TAG
        self._without_end: set[str] = set()

    def run(self) -> None:
        source, position = self._source, 0
        while (at := source.find("<", position)) >= 0:
            self.parts.append(source[position:at])
            position = self._markup(at)
        self.parts.append(source[position:])

    def _markup(self, at: int) -> int:
        """Handle what begins with an angle bracket; gives where the text goes on."""
        source = self._source
        if source.startswith("<!--", at):
            end = source.find("-->", at + 2)
            return end + 3 if end >= 0 else len(source)
        match = self._tag_pattern.match(source, at)
        if match is not None:
            return self._tag(match)
        declaration = _DECLARATION.match(source, at)
        if declaration is not None:
            return declaration.end()
        broken = _BROKEN_TAG.match(source, at)
        if broken is not None:
            # A tag that runs to the end of the document: quotes can't be trusted from here on.
            self._tag_pattern = _PLAIN_TAG
            plain = _PLAIN_TAG.match(source, at)
            return self._tag(plain) if plain else broken.end()
        self.parts.append("&lt;")
        return at + 1

    def _tag(self, match: re.Match[str]) -> int:
        name = match.group(2).lower()
        if match.group(1):
            self._end(name)
            return match.end()
        if name in _EMBEDDED:
            self._embed(match.group(3), match.start())
        if name in _OPAQUE:
            return self._opaque(name, match.group(3), match.end())
        if name not in _DROPPED_TAGS:
            name = _RENAMED.get(name, name)
            self._start(name if _NAME.match(name) else "span", match.group(3), match.start())
        return match.end()

    def _embed(self, attributes: str, at: int) -> None:
        """Note a frame or a recording, unless it is hidden or a form of something else for other programs."""
        if not self._counts[OMITTED] and " hidden=" not in _kept(attributes):
            self.embedded.append(at)

    def _opaque(self, name: str, attributes: str, at: int) -> int:
        """Drop an element with its content, or keep that as mere text."""
        end = None if name in self._without_end else _end_of(name).search(self._source, at)
        if end is None:
            self._without_end.add(name)
            return at if name in _KEPT_OPAQUE else len(self._source)
        if name in _KEPT_OPAQUE and not self._counts[FOREIGN]:
            content = self._source[at : end.start()].replace("<", "&lt;")
            self.parts.append(f"<{_RENAMED[name]}{_kept(attributes)}>{content}</{_RENAMED[name]}>")
        return end.end()

    def _start(self, name: str, attributes: str, at: int) -> None:
        if name in _VOID:
            self.parts.append(f"<{name}{_kept(attributes)}>")
            return
        self._leave_siblings(name)
        if len(self._open) >= (MOST_LEVELS if self._work < _MOST_WORK else _LEVELS_AFTER):
            self.too_deep = at if self.too_deep is None else self.too_deep
            self._flattened[name] += 1
            self.parts.append(" ")
            return
        self._open.append(name)
        self._counts[name] += 1
        self._work += len(self._open)
        self.parts.append(f"<{name}{_kept(attributes)}>")

    def _leave_siblings(self, name: str) -> None:
        """Follow the parser where it closes elements by itself, so that the depth counted is the depth there is."""
        family, rank = _SIBLINGS.get(name, ("", 0))
        while self._open:
            last, last_rank = _SIBLINGS.get(self._open[-1], (None, 0))
            closes = (last == family and last_rank >= rank) or (last == "p" and name not in _INLINE)
            if not closes:
                return
            self._counts[self._open.pop()] -= 1

    def _end(self, name: str) -> None:
        name = _RENAMED.get(name, name)
        if name in _DROPPED_TAGS or name in _VOID:
            self.parts.append("<br>" if name == "br" else "")
        elif self._flattened[name]:
            self._flattened[name] -= 1
            self.parts.append(" ")
        elif self._counts[name]:
            while (last := self._open.pop()) != name:
                self._counts[last] -= 1
            self._counts[name] -= 1
            self.parts.append(f"</{name}>")


def _kept(attributes: str) -> str:
    """Spell the attributes that decide what is shown, of each the first."""
    if not attributes or attributes.isspace():
        return ""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        found.setdefault(name.lower(), double or single or bare)
    if _INVISIBLE.search(found.get("style", "")):
        found["hidden"] = ""
    return "".join(
        f' {name}="{value.replace(chr(34), "&quot;")}"' for name, value in found.items() if name in _KEPT_ATTRIBUTES
    )


@cache
def _end_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>])[^>]*+>?+", re.IGNORECASE)
