"""What texts are found by: golden cases, then rules that hold for any text."""

import threading
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.ports.chunk_index import MAX_TOKEN_BYTES
from knowhub.retrieval.analysis import analyse
from knowhub.retrieval.tokens import normalise

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20)
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=30)

# Letters, marks and joiners that normalisation merges, splits, grows or drops, more often than chance would bring them.
AWKWARD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "ﬁﬃİıßſÅÅée\u0301\u0323\u00ad\u200d\u200c\ufeff\ufe0f㎏㍻①½ｱﾞｶﾞか\u3099ᄒ\u1161\u11ab한글知识管理"
        ),
        st.sampled_from("aBc19_-.'’,\"“”「」 \n，。＿－ＡＢ１２νΣςЙйёहिंदीไทยالعَرَبِيَّة"),
    ),
    max_size=60,
)


def terms(text: str) -> list[str]:
    return sorted(analyse(text).terms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The running dogs", ["the", "run", "dog"]),
        ("DNA dna Dna", ["dna", "dna", "dna"]),
        ("generalisations", ["generalis"]),
        ("dog's dogs' DOG’S", ["dog", "dog", "dog"]),
        ("don't DON’T", ["don't", "don't"]),
        ("café", ["café", "cafe"]),
        ("naïve", ["naïv", "naiv"]),
        ("Łódź", ["łódź", "lodz"]),
        ("straße STRASSE", ["strass", "strass"]),
        ("smørrebrød", ["smørrebrød", "smorrebrod"]),
        ("Ёлка", ["ёлка", "елка"]),
        ("Москва", ["москва"]),
        ("ΣΊΣΥΦΟΣ", ["σίσυφοσ", "σισυφοσ"]),
        ("İstanbul", ["i̇stanbul", "istanbul"]),
        ("ﬁne ＦＩＮＥ", ["fine", "fine"]),
        ("infor\u00admation", ["inform"]),
        ("cafe\u0301", ["café", "cafe"]),
    ],
)
def test_a_word_counts_once_and_beside_it_its_form_without_accents(text: str, expected: list[str]) -> None:
    assert terms(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPResponse", ["pars", "http", "respons", "parsehttprespons"]),
        ("snake_case_names", ["snake", "case", "name", "snake_case_names"]),
        ("__init__", ["init"]),
        ("kebab-case", ["kebab", "case", "kebab-case"]),
        ("os.path.join", ["os", "path", "join", "os.path.join"]),
        ("java.util.ArrayList", ["java", "util", "array", "list", "arraylist", "java.util.arraylist"]),
        ("utf8", ["utf", "8", "utf8"]),
        ("UTF-8", ["utf", "8", "utf-8"]),
        ("E1101", ["e", "1101", "e1101"]),
        ("ORA-00942", ["ora", "00942", "ora-00942"]),
        ("APIs URLs", ["api", "url"]),
        ("mRNAs", ["m", "rna", "mrnas"]),
        ("DNAs DNA", ["dna", "dna"]),
        ("naïve-Bayes", ["naïv", "naiv", "bay", "naïve-bayes", "naive-bayes"]),
        ("ÉcoleNormale", ["école", "ecol", "normal", "écolenormal", "ecolenormal"]),
        ("O'Brien", ["o", "brien", "o'brien"]),
        ("IL-6's", ["il", "6", "il-6"]),
        ("TNF‐α", ["tnf", "α", "tnf-α"]),
        ("C++ C# c", ["c++", "c", "c#", "c", "c"]),
        ("src/app/main.py", ["src", "app", "main", "py", "main.py"]),
    ],
)
def test_an_identifier_is_its_parts_and_its_wholes(text: str, expected: list[str]) -> None:
    assert terms(text) == sorted(expected)


@pytest.mark.parametrize("text", ["9f86d081884c7d65", "aGVsbG8gV29ybGQxMjM0", "p16INK4a"])
def test_hashes_and_encoded_blobs_stay_whole(text: str) -> None:
    assert analyse(text).terms == (text.lower(),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3.14", ["3.14"]),
        ("v1.2.3", ["v1.2.3", "1.2.3"]),
        ("1.2.3rc1", ["1.2.3rc1", "1.2.3"]),
        ("python3.11", ["python", "3.11", "python3.11"]),
        ("10.0.0.1", ["10.0.0.1"]),
        ("1,234,567.89", ["1234567.89"]),
        ("1234 1,234", ["1234", "1234"]),
        ("in 2020.", ["in", "2020"]),
        ("２０２４年", ["2024", "年"]),
        ("2024-01-15", ["2024", "01", "15", "2024-01-15"]),
        ("1.2.3x4y", ["1", "2", "3", "x", "4", "y", "3x4y", "1.2.3x4y"]),
    ],
)
def test_numbers_and_versions_stay_whole(text: str, expected: list[str]) -> None:
    assert terms(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("知识管理", ("知识", "识管", "管理")),
        ("猫", ("猫",)),
        ("猫，狗", ("猫", "狗")),
        ("GPT模型", ("gpt", "模型")),
        ("第3章", ("第", "3", "章")),
        ("東京タワー", ("東京", "京タ", "タワ", "ワー")),
        ("ﾃﾞｰﾀ", ("デー", "ータ")),
        ("人々", ("人々",)),
        ("한국어", ("한국", "국어")),
        ("서울에 살다", ("서울", "울에", "살다")),
        ("한국語", ("한국", "語")),
        ("𠮷野家", ("𠮷野", "野家")),
        ("ภาษา", ("ภา", "าษ", "ษา")),
    ],
)
def test_scripts_without_spaces_become_bigrams_in_both_outputs(text: str, expected: tuple[str, ...]) -> None:
    found = analyse(text)
    assert found.terms == expected
    assert found.sequence == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The running Dogs", ("the", "running", "dogs")),
        ("café", ("café",)),
        ("getUserName snake_case", ("get", "user", "name", "snake", "case")),
        ("UTF-8 utf8", ("utf", "8", "utf", "8")),
        ("release v1.2.3 of python3.11", ("release", "v1.2.3", "of", "python", "3.11")),
        ("Alzheimer's disease", ("alzheimer", "disease")),
        ("l'homme", ("l", "homme")),
        ("C++ 17", ("c++", "17")),
    ],
)
def test_the_sequence_has_one_unstemmed_token_a_position(text: str, expected: tuple[str, ...]) -> None:
    assert analyse(text).sequence == expected


