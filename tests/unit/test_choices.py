"""Which models a setting names, and that nothing of a refused value is shown."""

import pytest

from knowhub.calling.endpoints import Endpoint
from knowhub.choices import EmbedderChoice, RerankerChoice, embedder_choice, key_reference, reranker_choice, weight
from knowhub.settings import InvalidSettings, Settings
from tests.unit.test_settings import NEEDED

LOCAL = Endpoint("http", "127.0.0.1", 8080, "/v1")
FAR = Endpoint("https", "api.example.com", 443, "/v1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", None),
        (" offline ", EmbedderChoice("offline", length=512)),
        ("bedrock:amazon.titan-embed-text-v2:0", EmbedderChoice("bedrock", "amazon.titan-embed-text-v2:0", 1024)),
        (
            "bedrock:amazon.titan-embed-text-v2:0?dimensions=256",
            EmbedderChoice("bedrock", "amazon.titan-embed-text-v2:0", 256),
        ),
        ("bedrock:cohere.embed-multilingual-v3", EmbedderChoice("bedrock", "cohere.embed-multilingual-v3", 1024)),
        (
            "openai:https://api.example.com/v1?model=text-embedding-3-small",
            EmbedderChoice("openai", "text-embedding-3-small", 1536, endpoint=FAR),
        ),
        (
            "openai:https://api.example.com/v1/?model=text-embedding-3-small&dimensions=512",
            EmbedderChoice("openai", "text-embedding-3-small", 512, asked=True, endpoint=FAR),
        ),
        (
            "openai:http://127.0.0.1:8080/v1?model=BAAI/bge-m3&length=1024&characters=2000",
            EmbedderChoice("openai", "BAAI/bge-m3", 1024, endpoint=LOCAL, characters=2000),
        ),
    ],
)
def test_an_embedder_is_read(text: str, expected: EmbedderChoice | None) -> None:
    assert embedder_choice(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "on", "offline:x", "None", "bedrock", "bedrock:", "bedrock:amazon.titan-embed-text-v1",
        "bedrock:amazon.titan-embed-text-v2:0?dimensions=300", "bedrock:amazon.titan-embed-text-v2:0?dimensions=",
        "bedrock:amazon.titan-embed-text-v2:0?dimensions=-256", "bedrock:amazon.titan-embed-text-v2:0?size=256",
        "bedrock:amazon.titan-embed-text-v2:0?dimensions=256&dimensions=512", "bedrock:*",
        "bedrock:cohere.embed-multilingual-v3?dimensions=512",
        "openai:https://api.example.com/v1", "openai:https://api.example.com/v1?model=",
        "openai:https://api.example.com/v1?model=unknown", "openai:https://api.example.com/v1?model=m&dimensions=0",
        "openai:https://api.example.com/v1?model=m&dimensions=5000", "openai:https://a.example.com?model=m m&length=8",
        "openai:https://api.example.com/v1?model=m&length=8&dimensions=8", "openai:https://a.example.com?model=m&length=８",
        "openai:http://api.example.com/v1?model=m&length=8", "openai:http://10.0.0.5/v1?model=m&length=8",
        "openai:http://localhost.example.com/v1?model=m&length=8", "openai:http://127.0.0.1.example.com/?model=m&length=8",
        "openai:https://user:pw@api.example.com/v1?model=m&length=8", "openai:ftp://api.example.com/?model=m&length=8",
        "openai:https://api.example.com:0/?model=m&length=8", "openai:https://api.example.com:70000/?model=m&length=8",
        "openai:https://api.example.com/v1?model=m&length=8&api_key=s3cret", "openai:https://api.exämple.com/?model=m&length=8",
        "openai:https://api.example.com/a b?model=m&length=8", "openai:https://api.example.com/\r\n?model=m&length=8",
        "openai:https:///v1?model=m&length=8", "openai://api.example.com?model=m&length=8",
    ],
)  # fmt: skip
def test_an_embedder_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[a-z]"):
        embedder_choice(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", None),
        ("bedrock:cohere.rerank-v3-5:0", RerankerChoice("bedrock", "cohere.rerank-v3-5:0")),
        ("http:https://api.example.com/v1?model=m", RerankerChoice("http", "m", FAR)),
        ("http:http://127.0.0.1:8080/v1?model=m&scores=logits", RerankerChoice("http", "m", LOCAL, logits=True)),
    ],
)
def test_a_reranker_is_read(text: str, expected: RerankerChoice | None) -> None:
    assert reranker_choice(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "offline", "bedrock:cohere.rerank-v1", "http:https://api.example.com/v1", "https://api.example.com/v1?model=m",
        "http:http://api.example.com/v1?model=m", "http:https://api.example.com/v1?model=m&scores=percent",
    ],
)  # fmt: skip
def test_a_reranker_that_does_not_fit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[a-z]"):
        reranker_choice(text)


@pytest.mark.parametrize(
    "text",
    [
        "file:/etc/hub/key", "env:OPENAI_API_KEY", "ssm:/hub/key",
        "secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub/openai-AbC123",
    ],
)  # fmt: skip
def test_a_reference_to_a_key_is_read(text: str) -> None:
    reference = key_reference(text)
    assert f"{reference.scheme}:{reference.name}" == text


@pytest.mark.parametrize(
    "text",
    [
        "s3cret", "sk-s3cret", "file:relative", "file:", "env:", "env:1s3cret", "env:A B", "ssm:s3cret", "ssm:/a*",
        "secretsmanager:s3cret", "secretsmanager:arn:aws:ssm:eu-central-1:111122223333:secret:x", "vault:/s3cret",
        "secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333:secret:*",
    ],
)  # fmt: skip
def test_a_key_itself_and_what_leads_nowhere_are_refused_without_being_shown(text: str) -> None:
    with pytest.raises(InvalidSettings, match=r"^KNOWHUB_EMBEDDER_KEY is no ") as caught:
        Settings.load({**NEEDED, "KNOWHUB_EMBEDDER_KEY": text})
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(("text", "value"), [("0", 0.0), ("0.1", 0.1), ("1", 1.0), ("10", 10.0)])
def test_a_weight_is_a_number_from_0_to_10(text: str, value: float) -> None:
    assert weight(text) == value


@pytest.mark.parametrize("text", ["-1", "10.1", "nan", "inf", "much", ""])
def test_any_other_weight_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^is no"):
        weight(text)


def test_settings_without_models_have_none() -> None:
    loaded = Settings.load(NEEDED)
    assert (loaded.embedder, loaded.reranker, loaded.embedder_weight) == (None, None, None)
    assert (loaded.embedder_key, loaded.reranker_key) == (None, None)


def test_each_variable_that_does_not_fit_is_named_and_its_value_is_not_shown() -> None:
    bad = {
        "KNOWHUB_EMBEDDER": "openai:https://s3cret@api.example.com?model=m&length=8",
        "KNOWHUB_EMBEDDER_WEIGHT": "s3cret",
        "KNOWHUB_RERANKER": "s3cret:x",
        "KNOWHUB_RERANKER_KEY": "s3cret",
    }
    with pytest.raises(InvalidSettings) as caught:
        Settings.load({**NEEDED, **bad})
    assert [name for name in bad if name not in str(caught.value)] == []
    assert "s3cret" not in str(caught.value)
