"""The reading process: warm, confined, and gone without taking anything with it."""

import os
import signal
import zlib
from collections.abc import Iterator
from contextlib import closing

import pytest

from knowhub.errors import Internal, Unreadable, UnsupportedMediaType
from knowhub.readers.child import Child, Limits
from tests.office_files import docx, ods, paragraph, pptx, rows, shape, xlsx
from tests.ole_files import ole, word
from tests.pdf_files import Words, assemble, pdf

PATIENT = Limits(cpu_seconds=60, wall_seconds=120.0)
QUICK = Limits(cpu_seconds=2, wall_seconds=3.0)

# Readers that only this process has: each does one thing that a broken library might do.
SERVE = """
import ctypes, os, socket, subprocess, sys, time
from knowhub.model.extraction import ReadDocument

def reader(act):
    return lambda data, name: ReadDocument(text=repr(act(data, name)), chunker_name="fixed")

def spin(data, name):
    while True:
        pass

def hog(data, name):
    return [bytearray(1 << 26) for _ in range(1000)]

def refused(act):
    def attempt(data, name):
        try:
            return act(data, name)
        except OSError as error:
            return error.errno
    return reader(attempt)

child.main(sys.argv[2], {
    "echo": reader(lambda data, name: (len(data), name)),
    "pid": reader(lambda data, name: os.getpid()),
    "environment": reader(lambda data, name: sorted(os.environ)),
    "crash": reader(lambda data, name: ctypes.string_at(0)),
    "exit": reader(lambda data, name: os._exit(3)),
    "raise": reader(lambda data, name: {}["missing"]),
    "spin": reader(spin),
    "sleep": reader(lambda data, name: time.sleep(60)),
    "hog": reader(hog),
    "deep": reader(lambda data, name: (lambda f: f(f))(lambda f: f(f))),
    "noise": reader(lambda data, name: print("noise", flush=True) or os.write(1, b"noise")),
    "lie": lambda data, name: ReadDocument(text=7, chunker_name="fixed"),
    "open": refused(lambda data, name: open(data.decode()).read()),
    "write": refused(lambda data, name: open("/tmp/knowhub-left-behind", "w").write("x")),
    "socket": refused(lambda data, name: socket.socket().getsockname()),
    "program": refused(lambda data, name: subprocess.run(["/bin/true"], check=True)),
    "fork": refused(lambda data, name: os.fork()),
    "kill": refused(lambda data, name: os.kill(os.getppid(), 0)),
})
"""

FILES = {
    "pdf": (pdf([[Words("words in a page", 60, 700)]]), "words in a page"),
    "docx": (docx(paragraph("words in a document")), "words in a document"),
    "doc": (ole(word([("words in an old document", True)])), "words in an old document"),
    "sheets": (xlsx({"T": rows(["words in a cell"])}), "words in a cell"),
    "pptx": (pptx([shape("words on a slide")]), "words on a slide"),
    "eml": (b"Subject: words in a mail\nContent-Type: text/plain; charset=euc-kr\n\n\xc7\xd1", "words in a mail"),
}


@pytest.fixture(scope="module")
def warm() -> Iterator[Child]:
    with closing(Child(PATIENT, serve=SERVE)) as child:
        yield child


@pytest.fixture(scope="module")
def quick() -> Iterator[Child]:
    with closing(Child(QUICK, serve=SERVE)) as child:
        yield child


@pytest.fixture
def locked(warm: Child) -> Child:
    text(warm, "echo")
    if not warm.locked:
        pytest.skip("the kernel does not let a process lock itself here")
    return warm


def text(child: Child, reader: str, data: bytes = b"") -> str:
    return child.read(reader, data, "a.bin").text


def failure(child: Child, reader: str) -> dict[str, object]:
    with pytest.raises(Unreadable) as refused:
        child.read(reader, b"x", "a.bin")
    return refused.value.detail


@pytest.mark.parametrize("reader", FILES)
def test_every_format_is_read_in_the_process_as_it_is_started(reader: str) -> None:
    data, expected = FILES[reader]
    with closing(Child()) as child:
        assert expected in child.read(reader, data, f"a.{reader}").text


