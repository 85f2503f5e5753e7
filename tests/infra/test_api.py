"""The REST API: routes, streaming, refusals, limits and domain."""

import json
import re
from typing import Any

import pytest

from tests.environments import ROOT
from tests.infra.stack import BUFFERED, STREAMING, Stack, stack

pytestmark = pytest.mark.sam

ROUTES = {
    ("POST", "/api/v1/ask"): "HttpFunction",
    ("POST", "/api/v1/kb/{kb_id}/ask"): "HttpFunction",
    ("ANY", "/api/v1/{proxy+}"): "HttpFunction",
    ("ANY", "/dify/{proxy+}"): "HttpFunction",
    ("ANY", "/mcp"): "McpFunction",
    ("ANY", "/.well-known/oauth-protected-resource"): "McpFunction",
    ("ANY", "/.well-known/oauth-protected-resource/mcp"): "McpFunction",
    ("ANY", "/a2a/{proxy+}"): "A2aFunction",
    ("ANY", "/.well-known/agent-card.json"): "A2aFunction",
    ("ANY", "/.well-known/agent.json"): "A2aFunction",
}

ASK = {route for route in ROUTES if route[1].endswith("/ask")}

REFUSALS = {
    "ACCESS_DENIED": ("403", "FORBIDDEN"),
    "DEFAULT_4XX": (None, "INVALID_REQUEST"),
    "DEFAULT_5XX": (None, "INTERNAL"),
    "INTEGRATION_FAILURE": ("503", "UNAVAILABLE"),
    "INTEGRATION_TIMEOUT": ("504", "UNAVAILABLE"),
    "MISSING_AUTHENTICATION_TOKEN": ("404", "ROUTE_NOT_FOUND"),
    "QUOTA_EXCEEDED": ("429", "RATE_LIMITED"),
    "REQUEST_TOO_LARGE": ("413", "PAYLOAD_TOO_LARGE"),
    "RESOURCE_NOT_FOUND": ("404", "ROUTE_NOT_FOUND"),
    "THROTTLED": ("429", "RATE_LIMITED"),
    "UNAUTHORIZED": ("401", "UNAUTHENTICATED"),
    "UNSUPPORTED_MEDIA_TYPE": ("415", "UNSUPPORTED_MEDIA_TYPE"),
    "WAF_FILTERED": ("403", "FORBIDDEN"),
}


def _body(made: Stack) -> dict[str, Any]:
    body: dict[str, Any] = made.properties("Api")["Body"]
    return body


