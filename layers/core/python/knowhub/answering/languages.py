"""Sentences that the hub says by itself in an answer, in the language of the question."""

import re
from types import MappingProxyType

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa\uff66-\uff9d]")
_HANGUL = re.compile("[\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")

_NO_EVIDENCE = MappingProxyType(
    {
        "en": "The knowledge base has no passage that answers this question.",
        "zh": "知识库中没有找到能回答这个问题的内容。",
        "ja": "この質問に答える記述はナレッジベースに見つかりませんでした。",
        "ko": "지식 베이스에서 이 질문에 답하는 내용을 찾지 못했습니다.",
    }
)


def language_of(question: str) -> str:
    """Tell Japanese, Korean and Chinese by their scripts; all else is answered in English."""
    if _KANA.search(question):
        return "ja"
    if _HANGUL.search(question):
        return "ko"
    return "zh" if _HAN.search(question) else "en"


def no_evidence(question: str) -> str:
    """Say in the question's language that nothing was found to answer it."""
    return _NO_EVIDENCE[language_of(question)]