def test_formats_follow_each_other_in_one_locked_process() -> None:
    open_document = ods({"T": ""})
    html = b"Subject: s\nContent-Type: text/html\n\n<html><body><h1>Head</h1><p>Text</p></body></html>"
    with closing(Child()) as child:
        pids = set()
        for reader, (data, expected) in [*FILES.items(), *FILES.items()]:
            assert expected in child.read(reader, data, "a").text
            pids.add(child.pid)
        assert "Text" in child.read("eml", html, "a.eml").text
        with pytest.raises(Unreadable):
            child.read("sheets", open_document, "a.ods")
        assert {*pids, child.pid} == pids
        assert len(pids) == 1


PAGE = b"<html><head><title>t</title></head><body><h1>Head</h1><p>words in a <b>page</b></p></body></html>"
PAGES = {
    "html alone": b"Subject: s\nContent-Type: text/html; charset=utf-8\n\n" + PAGE,
    "in another encoding": b"Subject: s\nContent-Type: text/html; charset=gb2312\n\n\xd6\xd0" + PAGE,
    "behind a blank text": (
        b"Subject: s\nContent-Type: multipart/alternative; boundary=x\n\n"
        b"--x\nContent-Type: text/plain\n\n \n\n--x\nContent-Type: text/html\n\n" + PAGE + b"\n--x--\n"
    ),
}


@pytest.mark.parametrize("message", PAGES.values(), ids=PAGES)
def test_the_page_in_a_mail_is_read_in_a_process_that_has_read_nothing_else(message: bytes) -> None:
    with closing(Child()) as child:
        document = child.read("eml", message, "a.eml")
    assert "words in a page" in document.text
    assert document.losses == ()


def test_a_large_document_goes_through_the_pipes(warm: Child) -> None:
    assert text(warm, "echo", bytes(20_000_000)) == "(20000000, 'a.bin')"


def test_what_a_library_prints_does_not_get_into_the_answer(warm: Child) -> None:
    assert text(warm, "noise") == "5"


@pytest.mark.parametrize(
    ("reader", "reason"),
    [("crash", "CRASHED"), ("exit", "CRASHED"), ("raise", "READER_FAILED"), ("hog", "MEMORY"), ("deep", "TOO_DEEP")],
)
def test_a_failure_fails_its_document_alone(warm: Child, reader: str, reason: str) -> None:
    before = text(warm, "pid")
    assert failure(warm, reader)["reason"] == reason
    assert text(warm, "pid") != before


def test_the_death_of_the_process_is_told_by_its_signal(warm: Child) -> None:
    assert failure(warm, "crash")["exit_status"] == -signal.SIGSEGV
    assert failure(warm, "exit")["exit_status"] == 3


@pytest.mark.parametrize("reader", ["spin", "sleep"])
def test_an_endless_reader_is_ended(quick: Child, reader: str) -> None:
    assert failure(quick, reader)["reason"] == "TIME"
    assert text(quick, "echo") == "(0, 'a.bin')"


def test_an_answer_that_is_none_is_a_crash(warm: Child) -> None:
    assert failure(warm, "lie")["reason"] == "CRASHED"
    assert text(warm, "echo") == "(0, 'a.bin')"


def test_broken_documents_leave_the_process_warm() -> None:
    with closing(Child()) as child:
        child.read("docx", docx(paragraph("x")), "a.docx")
        first = child.pid
        for data in (b"", b"PK\x03\x04", docx(""), docx("<w:p>")):
            with pytest.raises(Unreadable):
                child.read("docx", data, "a.docx")
        assert child.pid == first


def test_a_process_that_was_killed_while_waiting_is_replaced(warm: Child) -> None:
    text(warm, "echo")
    assert warm.pid is not None
    os.kill(warm.pid, signal.SIGKILL)
    os.waitid(os.P_PID, warm.pid, os.WEXITED | os.WNOWAIT)
    assert text(warm, "echo") == "(0, 'a.bin')"


