"""What the reader of Word's binary files makes of them: their text, and reasons where it can't be read."""

import pytest

from knowhub.errors import Unreadable
from knowhub.readers import doc as reader
from tests.ole_files import ole, word


def text(*pieces: tuple[str, bool]) -> str:
    return reader.read(ole(word(pieces)), "a.doc").text


def failure(data: bytes) -> object:
    with pytest.raises(Unreadable) as refused:
        reader.read(data, "a.doc")
    return refused.value.detail["reason"]


def test_pieces_are_joined_in_the_order_of_the_text() -> None:
    assert (
        text(("Größe “quoted”\r", True), ("中文 mixed\r", False), ("last\r", True))
        == "Größe “quoted”\n中文 mixed\nlast\n"
    )


def test_the_table_that_the_flags_name_is_used_behind_its_formatting() -> None:
    formatting = b"\x01\x04\x00abcd\x01\x00\x00"
    assert reader.read(ole(word([("words", True)], flags=0x0200, properties=formatting)), "a.doc").text == "words"


def test_fields_are_read_by_their_results() -> None:
    field = "see \x13 HYPERLINK \x13 inner \x14x\x15 \x14the page\x15 now\r"
    assert text((field, True)) == "see the page now\n"


def test_cells_rows_breaks_and_hyphens_are_characters() -> None:
    assert text(("a\x07b\x07\x07c\x07d\x07\x07line\x0bbreak\x0cpage co\x1fop\x1eed\x01\x08\r", True)) == (
        "a | b\nc | d\nline\nbreak\n\npage coop-ed\n"
    )


def test_the_layout_is_a_loss() -> None:
    assert [loss.code for loss in reader.read(ole(word([("x", True)])), "a.doc").losses] == ["LAYOUT_NOT_READ"]


def _with(change: bytes, at: int, stream: str = "WordDocument") -> bytes:
    streams = word([("some text", True)])
    data = streams[stream]
    return ole({**streams, stream: data[:at] + change + data[at + len(change) :]})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (ole(word([("x", True)], flags=0x0100)), "ENCRYPTED"),
        (ole({"EncryptedPackage": b"x", "EncryptionInfo": b"y"}), "ENCRYPTED"),
        (ole(word([("x", True)], version=0x65)), "TOO_OLD"),
        (ole(word([(" \r", True)])), "NO_TEXT"),
        (ole({"Other": b"x"}), "DAMAGED"),
        (ole({"WordDocument": word([("x", True)])["WordDocument"]}), "DAMAGED"),
        (ole(word([("x", True)]))[:900], "DAMAGED"),
        (b"no compound file", "DAMAGED"),
        (_with(b"\0\0", 0), "DAMAGED"),
        (_with(b"\xff\xff\xff\x7f", 0x1A2), "DAMAGED"),
        (_with(b"\xff\xff\xff\x7f", 9, "0Table"), "DAMAGED"),
        (_with(b"\x07", 0, "0Table"), "DAMAGED"),
        (_with(b"\xff\xff\xff\xff", 9, "0Table"), "DAMAGED"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(data: bytes, expected: str) -> None:
    assert failure(data) == expected


def test_a_workbook_goes_to_its_own_reader() -> None:
    with pytest.raises(Unreadable, match="workbook"):
        reader.read(ole({"Workbook": b"no records of a workbook"}), "a.doc")


def test_pictures_are_a_loss_but_not_those_in_a_field_s_instruction() -> None:
    data = ole(word([("a\x01b\x08c \x13FORMTEXT \x01\x14kept\x15\r", True)]))
    document = reader.read(data, "a.doc")
    assert document.text.strip() == "abc kept"
    assert [(loss.code, loss.detail[:2]) for loss in document.losses[1:]] == [("PICTURE_NOT_READ", "2 ")]