def test_words_with_marks_are_one_word() -> None:
    assert analyse("हिन्दी").terms == ("हिन्दी",)
    assert analyse("العَرَبِيَّة").terms == ("العَرَبِيَّة", "العربية")


@pytest.mark.parametrize(
    "text", ["", " \n", "?!…", "-- ++ ## && ||", "😀👍🏽", "\u0301", "´", "。、「」", "___", "\ud800"]
)
def test_a_text_without_letters_and_digits_has_no_tokens(text: str) -> None:
    assert analyse(text).terms == ()
    assert analyse(text).sequence == ()


def test_long_tokens_are_cut_between_code_points() -> None:
    for word in ("x" * 1_000, "é" * 1_000, "x" + "é" * 1_000, "Σ" * 1_000, "ab_" * 80):
        found = analyse(word)
        longest = max(found.terms, key=len)
        assert MAX_TOKEN_BYTES - 1 <= len(longest.encode()) <= MAX_TOKEN_BYTES
        assert normalise(word).casefold().startswith(longest)


def test_long_numbers_are_cut() -> None:
    found = analyse("123," * 50 + "123 " + "1." * 100 + "0")
    assert [len(term) for term in found.terms] == [MAX_TOKEN_BYTES, MAX_TOKEN_BYTES]


def test_a_chain_too_long_for_a_name_is_its_links() -> None:
    assert analyse("getUser." * 100 + "end").terms == ("get", "user", "getus") * 100 + ("end",)


@pytest.mark.parametrize(
    "text",
    [
        " " * 500_000,
        "_" * 500_000,
        "a" * 500_000,
        "a." * 100_000,
        "a_" * 100_000 + "é",
        "111," * 100_000 + "1",
        "aB1" * 50_000,
        "1.2." * 100_000 + "x",
        "知" * 200_000,
        "e\u0301" * 100_000,
        "e" + "\u0301" * 3_000,
        "'" * 200_000,
        '"' * 200_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_no_text_is_a_trap(text: str) -> None:
    """Each of these takes well under a second; with a pattern that goes back it would run into the time-out."""
    found = analyse(text)
    assert all(len(token.encode()) <= MAX_TOKEN_BYTES for token in (*found.terms, *found.sequence))


def test_importing_does_not_load_the_stemmer() -> None:
    import subprocess
    import sys

    code = (
        "import sys, knowhub.retrieval.analysis, knowhub.retrieval.highlight; print('snowballstemmer' in sys.modules)"
    )
    path = {"PYTHONPATH": ":".join(sys.path)}
    out = subprocess.run([sys.executable, "-c", code], env=path, capture_output=True, text=True, check=True).stdout
    assert out == "False\n"


def test_threads_get_the_same_answer() -> None:
    text = " ".join(f"running{chr(97 + n % 26)}{chr(97 + n // 26)}ingly" for n in range(600))
    found: list[tuple[str, ...]] = []
    threads = [threading.Thread(target=lambda: found.append(analyse(text).terms)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [analyse(text).terms] * 4


@given(AWKWARD)
def test_every_token_is_one_that_the_index_takes(text: str) -> None:
    found = analyse(text)
    for token in (*found.terms, *found.sequence):
        assert token
        assert len(token.encode()) <= MAX_TOKEN_BYTES
        assert not any(character.isspace() for character in token)
        assert unicodedata.is_normalized("NFKC", token)


@given(AWKWARD)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert analyse(normalise(text)) == analyse(text)


@given(AWKWARD, AWKWARD)
def test_texts_on_two_lines_are_analysed_apart(one: str, other: str) -> None:
    together = analyse(f"{one}\n{other}")
    assert together.terms == analyse(one).terms + analyse(other).terms
    assert together.sequence == analyse(one).sequence + analyse(other).sequence


@given(st.lists(WORDS, max_size=20))
def test_plain_words_count_once_each_whatever_their_case(words: list[str]) -> None:
    for text in (" ".join(words), " ".join(words).upper(), " ".join(words).title()):
        found = analyse(text)
        assert found.sequence == tuple(words)
        assert len(found.terms) == len(words)
    assert analyse(" ".join(words).upper()) == analyse(" ".join(words))


@given(HAN)
def test_a_run_is_covered_by_its_bigrams(run: str) -> None:
    found = analyse(run)
    assert len(found.terms) == max(1, len(run) - 1)
    assert found.terms[0][0] + "".join(gram[1:] for gram in found.terms) == unicodedata.normalize("NFKC", run)


@given(
    st.lists(WORDS.filter(lambda word: len(word) > 1), min_size=2, max_size=5),
    st.sampled_from(["_", "-", ".", "Camel"]),
)
def test_identifiers_of_one_name_meet_in_their_parts(words: list[str], style: str) -> None:
    name = "".join(word.title() for word in words) if style == "Camel" else style.join(words)
    spaced = set(analyse(" ".join(words)).terms)
    assert spaced <= set(analyse(name).terms) or len(analyse(name).sequence) == 1
