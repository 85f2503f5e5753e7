"""What the blob folder promises beyond the port: where things lie, what is swept, and what its upload tickets allow."""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from knowhub.errors import Forbidden, Internal, InvalidRequest, NotFound, PayloadTooLarge, Unavailable
from knowhub.stores.folder.blobs import FolderBlobs
from knowhub.stores.folder.names import path_of, segment_of
from knowhub.stores.folder.staging import Staging
from tests.contract.blobs_homes import SetClock, folder_blobs


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def blobs(tmp_path: Path, clock: SetClock) -> FolderBlobs:
    return folder_blobs(tmp_path, clock)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


class TestNames:
    SEGMENTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="/"), min_size=1, max_size=200)

    @given(st.lists(SEGMENTS, min_size=1, max_size=3))
    def test_every_key_has_a_path_of_short_plain_names(self, segments: list[str]) -> None:
        for name in path_of("/".join(segments)):
            assert 0 < len(name) <= 121
            assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.%@+")

    @given(SEGMENTS)
    def test_a_segment_is_read_back(self, segment: str) -> None:
        written = "".join(name.rstrip("+@") for name in path_of(segment))
        assert segment_of(written) == segment

    @given(st.lists(SEGMENTS, min_size=2, max_size=2, unique=True))
    def test_two_keys_have_two_paths_where_case_is_ignored_too(self, keys: list[str]) -> None:
        first, second = (tuple(name.casefold() for name in path_of(key)) for key in keys)
        assert first != second

    @pytest.mark.parametrize("written", ["", "A", "%C3%A9", "%61", "%c3", "%", "%zz", "a b"])
    def test_a_name_that_is_not_ours_is_no_segment(self, written: str) -> None:
        assert segment_of(written) is None


