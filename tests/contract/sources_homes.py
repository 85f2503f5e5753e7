"""Where the source suite gets its sources from: one bench a kind, each with things that are not there."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from knowhub.errors import NotFound
from knowhub.net.client import GuardedClient
from knowhub.net.policy import Policy
from knowhub.ports.sources import Files, Source, SourceSpec, UploadedFile
from knowhub.sources.local import LocalFiles
from knowhub.sources.opening import SourceOpener
from knowhub.sources.roots import BucketRoot, FolderRoot, Roots
from knowhub.sources.visits import Pace
from knowhub.stores.s3.roots import S3Files
from tests.contract.blobs_homes import REGION, s3_client
from tests.integration.net.servers import PUBLIC, Names, Routes, answer, serving

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client

KB = 7
BUCKET = "company-files"
KINDS = (
    "file of uploads", "file of a bucket", "file of this machine", "dir of a bucket", "dir of this machine", "url",
    "auto",
)  # fmt: skip
FILES: Mapping[str, bytes] = {
    "a.md": b"# A",
    "b/c.txt": b"in a folder",
    "b.csv": b"x,y\n1,2\n",
    "Z.MD": b"# Z",
    "data.bin": b"\x00\x01",
}
TYPES = {"md": "text/markdown", "txt": "text/plain", "csv": "text/csv", "bin": "application/octet-stream"}


@dataclass
class Bench:
    """A source that can be opened as often as one likes, and what it has to give."""

    open: Callable[[], Source]
    expected: list[str]
    contents: list[bytes]
    types: list[str]
    losses: list[tuple[str, str]] = field(default_factory=list)
    remove_first: Callable[[], None] = lambda: None
    fill: Callable[[Sequence[str]], None] = lambda _: None


@dataclass
class MemoryUploads:
    """The uploads that an import may read."""

    files: dict[str, tuple[UploadedFile, bytes]]

    def stat(self, upload_id: str) -> UploadedFile | None:
        return self.files[upload_id][0] if upload_id in self.files else None

    def get(self, upload_id: str) -> bytes:
        if self.stat(upload_id) is None:
            raise NotFound("BLOB")
        return self.files[upload_id][1]


def opener(
    *,
    roots: Roots | None = None,
    stores: Mapping[str, Files] | None = None,
    client: GuardedClient | None = None,
    pace: Pace | None = None,
    max_file_bytes: int = 1000,
) -> SourceOpener:
    """Build the sources of a hub that has nothing but what is given."""
    return SourceOpener(
        roots=roots or Roots(),
        stores=stores or {},
        client=client or GuardedClient(Policy(http=True), Names({}), Routes({})),
        pace=pace,
        max_file_bytes=max_file_bytes,
    )


@contextmanager
def bench(kind: str, folder: Path, client: "S3Client") -> Iterator[Bench]:
    """Set one kind up, in a folder that is its own, or in the one bucket of the service."""
    makers = {
        "file of uploads": _uploads,
        "file of a bucket": _bucket_files,
        "file of this machine": _local_files,
        "dir of a bucket": _bucket_folder,
        "dir of this machine": _local_folder,
        "url": _urls,
        "auto": _auto,
    }
    with makers[kind](folder, client) as made:
        yield made


def _types(names: Sequence[str]) -> list[str]:
    return [TYPES[name.rpartition(".")[2].lower()] for name in names]


@contextmanager
def _uploads(_: Path, __: object) -> Iterator[Bench]:
    files = {
        f"up_{number}": (UploadedFile(name.rpartition("/")[2], "application/octet-stream", len(data)), data)
        for number, (name, data) in enumerate(FILES.items())
    }
    uploads = MemoryUploads(files)
    spec = SourceSpec("file", (*(f"upload:{each}" for each in files), "upload:up_absent"))
    yield Bench(
        open=lambda: opener().open(spec, KB, uploads),
        expected=[f"upload:{each}" for each in ("up_0", "up_1", "up_2", "up_3", "up_4")],
        contents=list(FILES.values()),
        types=_types(list(FILES)),
        losses=[("NOT_FOUND", "upload:up_absent")],
        remove_first=lambda: _forget(uploads, "up_0"),
    )


def _forget(uploads: MemoryUploads, upload_id: str) -> None:
    del uploads.files[upload_id]


@contextmanager
def s3_with_bucket() -> Iterator["S3Client"]:
    """Start the service with the bucket that imports may read in part."""
    with s3_client() as client:
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        yield client


@dataclass
class _Bucket:
    """What the suite does in the bucket beneath a root; what is there already is left as it is."""

    client: "S3Client"
    root: str
    sources: SourceOpener = field(init=False)

    def __post_init__(self) -> None:
        roots = Roots(buckets=(BucketRoot(BUCKET, self.root, frozenset({KB})),))
        self.sources = opener(roots=roots, stores={"s3": S3Files(self.client, frozenset({"hub"}))})

    def hold(self, files: Mapping[str, bytes]) -> None:
        found = self.client.list_objects_v2(Bucket=BUCKET, Prefix=self.root).get("Contents", [])
        sizes = {each["Key"].removeprefix(self.root): each["Size"] for each in found}
        for name in sizes.keys() - files.keys():
            self.remove(name)
        for name, data in files.items():
            if sizes.get(name) != len(data):
                self.client.put_object(Bucket=BUCKET, Key=self.root + name, Body=data)

    def remove(self, name: str) -> None:
        self.client.delete_object(Bucket=BUCKET, Key=self.root + name)

    def fill(self, paths: Sequence[str]) -> None:
        self.hold({"": b"", **dict.fromkeys(paths, b"x")})


@contextmanager
def _bucket_files(_: Path, client: "S3Client") -> Iterator[Bench]:
    bucket = _Bucket(client, "files/")
    bucket.hold({**FILES, "large.txt": b"x" * 1001})
    uris = [f"s3://{BUCKET}/files/{name}" for name in FILES]
    gone, large = f"s3://{BUCKET}/files/absent.md", f"s3://{BUCKET}/files/large.txt"
    spec = SourceSpec("file", (*uris[:2], gone, large, *uris[2:]))
    yield Bench(
        open=lambda: bucket.sources.open(spec, KB),
        expected=uris,
        contents=list(FILES.values()),
        types=_types(list(FILES)),
        losses=[("NOT_FOUND", gone), ("TOO_LARGE", large)],
        remove_first=lambda: bucket.remove("a.md"),
    )


@contextmanager
def _local_files(folder: Path, _: object) -> Iterator[Bench]:
    _write(folder, FILES)
    (folder / "link.md").symlink_to(folder / "a.md")
    spec = SourceSpec("file", (*(str(folder / name) for name in FILES), str(folder / "link.md"), str(folder / "b")))
    made = _local_opener(folder)
    yield Bench(
        open=lambda: made.open(spec, KB),
        expected=[(folder / name).as_uri() for name in FILES],
        contents=list(FILES.values()),
        types=_types(list(FILES)),
        losses=[("NOT_FOUND", (folder / "link.md").as_uri()), ("NOT_FOUND", (folder / "b").as_uri())],
        remove_first=(folder / "a.md").unlink,
    )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _local_opener(folder: Path) -> SourceOpener:
    roots = Roots(folders=(FolderRoot(str(folder), frozenset({KB})),))
    return opener(roots=roots, stores={"file": LocalFiles([str(folder)])})


HIDDEN = {".git/config": b"no", "b/node_modules/x/readme.md": b"no", ".git.md": b"# yes"}
IN_ORDER = [".git.md", "Z.MD", "a.md", "b.csv", "b/c.txt", "data.bin"]


@contextmanager
def _bucket_folder(_: Path, client: "S3Client") -> Iterator[Bench]:
    bucket = _Bucket(client, "docs/")
    everything = {**FILES, **HIDDEN, "large.txt": b"x" * 1001, "b/": b""}
    bucket.hold(everything)
    spec = SourceSpec("dir", (f"s3://{BUCKET}/docs/",), recursive=True)
    yield Bench(
        open=lambda: bucket.sources.open(spec, KB),
        expected=[f"s3://{BUCKET}/docs/{name}" for name in IN_ORDER],
        contents=[everything[name] for name in IN_ORDER],
        types=_types(IN_ORDER),
        losses=[("TOO_LARGE", f"s3://{BUCKET}/docs/large.txt")],
        remove_first=lambda: bucket.remove(".git.md"),
        fill=bucket.fill,
    )


@contextmanager
def _local_folder(folder: Path, _: object) -> Iterator[Bench]:
    everything = {**FILES, **HIDDEN, "large.txt": b"x" * 1001}
    _write(folder, everything)
    (folder / "b" / "root").symlink_to("/")
    os.mkfifo(folder / "pipe.txt")
    made = _local_opener(folder)
    spec = SourceSpec("dir", (str(folder),), recursive=True)

    def fill(paths: Sequence[str]) -> None:
        shutil.rmtree(folder)
        folder.mkdir()
        _write(folder, dict.fromkeys(paths, b"x"))

    yield Bench(
        open=lambda: made.open(spec, KB),
        expected=[(folder / name).as_uri() for name in IN_ORDER],
        contents=[everything[name] for name in IN_ORDER],
        types=_types(IN_ORDER),
        losses=[
            ("TOO_LARGE", (folder / "large.txt").as_uri()),
            ("LINK", (folder / "b" / "root").as_uri()),
            ("NOT_A_FILE", (folder / "pipe.txt").as_uri()),
        ],
        remove_first=(folder / ".git.md").unlink,
        fill=fill,
    )


PAGES: Mapping[str, tuple[bytes, str]] = {
    "/guide.md": (b"# Guide", "text/plain; charset=utf-8"),
    "/": (b"<h1>Home</h1>", "text/html"),
    "/data": (b"{}", "application/json"),
}


@contextmanager
def _site() -> Iterator[tuple[GuardedClient, list[str]]]:
    gone: list[str] = []

    def reply(path: str) -> list[bytes]:
        if path in gone or path not in PAGES:
            return [answer(b"", 404)]
        body, media = PAGES[path]
        tag = f'"{len(body)}"'
        if f"if-none-match: {tag}" in server.requests[-1]:
            return [answer(b"", 304, ETag=tag)]
        return [answer(body, Content_Type=media, ETag=tag)]

    with serving(reply) as server:
        yield GuardedClient(Policy(http=True), Names({"a.example": [[PUBLIC]]}), Routes({PUBLIC: server.port})), gone


@contextmanager
def _urls(_: Path, __: object) -> Iterator[Bench]:
    urls = tuple(f"http://a.example{path}" for path in PAGES)
    with _site() as (client, gone):
        yield Bench(
            open=lambda: opener(client=client).open(SourceSpec("url", urls), KB),
            expected=list(urls),
            contents=[body for body, _ in PAGES.values()],
            types=["text/markdown; charset=utf-8", "text/html", "application/json"],
            remove_first=lambda: gone.append("/guide.md"),
        )


@contextmanager
def _auto(folder: Path, _: object) -> Iterator[Bench]:
    _write(folder, {"docs/a.md": b"# A", "docs/b.txt": b"b", "docs/deep/c.md": b"no", "one.csv": b"x\n"})
    text = "A note.\nWith two lines."
    digest = hashlib.sha256(text.encode()).hexdigest()
    absent = (folder / "absent.md").as_uri()
    inputs = (text, str(folder / "docs"), absent, "http://a.example/guide.md", str(folder / "one.csv"))
    with _site() as (client, _):
        roots = Roots(folders=(FolderRoot(str(folder)),))
        made = opener(roots=roots, stores={"file": LocalFiles([str(folder)])}, client=client)
        yield Bench(
            open=lambda: made.open(SourceSpec("auto", inputs), KB),
            expected=[
                f"text://{digest}",
                (folder / "docs" / "a.md").as_uri(),
                (folder / "docs" / "b.txt").as_uri(),
                "http://a.example/guide.md",
                (folder / "one.csv").as_uri(),
            ],
            contents=[text.encode(), b"# A", b"b", b"# Guide", b"x\n"],
            types=[
                "text/plain; charset=utf-8", "text/markdown", "text/plain", "text/markdown; charset=utf-8", "text/csv",
            ],
            losses=[("NOT_FOUND", absent)],
        )  # fmt: skip