def test_the_process_is_replaced_after_so_many_documents() -> None:
    with closing(Child(Limits(documents=3), serve=SERVE)) as child:
        pids = [text(child, "pid") for _ in range(7)]
    assert [pids.index(pid) for pid in pids] == [0, 0, 0, 3, 3, 3, 6]


def test_nothing_of_our_environment_gets_in(warm: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with closing(Child(serve=SERVE)) as child:
        assert text(child, "environment") in {"['LC_CTYPE', 'LD_LIBRARY_PATH']", "['LD_LIBRARY_PATH']"}


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", f"/proc/{os.getpid()}/environ", "/proc/self/environ", __file__],
    ids=["passwords", "our environment", "its environment", "our source"],
)
def test_files_cannot_be_opened_ours_least_of_all(locked: Child, path: str) -> None:
    assert text(locked, "open", path.encode()) == "1"


@pytest.mark.parametrize("reader", ["write", "socket", "program", "fork", "kill"])
def test_the_kernel_refuses_what_reaches_out_of_the_process(locked: Child, reader: str) -> None:
    assert text(locked, reader) == "1"


def test_a_missing_library_is_a_format_that_is_not_read() -> None:
    without = "sys.modules['pypdfium2'] = None; child.main(sys.argv[2])"
    with (
        closing(Child(serve=without)) as child,
        pytest.raises(UnsupportedMediaType, match="the library pypdfium2 is not installed"),
    ):
        child.read("pdf", FILES["pdf"][0], "a.pdf")


def test_a_process_that_does_not_start_is_no_fault_of_the_document() -> None:
    with closing(Child(serve="sys.exit(1)")) as child, pytest.raises(Internal):
        child.read("pdf", FILES["pdf"][0], "a.pdf")


def test_no_process_runs_before_the_first_document_or_after_the_last_use() -> None:
    child = Child(serve=SERVE)
    before = child.pid
    pid = int(text(child, "pid"))
    assert (before, child.pid) == (None, pid)
    del child
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


REPEATED = (
    '<table:table-row table:number-rows-repeated="1048576">'
    '<table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"/>'
    "</table:table-row>"
)


def test_a_table_that_repeats_a_cell_without_end_fails_alone() -> None:
    with closing(Child()) as child:
        with pytest.raises(Unreadable) as refused:
            child.read("sheets", ods({"T": REPEATED}), "a.ods")
        assert refused.value.detail["reason"] in {"DAMAGED", "CRASHED", "MEMORY", "TIME"}
        assert "words in a cell" in child.read("sheets", FILES["sheets"][0], "a.xlsx").text


def test_a_page_that_inflates_without_end_fails_alone() -> None:
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(b"q " * 1_000_000) for _ in range(150)) + packer.flush()
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>"
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed)
    tree = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"]
    with closing(Child(Limits(memory_bytes=400 * 1024 * 1024))) as child:
        with pytest.raises(Unreadable) as refused:
            child.read("pdf", assemble([*tree, page, stream]), "a.pdf")
        assert refused.value.detail["reason"] in {"CRASHED", "MEMORY"}
        assert child.read("pdf", FILES["pdf"][0], "a.pdf").text == "words in a page"


def test_forms_that_draw_each_other_end() -> None:
    head = "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    drawing = f"/Length 60 >>\nstream\n{'/X Do ' * 10}\nendstream"
    forms = {str(at): f"{head} /Resources << /XObject << /X {at + 1} 0 R >> >> {drawing}" for at in range(6, 18)}
    last = {"last": f"{head} /Length 0 >>\nstream\n\nendstream"}
    page = "/MediaBox [0 0 595 842] /Resources << /XObject << /X 6 0 R >> >>"
    data = pdf([b"/X Do"], extra={**forms, **last}, page=page)
    with closing(Child(Limits(memory_bytes=400 * 1024 * 1024, cpu_seconds=5, wall_seconds=5.0))) as child:
        with pytest.raises(Unreadable):
            child.read("pdf", data, "a.pdf")
        assert child.read("pdf", FILES["pdf"][0], "a.pdf").text == "words in a page"
