"""What a text is about: its terms without the words that only ask."""

import re
from collections.abc import Callable, Sequence
from typing import Protocol

ASKING = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|be|been|do|does|did|can|could|should|would|will|"
    r"shall|may|might|must|has|have|had|the|a|an|of|in|on|at|to|for|by|with|from|and|or|not|it|its|this|that|these|those|"
    r"there|i|you|we|they|he|she|my|your|our|me|us|about|please|tell|give|show|explain|many|much)\b"
    r"|为什么|是什么|什么|如何|怎么样|怎么|怎样|哪些|哪个|哪里|哪|多少|几个|是否|能否|可以|请问|请|谁|吗|呢|吧|的|了|是"
    r"|為什麼|是什麼|什麼|怎麼|哪裡|請問|請|嗎|ですか|ますか|何|どう|どこ|いつ|なぜ|ください",
    re.IGNORECASE,
)
"""Words that ask, and words that hold others together."""


class Terms(Protocol):
    """Analysed text, as far as it matters here: the bag of its terms."""

    @property
    def terms(self) -> Sequence[str]:
        """Give the terms, in any order."""


Analyse = Callable[[str], Terms]


def content_terms(text: str, analyse: Analyse) -> frozenset[str]:
    """Give the terms of a text that say something."""
    return frozenset(analyse(ASKING.sub(" ", text)).terms)
