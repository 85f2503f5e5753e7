"""The protocol with the reading process: what is written is read back, and nothing else is believed."""

import io
import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.model.document import Loss
from knowhub.model.extraction import Attachment, Place, ReadDocument
from knowhub.readers import child_frames as frames

WHOLE = ReadDocument(
    text="text 中文\n",
    chunker_name="fixed",
    title="title",
    metadata={"from": "a", "n": 1},
    losses=(Loss("CODE", "page 1", "detail"),),
    encoding="utf-8",
    preserve_lines=True,
    header_lines=2,
    places=(Place(0, 3, page=1, box=(0.0, 1.5, 2.0, 3.0)), Place(3, 8, sheet="S", row=4), Place(8, 9, slide=2)),
    breaks=(0, 3),
    attachments=(
        Attachment("a.eml", "message/rfc822", b"\0\xff", metadata={"from": "a@mail.example"}),
        Attachment("a.pdf", "application/pdf", b"", within=0),
    ),
)


def decoded(payloads: list[bytes]) -> ReadDocument:
    members = frames.decode_answer(payloads[0])
    assert not isinstance(members, frames.Failure)
    assert frames.attachment_count(members) == len(payloads) - 1
    return frames.decode_document(members, payloads[1:])


def test_a_document_is_read_back_with_every_member() -> None:
    assert decoded(frames.encode_document(WHOLE)) == WHOLE
    empty = ReadDocument(text="x", chunker_name="fixed")
    # A member that the protocol forgets would come back as it is by default.
    assert [each.name for each in fields(WHOLE) if getattr(WHOLE, each.name) == getattr(empty, each.name)] == [
        "chunker_name"
    ]


@given(st.text(st.characters(exclude_categories=["Cs"])), st.dictionaries(st.text("ab"), st.integers() | st.text("c")))
def test_any_text_and_metadata_come_through(text: str, metadata: dict[str, object]) -> None:
    document = ReadDocument(text=text, chunker_name="fixed", metadata=metadata)
    assert decoded(frames.encode_document(document)) == document


def test_a_failure_is_read_back() -> None:
    failure = frames.Failure("unreadable", "message", {"reason": "X"}, spent=True)
    assert frames.decode_answer(frames.encode_failure(failure)) == failure


@given(st.lists(st.binary(max_size=50), max_size=5))
def test_frames_are_read_back_in_order(payloads: list[bytes]) -> None:
    stream = io.BytesIO(b"".join(map(frames.frame, payloads)))
    assert [frames.read_frame(stream) for _ in payloads] == payloads
    assert frames.read_frame(stream) is None


@pytest.mark.parametrize("data", [b"\0", b"\0\0\0\5abc", b"\xff\xff\xff\xffabc"])
def test_frames_that_are_cut_off_or_too_long_are_refused(data: bytes) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.read_frame(io.BytesIO(data))


@pytest.mark.parametrize(
    "payload",
    [b"", b"no json", b"[]", b"[" * 100_000, b'{"failure": 1}', b'{"failure": {"kind": "x"}}', b"\xff"],
)
def test_answers_that_are_none_are_refused(payload: bytes) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.decode_answer(payload)


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("text", None),
        ("text", "\ud800"),
        ("chunker_name", 1),
        ("title", 5),
        ("metadata", []),
        ("losses", [["A", "B"]]),
        ("losses", [[1, 2, 3]]),
        ("encoding", []),
        ("header_lines", "2"),
        ("places", [[0, 1]]),
        ("places", [["0", 1, None, None, None, None, None]]),
        ("places", [[0, 1, True, None, None, None, None]]),
        ("places", [[0, 1, 1, [1, 2, 3], None, None, None]]),
        ("breaks", ["a"]),
        ("breaks", [1.5]),
        ("attachments", [["only a name"]]),
        ("attachments", [["one", "type", None, {}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type"]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", 1, {}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", -1, {}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", "0", {}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", True, {}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", 0, {"from": 1}]]),
        ("attachments", [["one", "type", None, {}], ["two", "type", 0, []]]),
    ],
)
def test_members_of_another_type_are_refused(member: str, value: Any) -> None:
    members = {**json.loads(frames.encode_document(WHOLE)[0]), member: value}
    with pytest.raises(frames.BrokenFrame):
        frames.decode_document(members, [b"one", b"two"])


@pytest.mark.parametrize("attachments", [None, 5, [["n", "t", None, {}]] * 101])
def test_attachments_without_measure_are_refused(attachments: Any) -> None:
    with pytest.raises(frames.BrokenFrame):
        frames.attachment_count({"attachments": attachments})
