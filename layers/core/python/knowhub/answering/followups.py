"""Questions that only make sense behind others: what they leave out is taken from the ones before."""

import re
from collections.abc import Iterable, Sequence

from knowhub.answering.content import ASKING

MOST_CHARACTERS = 2000
"""Of a question with what was added, as of every question."""

_MOST_ADDED = 400
_ONE_WORD = 2
_BARE = re.compile(r"\s*(?:[^\s\u3040-\u9fff]+\s*){0,2}|\s*[\u3040-\u9fff]{1,4}\W*")
_FEW_WORDS = 2
_FEW_CHARACTERS = 4
_POINTING = re.compile(
    r"\b(?:it(?!\s+(?:possible|necessary|true|allowed|safe|better|worth|ok|okay)\b)|its|itself|they|them|their|theirs|he|"
    r"him|his|she|her|hers|this|these|those|same|former|latter)\b"
    r"|它|(?<!其)[他她]|牠|祂|[这這]|那(?!么)|(?<![因如彼])此(?!外)|(?<![应應])[该該]|(?<![尤极耳])其(?![他它余中实])|上述|前者|后者|同样",
    re.IGNORECASE,
)
_THAT = re.compile(r"\b(?:that|then|one|such)\b", re.IGNORECASE)
_GOING_ON = re.compile(
    r"\s*(?:and|but|or|so|then|also|what about|how about|what else|why|how so|how come|for example|more)\b"
    r"|\s*(?:那么?|还有|然后|以及|为什么|为何|怎么|例如|比如|再|繼續|继续|更多)|.*呢[?？]?\s*\Z",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]+|[^\W_](?:[^\s\"'“”「」『』?？!！,，;；。、]*[^\W_])?"
)
_FILLING = re.compile(
    r"\b(?:and|but|or|so|then|also|more|else|same|one|ones|other|others|another|again|just|any|some|all|here|if|as|than|"
    r"them|their|his|her|him)\b|有|在|和|与|及|或|也|还|都|呢|啊|吧|么|个|它们?|他们?|她们?|这|那|此|该|其|关于|介绍一下|介绍",
    re.IGNORECASE,
)
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def completed(question: str, earlier: Iterable[str]) -> str:
    """Give a question with what the earlier ones, the oldest first, add to it; one that stands by itself stays.

    A question that points to something, goes on from something or names next to nothing follows up: the words of the
    one before, completed in the same way, are added.
    """
    before = ""
    for one in earlier:
        before = _with(one, before)
    return _with(question, before)


def follows_up(question: str) -> bool:
    """Tell whether a question leaves out what it is about."""
    words = _words(question)
    if not words or _POINTING.search(question):
        return True
    wide = sum(len(word) for word in words if _WIDE.match(word))
    narrow = sum(1 for word in words if not _WIDE.match(word))
    if 2 * narrow + wide <= _ONE_WORD and _BARE.fullmatch(question):
        return True
    few = narrow <= _FEW_WORDS and wide <= _FEW_CHARACTERS and not (narrow and wide)
    return few and bool(_GOING_ON.match(question) or _THAT.search(question))


def _with(question: str, before: str) -> str:
    if not before or not follows_up(question):
        return question
    known = {word.casefold() for word in _words(question)}
    added = [word for word in _words(before) if word.casefold() not in known and word not in question]
    text = " ".join(added)[:_MOST_ADDED].strip()
    return f"{question} {text}"[:MOST_CHARACTERS] if text else question


def _words(question: str) -> Sequence[str]:
    """Give the words that say something, in their order and each once."""
    bare = _FILLING.sub(" ", ASKING.sub(" ", question))
    return tuple(dict.fromkeys(_WORD.findall(bare)))
