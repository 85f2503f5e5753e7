"""Each function is given exactly the variables that its settings read."""

import pytest

from knowhub import settings
from knowhub.stores.opensearch.places import Place, place_of
from tests.infra.stack import BUFFERED, FUNCTIONS, STREAMING, stack

pytestmark = pytest.mark.sam

MODELS: dict[str, type[settings.Settings]] = {
    "HttpFunction": settings.Http,
    "McpFunction": settings.Mcp,
    "A2aFunction": settings.A2a,
    "SyncFunction": settings.Sync,
    "ReaderFunction": settings.Reader,
}

POWERTOOLS = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_LOG_LEVEL", "POWERTOOLS_METRICS_NAMESPACE"}
"""Read by Powertools itself."""

WRAPPER = "AWS_LAMBDA_EXEC_WRAPPER"
"""Read by Lambda before any of our code runs."""


def _variables(function: str, **parameters: str) -> dict[str, object]:
    found: dict[str, object] = stack(**parameters).properties(function)["Environment"]["Variables"]
    return found


def _known(function: str) -> set[str]:
    return set(MODELS[function].variables())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_gets_the_variables_that_its_settings_know(function: str) -> None:
    assert set(_variables(function)) - POWERTOOLS - {WRAPPER} == _known(function)
    assert set(_variables(function)) >= POWERTOOLS


def _secret(value: object) -> str:
    """Fill in the ARN that a reference to the stack's own secret comes to."""
    assert value == {"Fn::Sub": "secretsmanager:${BootstrapSecret}"}
    return "secretsmanager:arn:aws:secretsmanager:eu-central-1:111122223333:secret:BootstrapSecret-AbC123"


def test_an_issuer_that_is_trusted_reaches_the_settings() -> None:
    given = _variables(
        "McpFunction",
        OidcIssuer="https://id.example.org/",
        OidcAudience="hub",
        OidcGroups='{"claim": "groups", "roles": {"admins": "admin"}}',
        OpenSearchEndpoint="https://chunks.example.org",
    )
    loaded = settings.Mcp.load({name: value if isinstance(value, str) else "x" for name, value in given.items()})
    assert (loaded.oidc_issuer, loaded.oidc_audience) == ("https://id.example.org/", "hub")
    assert loaded.oidc_groups is not None
    assert loaded.oidc_groups.roles == {"admins": "admin"}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_functions_settings_load_from_what_the_template_gives(function: str) -> None:
    given = {name: value if isinstance(value, str) else "arn:of:a:resource" for name, value in _variables(
        function, OpenSearchEndpoint="https://chunks.example.org").items()}  # fmt: skip
    given |= {name: _secret(value) for name, value in _variables(function).items() if name.endswith("_SECRET")}
    loaded = MODELS[function].load(given)
    assert loaded.chunk_index == "https://chunks.example.org/knowhub?shards=1"
    assert place_of(loaded.chunk_index) == Place("chunks.example.org", 443, tls=True, signed=True, prefix="knowhub")


def test_the_models_that_were_chosen_reach_the_settings() -> None:
    parameters = {
        "Embedder": "openai:https://api.example.com/v1?model=m&dimensions=256",
        "EmbedderWeight": "0.5",
        "EmbedderKey": "ssm:/hub/key",
        "Reranker": "bedrock:amazon.rerank-v1:0",
        "OpenSearchEndpoint": "https://chunks.example.org",
    }
    given = _variables("McpFunction", **parameters)
    loaded = settings.Mcp.load({name: value if isinstance(value, str) else "x" for name, value in given.items()})
    assert loaded.embedder is not None
    assert (loaded.embedder.model, loaded.embedder.length, loaded.embedder_weight) == ("m", 256, 0.5)
    assert loaded.embedder_key is not None
    assert (loaded.embedder_key.scheme, loaded.embedder_key.name) == ("ssm", "/hub/key")
    assert loaded.reranker is not None
    assert loaded.reranker.model == "amazon.rerank-v1:0"


@pytest.mark.parametrize(("switch", "wrapper"), [(STREAMING, "/opt/knowhub-stream"), (BUFFERED, None)])
def test_only_the_http_function_runs_under_the_streaming_loop_and_only_to_stream(
    switch: dict[str, str], wrapper: str | None
) -> None:
    assert _variables("HttpFunction", **switch).get(WRAPPER) == wrapper
    assert _variables("HttpFunction", **switch)["KNOWHUB_ASK_STREAMING"] == switch["AskStreaming"]
    assert [function for function in FUNCTIONS[1:] if WRAPPER in _variables(function, **switch)] == []


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ""),
        ({"PublicUrl": "https://a.example.org/live"}, "https://a.example.org/live"),
        ({"DomainName": "hub.example.org"}, {"Fn::Sub": "https://${DomainName}"}),
        ({"DomainName": "hub.example.org", "PublicUrl": "https://front.example.org"}, "https://front.example.org"),
    ],
)
def test_advertised_urls_start_with_what_was_given_or_the_domain(parameters: dict[str, str], expected: object) -> None:
    assert _variables("A2aFunction", **parameters)["PUBLIC_URL"] == expected


def test_the_stacks_own_domain_becomes_the_home_of_the_chunks() -> None:
    given = _variables("ReaderFunction", CreateOpenSearchDomain="true")
    assert given["KNOWHUB_CHUNK_INDEX"] == {
        "Fn::Sub": "https://${OpenSearch.Outputs.Endpoint}/${OpenSearchPrefix}?shards=${OpenSearchShards}"
    }


def test_service_names_tell_the_functions_apart() -> None:
    assert [_variables(function)["POWERTOOLS_SERVICE_NAME"] for function in FUNCTIONS] == [
        "http", "mcp", "a2a", "sync", "reader",
    ]  # fmt: skip