class TestFolder:
    def test_what_is_stored_outlives_its_object(self, tmp_path: Path) -> None:
        folder_blobs(tmp_path).put("a/b", b"data", content_type="text/plain")
        again = folder_blobs(tmp_path)
        assert again.get("a/b") == b"data"
        info = again.stat("a/b")
        assert info is not None
        assert info.content_type == "text/plain"

    def test_the_time_of_a_write_is_the_clocks(self, blobs: FolderBlobs, clock: SetClock) -> None:
        blobs.put("a", b"")
        clock.advance(100)
        blobs.copy("a", "b")
        times = [info.modified_at for key in "ab" if (info := blobs.stat(key)) is not None]
        assert times == [clock.time - 100, clock.time]

    def test_a_delete_leaves_no_empty_folders(self, blobs: FolderBlobs, tmp_path: Path) -> None:
        blobs.put("a/b/c/d", b"")
        blobs.put("a/" + "x" * 500, b"")
        blobs.delete(["a/b/c/d", "a/" + "x" * 500])
        assert names_in(tmp_path / "blobs") == []

    def test_nothing_is_left_in_the_way_after_a_put(self, blobs: FolderBlobs, tmp_path: Path) -> None:
        blobs.put("a", b"")
        blobs.put("a", b"")
        assert names_in(tmp_path / "unfinished") == []

    def test_a_bucket_that_can_not_be_made_is_unavailable(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("not a folder")
        with pytest.raises((Unavailable, Internal)):
            folder_blobs(tmp_path / "file" / "below")

    def test_a_folder_that_went_away_is_unavailable_for_writes(self, blobs: FolderBlobs, tmp_path: Path) -> None:
        (tmp_path / "unfinished").rmdir()
        with pytest.raises(Unavailable):
            blobs.put("a", b"")

    def test_files_of_others_are_neither_listed_nor_given(self, blobs: FolderBlobs, tmp_path: Path) -> None:
        tree = tmp_path / "blobs"
        for name in (".DS_Store", "A@", "%61@", "plain"):
            (tree / name).write_bytes(b"foreign")
        (tree / "Folder").mkdir()
        assert blobs.list("").keys == ()
        (tree / "a@").write_bytes(b"foreign")
        with pytest.raises(Internal):
            blobs.get("a")


class TestLinks:
    @pytest.fixture
    def outside(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        folder = tmp_path_factory.mktemp("outside")
        folder_blobs(folder).put("secret", b"secret")
        return folder / "blobs"

    def test_a_link_to_a_folder_is_not_followed(self, blobs: FolderBlobs, tmp_path: Path, outside: Path) -> None:
        (tmp_path / "blobs" / "a").symlink_to(outside, target_is_directory=True)
        with pytest.raises(NotFound):
            blobs.get("a/secret")
        assert blobs.list("").keys == ()
        with pytest.raises(Internal):
            blobs.put("a/new", b"")
        blobs.delete(["a/secret"])
        assert names_in(outside) == ["secret@"]

    def test_a_link_to_a_file_is_replaced_not_written_through(
        self, blobs: FolderBlobs, tmp_path: Path, outside: Path
    ) -> None:
        (tmp_path / "blobs" / "a@").symlink_to(outside / "secret@")
        assert blobs.stat("a") is None
        assert blobs.list("").keys == ()
        before = (outside / "secret@").read_bytes()
        blobs.put("a", b"mine")
        assert blobs.get("a") == b"mine"
        assert (outside / "secret@").read_bytes() == before


class TestLeftovers:
    def test_what_nobody_writes_any_more_is_swept_at_the_next_start(self, blobs: FolderBlobs, tmp_path: Path) -> None:
        blobs.put("a", b"kept")
        (tmp_path / "unfinished" / "0123").write_bytes(b"half a blo")
        assert folder_blobs(tmp_path).get("a") == b"kept"
        assert names_in(tmp_path / "unfinished") == []

    def test_what_is_being_written_is_not_swept(self, tmp_path: Path) -> None:
        swept: list[int] = []
        target = tmp_path / "placed"
        folder = tmp_path / "unfinished"
        folder.mkdir()

        def place(path: Path) -> None:
            swept.append(Staging(folder).sweep())
            path.rename(target)

        Staging(folder).write(lambda file: file.write(b"whole"), place, modified=0)
        assert swept == [0]
        assert target.read_bytes() == b"whole"

    def test_a_write_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        def fail(_: object) -> None:
            raise ValueError("as a broken source does")

        with pytest.raises(ValueError, match="broken"):
            Staging(tmp_path).write(fail, lambda path: path, modified=0)
        assert names_in(tmp_path) == []


class TestUploads:
    @pytest.fixture
    def fields(self, blobs: FolderBlobs) -> dict[str, str]:
        ticket = blobs.presign_upload("uploads/1", content_type="text/plain", max_bytes=4, seconds=60)
        return dict(ticket.fields)

    def test_a_ticket_points_to_the_public_origin(self, blobs: FolderBlobs, clock: SetClock) -> None:
        ticket = blobs.presign_upload("uploads/1", content_type="text/plain", max_bytes=4, seconds=60)
        assert ticket.url == "http://127.0.0.1:8010/_uploads"
        assert ticket.expires_at == clock.time + 60

    def test_a_ticket_stores_under_its_key_with_its_type(self, blobs: FolderBlobs, fields: Mapping[str, str]) -> None:
        assert blobs.accept_upload(fields, "application/x-whatever", b"1234") == "uploads/1"
        info = blobs.stat("uploads/1")
        assert info is not None
        assert (blobs.get("uploads/1"), info.content_type) == (b"1234", "text/plain")

    def test_a_ticket_may_be_used_again_until_it_expires(
        self, blobs: FolderBlobs, fields: Mapping[str, str], clock: SetClock
    ) -> None:
        blobs.accept_upload(fields, "", b"1")
        clock.advance(59)
        blobs.accept_upload(fields, "", b"2")
        assert blobs.get("uploads/1") == b"2"
        clock.advance(1)
        with pytest.raises(Forbidden):
            blobs.accept_upload(fields, "", b"3")
        assert blobs.get("uploads/1") == b"2"

    @pytest.mark.parametrize(
        "change",
        [
            {"key": "uploads/2"},
            {"content_type": "text/html"},
            {"max_bytes": "40"},
            {"expires": "9999999999"},
            {"expires": "never"},
            {"signature": ""},
            {"signature": "0" * 64},
            {"signature": "ä"},
            {"key": "uploads/1\ud800"},
        ],
        ids=repr,
    )
    def test_a_changed_ticket_is_refused(
        self, blobs: FolderBlobs, fields: dict[str, str], change: dict[str, str]
    ) -> None:
        with pytest.raises(Forbidden):
            blobs.accept_upload(fields | change, "", b"1")
        assert blobs.list("").keys == ()

    @pytest.mark.parametrize("field", ["key", "content_type", "max_bytes", "expires", "signature"])
    def test_a_ticket_with_a_field_missing_names_it(
        self, blobs: FolderBlobs, fields: dict[str, str], field: str
    ) -> None:
        del fields[field]
        with pytest.raises(InvalidRequest) as refusal:
            blobs.accept_upload(fields, "", b"1")
        assert refusal.value.detail["errors"] == [{"loc": [field], "type": "missing", "message": "Field required"}]

    def test_more_bytes_than_allowed_are_refused(self, blobs: FolderBlobs, fields: dict[str, str]) -> None:
        with pytest.raises(PayloadTooLarge) as refusal:
            blobs.accept_upload(fields, "", b"12345")
        assert refusal.value.detail == {"limit": 4}

    def test_an_empty_file_is_refused(self, blobs: FolderBlobs, fields: dict[str, str]) -> None:
        with pytest.raises(InvalidRequest):
            blobs.accept_upload(fields, "", b"")

    def test_another_process_accepts_the_ticket(self, tmp_path: Path, fields: dict[str, str], clock: SetClock) -> None:
        assert folder_blobs(tmp_path, clock).accept_upload(fields, "", b"1") == "uploads/1"

    def test_another_folder_refuses_the_ticket(
        self, tmp_path_factory: pytest.TempPathFactory, fields: dict[str, str], clock: SetClock
    ) -> None:
        with pytest.raises(Forbidden):
            folder_blobs(tmp_path_factory.mktemp("other"), clock).accept_upload(fields, "", b"1")

    def test_only_the_owner_may_read_the_secret(self, tmp_path: Path, fields: dict[str, str]) -> None:
        assert fields
        secret = tmp_path / "upload-secret"
        assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        assert len(secret.read_bytes()) == 32
        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["upload-secret"]

    def test_a_damaged_secret_signs_nothing(self, blobs: FolderBlobs, tmp_path: Path, fields: dict[str, str]) -> None:
        os.truncate(tmp_path / "upload-secret", 0)
        with pytest.raises(Internal):
            blobs.accept_upload(fields, "", b"1")
