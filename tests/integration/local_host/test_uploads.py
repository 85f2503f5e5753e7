"""Presigned uploads: accepted with a ticket only, announced in the queue, announced after a crash, too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowhub.errors import InvalidRequest
from knowhub.ports.blobs import BlobInfo, UploadTicket
from knowhub.ports.queue import QueueDepth
from knowhub.stores.folder.blobs import FolderBlobs
from knowhub_cli.local.multipart import parse_form
from knowhub_cli.local.payloads import upload_event
from knowhub_cli.local.stores import SystemClock
from tests.integration.local_host.hosting import Running, until


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("uploads")
    with Running(folder / "state", folder / "scratch") as running:
        yield running


@pytest.fixture
def host(shared: Running) -> Running:
    blobs = blobs_of(shared)
    blobs.delete(blobs.list("").keys)
    until(lambda: shared.host.queues["Jobs"].depth() == QueueDepth(visible=0, in_flight=0, delayed=0))
    shared.forget()
    return shared


def blobs_of(host: Running) -> FolderBlobs:
    return FolderBlobs(host.state / "blobs", public_url=host.host.url, clock=SystemClock())


def ticket_for(host: Running, key: str, max_bytes: int = 1000) -> UploadTicket:
    return blobs_of(host).presign_upload(key, content_type="image/png", max_bytes=max_bytes, seconds=60)


def test_an_upload_is_stored_as_it_is_and_announced_with_its_key(host: Running) -> None:
    data = bytes(range(256)) + b"\r\n--not the boundary\r\n"
    ticket = ticket_for(host, "uploads/a b+ü", max_bytes=len(data))
    response = host.client.post(ticket.url, data=dict(ticket.fields), files={"file": ("name", data)})
    assert response.status_code == 204
    assert blobs_of(host).get("uploads/a b+ü") == data
    assert until(host.handled) == ["upload uploads/a+b%2B%C3%BC"]


def test_an_upload_outside_the_prefix_is_not_announced(host: Running) -> None:
    ticket = ticket_for(host, "elsewhere/a")
    assert host.client.post(ticket.url, data=dict(ticket.fields), files={"file": b"x"}).status_code == 204
    host.send("Jobs", {"name": "later"})
    assert until(host.handled) == ["later 1"]


def test_without_a_ticket_nothing_is_stored(host: Running) -> None:
    ticket = ticket_for(host, "uploads/a")
    forged = {**ticket.fields, "key": "uploads/b"}
    response = host.client.post(ticket.url, data=forged, files={"file": b"x"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert blobs_of(host).list("").keys == ()


@pytest.mark.parametrize(("size", "status"), [(0, 422), (5, 204), (6, 413)])
def test_the_tickets_size_holds(host: Running, size: int, status: int) -> None:
    ticket = ticket_for(host, "uploads/a", max_bytes=5)
    response = host.client.post(ticket.url, data=dict(ticket.fields), files={"file": b"x" * size})
    assert response.status_code == status


def test_what_is_no_form_is_422_in_the_error_shape(host: Running) -> None:
    response = host.client.post("/_uploads", content=b"x")
    assert (response.status_code, response.json()["error"]["code"]) == (422, "INVALID_REQUEST")


def test_files_that_were_never_announced_are_announced_at_the_next_start(tmp_path: Path) -> None:
    with Running(tmp_path / "state", tmp_path / "scratch") as first:
        blobs_of(first).put("uploads/forgotten", b"x")
        blobs_of(first).put("raw/other", b"x")
    with Running(tmp_path / "state", tmp_path / "scratch") as second:
        assert until(second.handled) == ["upload uploads/forgotten"]


def form(*parts: bytes) -> bytes:
    return b"".join(b"--b\r\n" + part + b"\r\n" for part in parts) + b"--b--\r\n"


def test_the_file_ends_the_form_and_names_its_type() -> None:
    body = form(
        b'Content-Disposition: form-data; name="key"\r\n\r\nuploads/a',
        b'content-disposition: form-data; filename="name=x"; name="file"\r\nContent-Type: text/x\r\n\r\n\r\ndata\r\n',
        b'Content-Disposition: form-data; name="late"\r\n\r\nignored',
    )
    parsed = parse_form("multipart/form-data; boundary=b", body)
    assert (parsed.fields, parsed.content_type, parsed.data) == ({"key": "uploads/a"}, "text/x", b"\r\ndata\r\n")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain", b""),
        ("multipart/form-data", form()),
        ("multipart/form-data; boundary=b", b""),
        ("multipart/form-data; boundary=b", form()),
        ("multipart/form-data; boundary=b", form(b'Content-Disposition: form-data; name="key"\r\n\r\nx')),
        ("multipart/form-data; boundary=b", form(b"Content-Type: text/plain\r\n\r\nx")),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\ncut'),
        ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="file"'),
        ("multipart/form-data; boundary=b", form(*[b'Content-Disposition: form-data; name="k"\r\n\r\nx'] * 50)),
    ],
)
def test_a_form_that_is_none_is_refused(content_type: str, body: bytes) -> None:
    with pytest.raises(InvalidRequest):
        parse_form(content_type, body)


def test_the_notification_reads_as_that_of_s3() -> None:
    blob = BlobInfo("uploads/n", size=4, content_type="text/plain", modified_at=0.0)
    (record,) = upload_event("Files", blob, now=0.0)["Records"]
    assert record["eventTime"] == "1970-01-01T00:00:00Z"
    assert record["eventName"].startswith("ObjectCreated:")
    assert record["s3"]["bucket"]["name"] == "Files"
    assert record["s3"]["object"] == {"key": "uploads/n", "size": 4}
