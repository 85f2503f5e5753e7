"""The node that tests talk to goes with its run, however that ends, and nothing in the tree names its version twice."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import yaml

from tests.environments import ROOT
from tests.opensearch.keeper import alive
from tests.opensearch.parts import VERSION
from tests.opensearch.running import opensearch_url

RUN = """
import sys, time
from tests.opensearch.running import opensearch_url
print(opensearch_url(), flush=True)
time.sleep(600)
"""
PATIENCE_SECONDS = 60


def test_the_poms_gather_the_version_that_the_domain_runs() -> None:
    pom = (Path(__file__).parent / "maven" / "pom.xml").read_text(encoding="utf-8")
    assert re.findall(r"<opensearch>(.*)</opensearch>", pom) == [VERSION]

    class Loader(yaml.SafeLoader):
        """Reads tags as nothing."""

    Loader.add_multi_constructor("!", lambda _loader, _suffix, _node: None)
    text = (ROOT / "infra" / "opensearch.yaml").read_text(encoding="utf-8")
    domain = yaml.load(text, Loader)["Resources"]["Domain"]["Properties"]  # noqa: S506 - a safe loader's child
    assert VERSION.startswith(domain["EngineVersion"].removeprefix("OpenSearch_"))


def test_a_killed_run_takes_its_node_along(tmp_path: Path) -> None:
    opensearch_url()  # skips where there can be none
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "OPENSEARCH"))}
    run = subprocess.Popen(
        [sys.executable, "-c", RUN], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert run.stdout is not None
    with run.stdout:
        url = run.stdout.readline().decode().strip()
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - this machine's own
            assert VERSION in answer.read().decode()
    finally:
        run.send_signal(signal.SIGKILL)
        run.wait()
    end = time.monotonic() + PATIENCE_SECONDS
    while _answers(url):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert not alive(run.pid)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - this machine's own
            return True
    except OSError:
        return False


@pytest.mark.parametrize(("ci", "outcome"), [("true", "failed"), ("", "skipped")])
def test_without_a_node_tests_are_skipped_and_in_ci_they_fail(tmp_path: Path, ci: str, outcome: str) -> None:
    test = tmp_path / "test_one.py"
    test.write_text(
        "from tests.opensearch.running import opensearch_url\n\n\ndef test_it() -> None:\n    opensearch_url()\n",
        encoding="utf-8",
    )
    environment = {"PATH": str(tmp_path), "CI": ci, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(test)],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"1 {outcome}" in done.stdout
    assert "OPENSEARCH_URL is not set" in done.stdout