def _integrations(made: Stack) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        ("ANY" if method == "x-amazon-apigateway-any-method" else method.upper(), path): operation[
            "x-amazon-apigateway-integration"
        ]
        for path, item in _body(made)["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    }


def _uri(integration: dict[str, Any]) -> str:
    return str(integration["uri"]["Fn::Sub"])


@pytest.mark.parametrize("switch", [STREAMING, BUFFERED])
def test_every_route_leads_to_its_function(switch: dict[str, str]) -> None:
    found = {
        route: re.findall(r"\{(\w+)\.Arn\}", _uri(integration))[0]
        for route, integration in _integrations(stack(**switch)).items()
    }
    assert found == ROUTES


def test_the_api_has_the_routes_that_the_functions_events_name() -> None:
    """The rights to invoke come from the events, the routes from the body: what stands in one only is dead."""
    sources = [
        permission["SourceArn"]["Fn::Sub"][0].split("${__Stage__}/")[1]
        for permission in stack().of_type("AWS::Lambda::Permission").values()
        if permission["Principal"] == "apigateway.amazonaws.com"
    ]
    routes = [f"{method.replace('ANY', '*')}{re.sub(r'{[^}]*}', '*', path)}" for method, path in ROUTES]
    assert sorted(sources) == sorted(routes)


@pytest.mark.parametrize(("switch", "streamed"), [(STREAMING, ASK), (BUFFERED, set())])
def test_exactly_the_ask_routes_stream_and_only_where_that_is_switched_on(
    switch: dict[str, str], streamed: set[tuple[str, str]]
) -> None:
    integrations = _integrations(stack(**switch))
    by_address = {route for route, one in integrations.items() if _uri(one).endswith("/response-streaming-invocations")}
    by_mode = {route for route, one in integrations.items() if one.get("responseTransferMode") == "STREAM"}
    assert by_address == by_mode == streamed
    assert all("lambda:path/2021-11-15/" in _uri(integrations[route]) for route in streamed)
    others = integrations.keys() - streamed
    assert all(re.search(r"lambda:path/2015-03-31/.*}/invocations$", _uri(integrations[route])) for route in others)


@pytest.mark.parametrize(("switch", "milliseconds"), [(STREAMING, 90_000), (BUFFERED, 29_000)])
def test_an_answer_may_take_as_long_as_the_transport_lets_it(switch: dict[str, str], milliseconds: int) -> None:
    made = stack(**switch)
    assert {_integrations(made)[route]["timeoutInMillis"] for route in ASK} == {milliseconds}
    assert made.properties("HttpFunction")["Timeout"] * 1000 >= milliseconds


def test_turning_the_switch_deploys_the_stage_anew() -> None:
    """SAM names a deployment by a hash of the body before conditions are decided, which the switch does not change."""
    template = (ROOT / "template.yaml").read_text(encoding="utf-8")
    assert re.search(r"^      AlwaysDeploy: true\b", template, re.MULTILINE)


def test_the_gateways_own_refusals_look_like_ours() -> None:
    found = _body(stack())["x-amazon-apigateway-gateway-responses"]
    assert {
        kind: (response.get("statusCode"), _error(response)["code"]) for kind, response in found.items()
    } == REFUSALS
    for response in found.values():
        error = _error(response)
        assert set(error) == {"code", "message", "detail", "request_id"}
        assert error["detail"] == {}
        assert error["request_id"] == "$context.requestId"
        assert response["responseParameters"]["gatewayresponse.header.X-Request-Id"] == "context.requestId"


def test_a_refusal_that_passes_says_when_to_come_back() -> None:
    found = _body(stack())["x-amazon-apigateway-gateway-responses"]
    waiting = {kind for kind, response in found.items() if _error(response)["code"] in {"RATE_LIMITED", "UNAVAILABLE"}}
    said = {
        kind
        for kind, response in found.items()
        if re.fullmatch(r"'\d+'", response["responseParameters"].get("gatewayresponse.header.Retry-After", ""))
    }
    assert said == waiting


def _error(response: dict[str, Any]) -> dict[str, Any]:
    error: dict[str, Any] = json.loads(response["responseTemplates"]["application/json"])["error"]
    return error


def test_files_reach_the_function_as_bytes() -> None:
    found = set(_body(stack())["x-amazon-apigateway-binary-media-types"])
    assert {"multipart/form-data", "application/pdf", "application/octet-stream", "image/*"} <= found
    assert found.isdisjoint({"*/*", "application/json", "text/*"})


def test_the_api_is_regional_throttled_and_logged_without_what_people_ask() -> None:
    made = stack(ThrottleRate="7", ThrottleBurst="9")
    assert made.properties("Api")["EndpointConfiguration"] == {"Types": ["REGIONAL"]}
    stage = made.properties("ApiStage")
    assert stage["MethodSettings"] == [
        {"ResourcePath": "/*", "HttpMethod": "*", "ThrottlingRateLimit": "7", "ThrottlingBurstLimit": "9"}
    ]
    assert stage["AccessLogSetting"]["DestinationArn"] == {"Fn::GetAtt": ["ApiLogs", "Arn"]}
    line = json.loads(stage["AccessLogSetting"]["Format"])
    assert {"request_id", "status", "latency_ms"} <= set(line)
    assert re.search(r"header|querystring|authorizer|apiKey\b", json.dumps(line), re.IGNORECASE) is None
    assert stage["TracingEnabled"] is False


@pytest.mark.parametrize(("parameters", "closed"), [({}, False), ({"DomainName": "hub.example.org"}, True)])
def test_a_domain_is_mapped_to_the_root_and_closes_the_default_endpoint(
    parameters: dict[str, str], closed: bool
) -> None:
    made = stack(**parameters)
    (server,) = _body(made)["servers"]
    assert server["x-amazon-apigateway-endpoint-configuration"] == {"disableExecuteApiEndpoint": closed}
    mappings = list(made.of_type("AWS::ApiGateway::BasePathMapping").values())
    assert len(mappings) == int(closed)
    assert all("BasePath" not in mapping for mapping in mappings)
    domains = list(made.of_type("AWS::ApiGateway::DomainName").values())
    assert [domain["SecurityPolicy"] for domain in domains] == ["TLS_1_2"] * int(closed)
