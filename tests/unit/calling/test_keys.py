"""Keys by reference: read late, once, and shown nowhere."""

from pathlib import Path
from typing import Any

import pytest

from knowhub.calling.keys import Key, KeyReaders
from knowhub.choices import KeyReference, key_reference
from knowhub.settings import InvalidSettings

SECRET = "sk-made-up-0123"


class Service:
    """Stands in for the two services' clients, and remembers what they were asked."""

    def __init__(self, secret: str = SECRET) -> None:
        self.secret = secret
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def client(self, name: str) -> "Service":
        self.asked.append((name, {}))
        return self

    def get_parameter(self, **arguments: Any) -> dict[str, Any]:
        self.asked.append(("get_parameter", arguments))
        return {"Parameter": {"Value": self.secret}}

    def get_secret_value(self, **arguments: Any) -> dict[str, Any]:
        self.asked.append(("get_secret_value", arguments))
        return {"SecretString": self.secret}


def key(reference: str, service: Service | None = None) -> Key:
    readers = KeyReaders((service or Service()).client).by_scheme()
    return Key("KNOWHUB_EMBEDDER_KEY", key_reference(reference), readers)


def test_a_file_holds_the_key_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{SECRET}\n", encoding="ascii")
    assert key(f"file:{tmp_path}/key").secret() == SECRET


def test_a_variable_holds_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MADE_UP_KEY", SECRET)
    assert key("env:MADE_UP_KEY").secret() == SECRET


def test_a_parameter_is_decrypted_and_asked_for_once_and_late() -> None:
    service = Service()
    one = key("ssm:/hub/key", service)
    assert service.asked == []
    assert [one.secret(), one.secret()] == [SECRET, SECRET]
    assert service.asked == [("ssm", {}), ("get_parameter", {"Name": "/hub/key", "WithDecryption": True})]


def test_a_secret_is_asked_for_by_its_arn() -> None:
    service = Service()
    arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:k-AbC123"
    assert key(f"secretsmanager:{arn}", service).secret() == SECRET
    assert service.asked[1:] == [("get_secret_value", {"SecretId": arn})]


@pytest.mark.parametrize("found", ["", "  \n", "two words", "line\nbreak", "x" * 5000, "schlüssel", "a\x00b"])
def test_what_can_be_no_key_is_refused_without_being_shown(found: str) -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_EMBEDDER_KEY leads to what is no key") as caught:
        key("ssm:/k", Service(found)).secret()
    assert not found.strip() or found.strip() not in str(caught.value)


@pytest.mark.parametrize("reference", ["file:/does/not/exist", "env:KNOWHUB_SURELY_NOT_SET"])
def test_what_is_not_there_is_told_by_the_settings_name_and_tried_again(reference: str) -> None:
    one = key(reference)
    for _ in range(2):
        with pytest.raises(InvalidSettings, match="KNOWHUB_EMBEDDER_KEY leads to nothing that can be read"):
            one.secret()


def test_an_error_that_quotes_the_key_does_not_travel(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{SECRET}\u00fc", encoding="utf-8")
    with pytest.raises(InvalidSettings) as caught:
        key(f"file:{tmp_path}/key").secret()
    assert SECRET not in f"{caught.value}{caught.value.__cause__}"
    assert caught.value.__suppress_context__


def test_a_key_shows_its_settings_name_only() -> None:
    one = Key("KNOWHUB_RERANKER_KEY", KeyReference("env", "X"), {"env": lambda _: SECRET})
    one.secret()
    assert repr(one) == "Key(KNOWHUB_RERANKER_KEY)"
