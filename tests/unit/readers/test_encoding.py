"""Which encoding a text is in, and what is no text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import UnsupportedMediaType
from knowhub.readers.encoding import decode

ENGLISH = "The reader takes the bytes of a document and turns them into text.\n"
SIMPLIFIED = "知识库保存文档，检索会返回最相关的片段，并且给出每一句话的出处。我们在这里说明它的用法。\n"
TRADITIONAL = "知識庫保存文件，檢索會返回最相關的片段，並且給出每一句話的出處。我們在這裡說明它的用法。\n"
JAPANESE = "ナレッジベースは文書を保存します。検索すると、関連する部分とその出典が表示されます。\n"
KOREAN = "지식 베이스는 문서를 저장하고, 검색하면 관련된 부분과 출처를 보여 줍니다. 이것은 사용 방법을 설명한다.\n"
FRENCH = "Le système lit les données déjà enregistrées à l’été, où chaque élève a été noté.\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (ENGLISH, "utf-8"),
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        (FRENCH, "cp1252"),
    ],
)
def test_the_encoding_is_told_by_evidence(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.encoding == encoding
    assert decoded.losses == ()


@pytest.mark.parametrize("lead", ["ID,NAME\n1,", "# log of 2024-01-01\n"])
@pytest.mark.parametrize(
    ("text", "encoding"), [(SIMPLIFIED, "gb18030"), (TRADITIONAL, "big5"), (JAPANESE, "euc_jp"), (KOREAN, "euc_kr")]
)
def test_ascii_around_the_text_changes_nothing(lead: str, text: str, encoding: str) -> None:
    assert decode((lead * 20 + text + ENGLISH).encode(encoding)).encoding == encoding


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
        (b"\xff\xfe\0\0", "utf-32-le"),
    ],
)
def test_a_byte_order_mark_decides_and_is_dropped(mark: bytes, encoding: str) -> None:
    decoded = decode(mark + SIMPLIFIED.encode(encoding))
    assert (decoded.text, decoded.encoding) == (SIMPLIFIED, encoding)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [ENGLISH, FRENCH, SIMPLIFIED + ENGLISH])
def test_utf16_without_a_mark_is_told_by_its_null_bytes(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).encoding == encoding


def test_line_ends_become_line_feeds() -> None:
    assert decode(b"a\r\nb\rc\n\r\n").text == "a\nb\nc\n\n"


@pytest.mark.parametrize("name", ["M\u00fcller", "\u00c5sa", "caf\u00e9", "na\u00efve \u00fcber"])
def test_single_accents_are_no_chinese(name: str) -> None:
    assert decode(name.encode("cp1252")).text == name


def test_a_few_broken_bytes_in_utf8_are_replaced_and_counted() -> None:
    decoded = decode(SIMPLIFIED.encode() * 3 + b"\xe7\x9f" + SIMPLIFIED.encode())
    assert decoded.encoding == "utf-8"
    assert decoded.text.count("\ufffd") == 1
    assert [loss.code for loss in decoded.losses] == ["UNDECODABLE_BYTES"]


@pytest.mark.parametrize("data", [bytes(range(256)), b"abc\0def", b"\x01\x02\x03\x04text", b"\0\0\0\1"])
def test_binary_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UnsupportedMediaType):
        decode(data)


def test_form_feeds_and_escapes_are_text() -> None:
    assert decode(b"page one\x0c\x1b[1mpage two\x1b[0m").encoding == "utf-8"


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Z", "S"))))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    assert decode(text.encode()).text == text.removeprefix("\ufeff")


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(data: bytes) -> None:
    try:
        decoded = decode(data)
    except UnsupportedMediaType:
        return
    assert "\r" not in decoded.text
    assert "\0" not in decoded.text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(JAPANESE + "①㈱髙", "cp932"), (KOREAN + "똠방각하", "cp949"), (TRADITIONAL * 2 + "嘅咗", "big5hkscs")],
)
def test_characters_of_a_vendor_are_read_with_the_vendors_encoding(text: str, encoding: str) -> None:
    decoded = decode(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


@pytest.mark.parametrize(
    ("text", "encoding"), [(SIMPLIFIED, "gb18030"), (TRADITIONAL, "big5"), (JAPANESE, "euc_jp"), (KOREAN, "euc_kr")]
)
def test_a_text_that_is_cut_off_within_a_character_keeps_its_encoding(text: str, encoding: str) -> None:
    decoded = decode((text.rstrip("\n.") * 4).encode(encoding)[:-1])
    assert decoded.encoding == encoding
    assert [loss.code for loss in decoded.losses] == ["UNDECODABLE_BYTES"]


def test_a_declared_encoding_is_followed_unless_the_bytes_tell_another() -> None:
    assert decode("é".encode("latin-1"), "iso8859-2").encoding == "iso8859-2"
    assert decode(SIMPLIFIED.encode(), "cp932").encoding == "utf-8"
    assert decode(b"\xef\xbb\xbfabc", "gb18030").encoding == "utf-8"


@pytest.mark.parametrize("mark", ["\u2028", "\u200b", "\u202e", "\u2066", "\ufeff"])
def test_invisible_characters_are_text(mark: str) -> None:
    assert decode(f"a{mark}b".encode()).text == f"a{mark}b"


def test_half_a_surrogate_pair_in_bytes_is_a_loss() -> None:
    decoded = decode(SIMPLIFIED.encode() * 3 + b"\xed\xa0\x80")
    assert decoded.encoding == "utf-8"
    assert decoded.losses


def test_a_line_of_many_megabytes_is_decoded() -> None:
    assert len(decode((SIMPLIFIED.strip() * 100_000).encode("gb18030")).text) == 100_000 * len(SIMPLIFIED.strip())


@pytest.mark.parametrize("declared", ["gb18030", "gb2312", "big5hkscs", "cp932", "cp1252", "koi8-r"])
@pytest.mark.parametrize("text", [SIMPLIFIED, "知识", FRENCH, "Привет"])
def test_what_is_utf8_is_no_text_in_the_encoding_that_it_declares(text: str, declared: str) -> None:
    decoded = decode(text.encode(), declared)
    assert (decoded.text, decoded.encoding, decoded.losses) == (text, "utf-8", ())


@pytest.mark.parametrize(
    ("text", "declared"), [(SIMPLIFIED, "gb18030"), ("模", "gb18030"), ("PÓŁKA", "iso8859-2"), (FRENCH, "cp1252")]
)
def test_a_declaration_that_holds_is_followed(text: str, declared: str) -> None:
    assert decode(text.encode(declared), declared).text == text


def test_one_accent_in_utf8_is_told_from_windows() -> None:
    assert decode("caf\u00e9".encode(), "cp1252").text == "caf\u00e9"


def test_few_null_bytes_do_not_hide_the_encoding() -> None:
    text = "知识库保存文档，检索会返回最相关的片段。\n" * 200
    decoded = decode(text.encode("gb18030") + b"\x00\n")
    assert (decoded.text, decoded.encoding) == (text + "\ufffd\n", "gb18030")
    assert [(loss.code, loss.where) for loss in decoded.losses] == [("UNDECODABLE_BYTES", "line 201")]


def test_many_null_bytes_are_no_text() -> None:
    with pytest.raises(UnsupportedMediaType):
        decode(b"a line of a text\n" * 100 + b"\x00" * 50)
