"""The OpenSearch that tests talk to: the one that `OPENSEARCH_URL` names, or a node of this test run's own."""

import os
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from tests.environments import ROOT, absent
from tests.opensearch.keeper import alive
from tests.opensearch.parts import PartsUnavailable, cache_folder, gathered, locked

_PROGRAMS = ("java", "mvn")
_WAIT_SECONDS = 150


def opensearch_url() -> str:
    """Give the address of a running OpenSearch; skip the test where there can be none.

    The workers of one run share a node, which the first that asks starts and which goes when the run has ended.
    """
    named = os.environ.get("OPENSEARCH_URL", "").rstrip("/")
    if named:
        return named
    missing = [program for program in _PROGRAMS if shutil.which(program) is None]
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        missing.append("setpriv")
    if missing:
        absent(f"no {' and no '.join(missing)} for an OpenSearch node, and OPENSEARCH_URL is not set")
    try:
        return _own_node()
    except PartsUnavailable as error:
        absent(f"the parts of an OpenSearch node are not to be had, and OPENSEARCH_URL is not set. {error}")


@cache
def _own_node() -> str:
    gathered()
    run = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    folder = cache_folder() / "opensearch-runs" / str(run)
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.parent.iterdir():
        if not alive(int(other.name)):
            shutil.rmtree(other, ignore_errors=True)
    with locked(folder / "lock"):
        return _standing(folder) or _started(folder, run)


def _standing(folder: Path) -> str | None:
    """Give the address that another worker has got; what an earlier run with the same number left does not count."""
    try:
        url, keeper = (folder / "url").read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return None
    return url if alive(int(keeper)) else None


def _started(folder: Path, run: int) -> str:
    for left in ("url", "failed"):
        (folder / left).unlink(missing_ok=True)
    with (folder / "log").open("wb") as log:
        subprocess.run(
            [sys.executable, "-m", "tests.opensearch.keeper", str(run), str(folder)],
            cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=True,
        )  # fmt: skip
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end:
        url = _standing(folder)
        if url is not None:
            return url
        if (folder / "failed").exists():
            break
        time.sleep(0.1)
    failed = folder / "failed"
    raise RuntimeError(failed.read_text(encoding="utf-8") if failed.exists() else "the OpenSearch node did not start")
