"""Which generator a setting names, and what is no such setting."""

import pytest

from knowhub.adapters import ports
from knowhub.choices import generator_choice
from tests.unit.test_model_adapters import settings

SECRET = "sk-made-up-0123"


def test_none_is_none_and_the_default() -> None:
    assert generator_choice("none") is None
    assert ports(settings()).generator is None


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("bedrock:amazon.nova-lite-v1:0", "bedrock:amazon.nova-lite-v1:0"),
        ("bedrock:anthropic.model-v1:0?profile=eu", "bedrock:eu.anthropic.model-v1:0"),
        ("openai:https://api.example.com/v1?model=some/model", "openai:api.example.com:some/model"),
        ("openai:http://127.0.0.1:11434/v1?model=m&limit=max_completion_tokens", "openai:127.0.0.1:m"),
    ],
)
def test_a_generator_is_made_without_asking_it(monkeypatch: pytest.MonkeyPatch, text: str, identity: str) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    made = ports(settings(GENERATOR=text)).generator
    assert made is not None
    assert made.identity == identity


@pytest.mark.parametrize(
    "text",
    [
        "", SECRET, "offline", "bedrock:", "bedrock:nodot", "bedrock:a.b?profile=E U", "bedrock:a.b?more=1",
        "openai:https://api.example.com/v1", "openai:http://api.example.com/v1?model=m",
        f"openai:https://{SECRET}@api.example.com/v1?model=m", "openai:https://api.example.com/v1?model=m&limit=x",
        f"openai:https://api.example.com/v1?model=m&key={SECRET}",
    ],
)  # fmt: skip
def test_what_names_no_generator_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        generator_choice(text)
    assert SECRET not in str(caught.value)
