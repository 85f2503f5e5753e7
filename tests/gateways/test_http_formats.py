"""Files of other formats over HTTP: in, read in their own process, found with their place, or failed with a reason."""

from typing import Any

import pytest

from tests.hubs import Rig
from tests.office_files import archive, docx, office, paragraph, pptx, rows, shape, xlsx
from tests.pdf_files import Words, pdf

DATA = "application/octet-stream"


def send(hub: Rig, key: str, kb: int, name: str, data: bytes) -> Any:
    head = f'name="file"; filename="{name}"\r\nContent-Type: {DATA}'
    body = b"--edge\r\nContent-Disposition: form-data; " + head.encode() + b"\r\n\r\n" + data + b"\r\n--edge--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=edge"}
    return hub.http("POST", f"/kb/{kb}/documents", key=key, raw=body, headers=headers)


def found(hub: Rig, key: str, kb: int, query: str) -> dict[str, Any]:
    hits = hub.http("POST", f"/kb/{kb}/search", {"query": query}, key=key).json["hits"]
    hit: dict[str, Any] = hits[0]
    return hit


def test_each_format_is_found_with_its_place(hub: Rig, alice: str, kb: int) -> None:
    files = {
        "wrong.txt": pdf([b"0 0 10 10 re f", [Words("A walrus", 60, 700), Words("on ice", 60, 686)]]),
        "sheet.xlsx": xlsx({"Zoo": rows(["animal", "count"], ["penguin", 3], ["zebra", 4])}),
        "talk.pptx": pptx([shape("first slide"), shape("the giraffe slide")]),
        "report.docx": docx(paragraph("An ele", "phant in a room")),
    }
    for name, data in files.items():
        assert send(hub, alice, kb, name, data).status == 202
    hub.drain()
    page = found(hub, alice, kb, "walrus")["locator"]
    assert (page["page"], len(page["boxes"])) == (2, 2)
    sheet = found(hub, alice, kb, "penguin")["locator"]
    assert (sheet["sheet"], sheet["row_start"], sheet["row_end"]) == ("Zoo", 1, 3)
    assert found(hub, alice, kb, "giraffe")["locator"]["slide"] == 2
    assert "elephant" in found(hub, alice, kb, "elephant")["text"]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("broken.docx", office("word/document.xml", {"word/document.xml": "<broken"}), "XML is broken"),
        ("scan.pdf", pdf([b"0 0 10 10 re f"]), "pictures of text"),
        ("bomb.docx", office("word/document.xml", {"word/document.xml": " " * 30_000_000}), "200 times"),
    ],
)
def test_a_file_that_cannot_be_read_fails_with_its_reason(
    hub: Rig, alice: str, kb: int, name: str, data: bytes, reason: str
) -> None:
    doc_id = send(hub, alice, kb, name, data).json["doc_id"]
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert document["status"] == "failed"
    assert reason in document["error"]


def test_archives_of_anything_are_refused_at_once(hub: Rig, alice: str, kb: int) -> None:
    answer = send(hub, alice, kb, "all.docx", archive({"notes.txt": "x"}))
    assert (answer.status, answer.json["error"]["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
