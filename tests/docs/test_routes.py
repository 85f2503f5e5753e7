"""Every route describes itself in the OpenAPI file, and every command in docs/clients.md."""

import json
from typing import Any

import pytest

from knowhub.gateways.http.application import application
from knowhub.gateways.http.openapi import document
from knowhub_cli.main import knowhub
from tests.architecture import tree

DESCRIPTION = tree.ROOT / "infra" / "openapi.json"
CLIENTS = (tree.ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
METHODS = {"get", "put", "post", "delete", "patch"}


def operations() -> list[tuple[str, dict[str, Any]]]:
    paths = json.loads(DESCRIPTION.read_text(encoding="utf-8"))["paths"] if DESCRIPTION.exists() else {}
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
        if method in METHODS
    ]


@pytest.mark.parametrize(("route", "operation"), operations(), ids=[route for route, _ in operations()])
def test_a_route_says_what_it_does_and_answers(route: str, operation: dict[str, Any]) -> None:
    assert operation.get("summary"), route
    assert operation.get("description"), route
    assert operation.get("tags"), route
    assert any(status.startswith("2") for status in operation["responses"]), route
    assert all(answer.get("description") for answer in operation["responses"].values()), route


def test_the_committed_description_is_what_the_routes_say() -> None:
    committed = json.loads(DESCRIPTION.read_text(encoding="utf-8"))
    assert committed == document(application()), "run `make openapi`"


@pytest.mark.parametrize("name", sorted(knowhub.commands))
def test_a_command_is_documented(name: str) -> None:
    assert f"knowhub {name}" in CLIENTS
    assert knowhub.commands[name].help
