"""One OpenSearch node on this machine: loopback only, on free ports, its state in a folder that goes with it."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.opensearch.parts import gathered

_SETTINGS = """\
cluster.name: knowhub-tests
node.name: only
discovery.type: single-node
network.host: 127.0.0.1
http.port: {port}
transport.port: 0
cluster.routing.allocation.disk.threshold_enabled: false
rest.action.multi.allow_explicit_index: false
"""
_LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""
_JAVA = (
    "-Xms512m",
    "-Xmx1g",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Djava.security.manager=allow",
    "-Dlog4j2.disable.jmx=true",
)
_ADDRESS = re.compile(r"HttpServerTransport\] publish_address \{(127\.0\.0\.1:\d+)\}")
_READY = re.compile(r"\[o\.o\.n\.Node\s*\] started")
_NOBODY = "nobody"
_ROOM_BYTES = 2_000_000_000
_START_SECONDS = 120
_STOP_SECONDS = 30
_TAIL = 4_000


@dataclass(frozen=True)
class Node:
    """A running node."""

    process: "subprocess.Popen[bytes]"
    url: str
    log: Path


@contextmanager
def node(port: int = 0) -> Iterator[Node]:
    """Start a node on the port (0 for a free one), and stop it by its own process id; its folder goes too."""
    home = Path(tempfile.mkdtemp(prefix="knowhub-opensearch-", dir=_fast_folder()))
    try:
        _furnish(home, gathered(), port)
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                _command(home), cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                env={"PATH": os.environ.get("PATH", os.defpath)}, start_new_session=True,
            )  # fmt: skip
        try:
            yield Node(process, _address(process, home / "log"), home / "log")
        finally:
            _stop(process)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _fast_folder() -> str | None:
    """Give a folder in memory where there is one with room: nothing here has to outlive anything."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder made in it has a random name and belongs to the node alone
    return str(memory) if memory.is_dir() and shutil.disk_usage(memory).free > _ROOM_BYTES else None


def _furnish(home: Path, parts: Path, port: int) -> None:
    for part in ("lib", "modules", "plugins"):
        shutil.copytree(parts / part, home / part)
    for folder in ("config", "tmp", "data", "logs"):
        (home / folder).mkdir()
    (home / "config" / "opensearch.yml").write_text(_SETTINGS.format(port=port), encoding="utf-8")
    (home / "config" / "log4j2.properties").write_text(_LOGGING, encoding="utf-8")
    if os.geteuid() == 0:
        # It refuses to run as root.
        for path in (home, *home.rglob("*")):
            shutil.chown(path, _NOBODY)


def _command(home: Path) -> list[str]:
    java = ["java", *_JAVA, f"-Djava.io.tmpdir={home / 'tmp'}", "-Dopensearch.distribution.type=tar"]
    java += [f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={home / 'config'}", "-cp", f"{home}/lib/*"]
    java.append("org.opensearch.bootstrap.OpenSearch")
    if os.geteuid() != 0:
        return java
    return ["setpriv", f"--reuid={_NOBODY}", "--clear-groups", "--no-new-privs", "--", *java]


def _address(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """Wait until the node says that it is up, and give the address that it has bound."""
    end = time.monotonic() + _START_SECONDS
    while True:
        said = log.read_text(encoding="utf-8", errors="replace")
        found = _ADDRESS.search(said)
        if found and _READY.search(said):
            return f"http://{found.group(1)}"
        if process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"the OpenSearch node did not start; it said last:\n{said[-_TAIL:]}")
        time.sleep(0.1)


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_STOP_SECONDS)
