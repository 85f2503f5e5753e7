"""Importing any module does nothing: no output, no file, no thread, no connection, no environment needed."""

import subprocess
import sys
from pathlib import Path

from tests.architecture import tree

WATCHED_IMPORT = '''
import importlib, sys, threading

project, names, seen = tuple(sys.argv[1].split(":")), sys.argv[2].split(","), []

def importing_frame():
    """Find whose module body is running: a vendor's own import-time work is not ours to judge."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame.f_code.co_filename if frame else ""

def watch(event, arguments):
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    acts = event in {"socket.connect", "socket.bind", "subprocess.Popen", "os.mkdir", "os.remove", "os.putenv",
                     "sqlite3.connect", "_thread.start_new_thread", "os.system", "os.fork"}
    if (writes or acts) and importing_frame().startswith(project):
        seen.append(f"{event} {arguments!r} in {importing_frame()}")

sys.addaudithook(watch)
for name in names:
    importlib.import_module(name)
assert threading.active_count() == 1, threading.enumerate()
assert not seen, "\\n".join(seen)
'''


def test_importing_every_module_does_nothing(tmp_path: Path) -> None:
    names = [tree.module_name(path) for folder in tree.PACKAGES.values() for path in sorted(folder.rglob("*.py"))]
    names = [name for name in names if not name.endswith("__main__")]
    roots = [str(folder.parent) for folder in tree.PACKAGES.values()]
    script = f"import sys; sys.path[:0] = {roots!r}\n" + WATCHED_IMPORT
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-c", script, ":".join(map(str, tree.PACKAGES.values())), ",".join(names)],
        cwd=tmp_path, env={}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_the_watch_notices_a_module_that_acts(tmp_path: Path) -> None:
    (tmp_path / "acting.py").write_text("open('left-behind', 'w').close()\n", encoding="utf-8")
    script = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\n" + WATCHED_IMPORT
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-c", script, str(tmp_path), "acting"],
        cwd=tmp_path, env={}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 1
    assert "left-behind" in run.stderr
