"""What queries look for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.retrieval.analysis import MAX_QUERY_PHRASES, MAX_QUERY_TERMS, AnalysedQuery, analyse, analyse_query

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=30)


def contains(sequence: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    return any(sequence[start : start + len(phrase)] == phrase for start in range(len(sequence)))


def test_terms_are_distinct_and_in_order() -> None:
    assert analyse_query("running dogs run dog").terms == ("run", "dog")


@pytest.mark.parametrize("query", ["", "  ", "?!", '""', "“”", "「」", "AND", '"', "( ) && || ! ^ ~ * ?", "😀"])
def test_a_query_of_nothing_is_no_crash(query: str) -> None:
    found = analyse_query(query)
    if query == "AND":
        assert found == AnalysedQuery(terms=("and",), optional=(("and",),))
    else:
        assert found == AnalysedQuery(terms=())


def test_stop_words_are_words_where_there_is_nothing_else() -> None:
    found = analyse_query("to be or not to be")
    assert found.terms == ("to", "be", "or", "not")
    assert ("to", "be", "or", "not", "to", "be") in found.optional


def test_operators_are_ordinary_text() -> None:
    assert analyse_query('title:foo AND (bar* OR -baz~2)^3 "a').terms == analyse("title foo AND bar OR baz 2 3 a").terms


@pytest.mark.parametrize(
    "query", ['"error budget"', "“error budget”", "「error budget」", "『error budget』", "＂Error Budget＂"]
)
def test_quoted_parts_are_required(query: str) -> None:
    found = analyse_query(f"what is an {query} for")
    assert found.required == (("error", "budget"),)
    assert {"error", "budget"} <= set(found.terms)


def test_quotes_work_without_spaces_around_them_in_chinese() -> None:
    assert analyse_query('什么是"知识管理"呢').required == (("知识", "识管", "管理"),)


@pytest.mark.parametrize("query", ['5" and 6" nails', 'an "open end', "“open end", 'say "" or "?!"'])
def test_what_is_no_quoted_phrase_requires_nothing(query: str) -> None:
    assert analyse_query(query).required == ()


def test_a_required_phrase_is_not_optional_as_well() -> None:
    found = analyse_query('"error budget"')
    assert found.required == (("error", "budget"),)
    assert ("error", "budget") not in found.optional + found.loose


def test_several_quoted_parts_are_all_required_once() -> None:
    assert analyse_query('"a b" "c d" "a b"').required == (("a", "b"), ("c", "d"))


def test_a_look_up_has_its_phrases_and_words() -> None:
    assert set(analyse_query("retry policy").optional) == {("retry", "policy"), ("retry",), ("policy",)}
    assert analyse_query("E1101").optional == (("e", "1101"),)
    assert analyse_query("知识").optional == (("知识",),)
    assert analyse_query("猫").optional == (("猫",),)


def test_a_phrase_keeps_the_stop_words_inside_it() -> None:
    assert ("state", "of", "the", "art") in analyse_query("the state of the art").optional


def test_a_long_query_is_a_phrase_as_it_stands_and_names_code() -> None:
    found = analyse_query("how does the client retry when parse_json fails in config.yaml or loadConfig")
    assert found.optional == (
        analyse("how does the client retry when parse_json fails in config.yaml or loadConfig").sequence,
        ("parse", "json"),
        ("config", "yaml"),
        ("load", "config"),
    )
    assert ("client", "retry") in found.loose
    assert ("client",) in found.loose


def test_names_from_prose_are_not_taken_for_code() -> None:
    found = analyse_query("does MicroRNA or mRNA in T-cells of U.S. patients change IL6 levels over several long weeks")
    assert len(found.optional) == 1


def test_a_long_run_is_looked_for_by_threes() -> None:
    found = analyse_query("知识管理系统")
    assert ("知识", "识管") in found.loose
    assert found.optional == (analyse("知识管理系统").sequence,)


def test_a_long_query_is_bounded() -> None:
    found = analyse_query(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(670)))
    assert len(found.terms) == MAX_QUERY_TERMS
    assert len(found.loose) == MAX_QUERY_PHRASES
    assert found.optional == ()


@given(st.text(max_size=100))
def test_a_query_finds_by_what_a_text_is_found_by(text: str) -> None:
    assert analyse_query(text).terms == tuple(dict.fromkeys(analyse(text).terms))


@given(st.text(max_size=100))
def test_no_phrase_is_empty_or_twice(text: str) -> None:
    found = analyse_query(text)
    phrases = [*found.required, *found.optional, *found.loose]
    assert all(phrases)
    assert len(phrases) == len(set(phrases))


@given(st.text("ab_-.'\"“”「」 \nC9知识", max_size=60))
def test_odd_quotation_marks_do_no_harm(text: str) -> None:
    found = analyse_query(text)
    assert all(contains(analyse(text.replace('"', " ")).sequence, phrase) for phrase in found.required)


@given(st.lists(WORDS, min_size=1, max_size=12), st.data())
def test_a_quoted_stretch_of_a_text_is_found_in_it(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    (phrase,) = analyse_query(f'"{" ".join(words[start:end])}"').required
    assert contains(analyse(" ".join(words)).sequence, phrase)


@given(HAN, st.data())
def test_a_quoted_stretch_of_a_run_is_found_in_it(run: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(run) - 2))
    end = data.draw(st.integers(start + 2, len(run)))
    (phrase,) = analyse_query(f"「{run[start:end]}」").required
    assert contains(analyse(run).sequence, phrase)
