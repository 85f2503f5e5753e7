"""How the settings name an OpenID issuer and what its groups mean."""

import json

import pytest

from knowhub.issuers import group_roles, issuer_address
from knowhub.settings import Http, InvalidSettings
from tests.unit.test_settings import NEEDED


@pytest.mark.parametrize(
    "text",
    ["https://id.example.org", "https://id.example.org/", "https://id.example.org/realms/a", "http://127.0.0.1:80/t"],
)
def test_an_issuer_is_kept_as_it_stands(text: str) -> None:
    assert issuer_address(f" {text} ") == text


@pytest.mark.parametrize(
    "text", ["id.example.org", "http://id.example.org", "https://u:p@h", "https://h?a=b", "https://h#f"]
)
def test_what_is_no_issuer_is_refused_without_its_value(text: str) -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_OIDC_ISSUER holds") as caught:
        Http.load({**NEEDED, "KNOWHUB_OIDC_ISSUER": text, "KNOWHUB_OIDC_AUDIENCE": "hub"})
    assert text not in str(caught.value)


def test_an_issuer_without_an_audience_is_refused() -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_OIDC_AUDIENCE is missing beside KNOWHUB_OIDC_ISSUER"):
        Http.load({**NEEDED, "KNOWHUB_OIDC_ISSUER": "https://id.example.org"})
    assert Http.load(NEEDED).oidc_issuer == ""


def test_groups_are_a_claim_and_roles() -> None:
    read = group_roles('{"claim": "cognito:groups", "roles": {"a": "admin", "s": "member"}, "default": "member"}')
    assert (read.claim, dict(read.roles), read.default) == ("cognito:groups", {"a": "admin", "s": "member"}, "member")
    assert group_roles('{"claim": "g", "roles": {}}').default is None
    assert [read.role(groups) for groups in (["s", "a"], ["s"], [])] == ["admin", "member", "member"]


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "null",
        '{"claim": "g"}',
        '{"roles": {}}',
        '{"claim": "", "roles": {}}',
        '{"claim": 1, "roles": {}}',
        '{"claim": "g", "roles": []}',
        '{"claim": "g", "roles": {"a": "owner"}}',
        '{"claim": "g", "roles": {"a": ["admin"]}}',
        '{"claim": "g", "roles": {}, "default": "admin"}',
        '{"claim": "g", "roles": {}, "other": 1}',
        json.dumps({"claim": "g", "roles": {str(number): "member" for number in range(201)}}),
    ],
)
def test_groups_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_OIDC_GROUPS is no"):
        Http.load({**NEEDED, "KNOWHUB_OIDC_GROUPS": text})


def test_the_bootstrap_secret_is_a_reference_and_never_the_secret() -> None:
    with pytest.raises(InvalidSettings, match="KNOWHUB_BOOTSTRAP_SECRET is no reference") as caught:
        Http.load({**NEEDED, "KNOWHUB_BOOTSTRAP_SECRET": "s3cret"})
    assert "s3cret" not in str(caught.value)
