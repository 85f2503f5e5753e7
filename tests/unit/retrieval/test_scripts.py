"""Scripts and languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.retrieval.scripts import is_written_in, language_of_text, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("how do walruses sleep", "latin"),
        ("海象怎么睡觉", "han"),
        ("FastAPI 如何处理错误", "han"),
        ("read the 说明 of FastAPI before you start", "latin"),
        ("セイウチはどう眠るか", "kana"),
        ("東京都の人口", "kana"),
        ("바다코끼리는 어떻게 자나요", "hangul"),
        ("как спят моржи", "cyrillic"),
        ("πώς κοιμούνται", "greek"),
        ("Straße nach Köln", "latin"),
        ("12345 !?", None),
        ("", None),
    ],
)
def test_the_script_is_that_of_most_of_the_text(text: str, script: str | None) -> None:
    assert script_of(text) == script


@pytest.mark.parametrize(
    ("script", "language", "fits"),
    [
        ("han", "zh", True),
        ("han", "ja", True),
        ("han", "en", False),
        ("latin", "zh", False),
        ("latin", "de", True),
        ("cyrillic", "ru", True),
        ("latin", "", True),
        (None, "zh", True),
    ],
)
def test_a_language_is_written_in_its_scripts(script: str | None, language: str, *, fits: bool) -> None:
    assert is_written_in(script, language) is fits


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The walrus sleeps on the ice and in the water.", "en"),
        ("海象在冰上睡觉。", "zh"),
        ("セイウチは氷の上で眠る。", "ja"),
        ("바다코끼리는 얼음 위에서 잔다.", "ko"),
        ("Das Walross schläft auf dem Eis und im Wasser.", None),
        ("моржи спят на льду", None),
        ("0.5 1.5 2.5", None),
    ],
)
def test_a_language_is_named_where_the_text_gives_it_away(text: str, language: str | None) -> None:
    assert language_of_text(text) == language


@given(st.text())
def test_every_text_has_an_answer(text: str) -> None:
    script_of(text)
    language_of_text(text)
