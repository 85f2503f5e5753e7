"""HTTP through the host: events, answers, bodies, and what API Gateway refuses."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from knowhub_cli.local.payloads import json_bytes
from tests.integration.local_host.hosting import Running, until


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("routes")
    with Running(folder / "state", folder / "scratch") as running:
        yield running


def test_a_request_becomes_a_proxy_event(host: Running) -> None:
    response = host.client.post(
        "/api/a%20b/c?q=1&q=2&empty=",
        content="text",
        headers=[("X-Two", "1"), ("X-Two", "2"), ("X-Forwarded-For", "6.6.6.6")],
    )
    event = response.json()
    assert response.status_code == 200
    assert event["resource"] == "/api/{proxy+}"
    assert event["path"] == "/api/a b/c"
    assert event["httpMethod"] == "POST"
    assert event["pathParameters"] == {"proxy": "a b/c"}
    assert event["queryStringParameters"] == {"q": "2", "empty": ""}
    assert event["multiValueQueryStringParameters"] == {"q": ["1", "2"], "empty": [""]}
    assert event["multiValueHeaders"]["x-two"] == ["1", "2"]
    assert event["headers"]["x-forwarded-for"] == "127.0.0.1"
    assert (event["body"], event["isBase64Encoded"]) == ("text", False)
    context = event["requestContext"]
    assert context["identity"]["sourceIp"] == "127.0.0.1"
    assert context["httpMethod"] == "POST"
    assert context["domainName"] == "127.0.0.1"
    assert context["requestId"]


def test_a_request_without_query_and_body_says_so_with_null(host: Running) -> None:
    event = host.client.get("/items/7").json()
    assert event["pathParameters"] == {"item": "7"}
    assert event["queryStringParameters"] is None
    assert event["body"] is None


@pytest.mark.parametrize("content_type", ["multipart/form-data; boundary=x", "image/png", "application/pdf"])
def test_a_binary_body_goes_there_and_back_unchanged(host: Running, content_type: str) -> None:
    data = bytes(range(256)) * 10
    response = host.client.post("/api/back", content=data, headers={"Content-Type": content_type})
    assert response.content == data


def test_text_goes_there_and_back_unchanged(host: Running) -> None:
    response = host.client.post("/api/back", content="价格 ü".encode(), headers={"Content-Type": "application/json"})
    assert response.content.decode() == "价格 ü"


def test_headers_with_several_values_arrive_as_several_headers(host: Running) -> None:
    response = host.client.get("/api/headers")
    assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert response.headers["x-one"] == "1"
    assert response.headers["www-authenticate"] == "Bearer"


def test_head_gets_the_length_and_no_body(host: Running) -> None:
    response = host.client.head("/api/thing")
    assert int(response.headers["content-length"]) > 0
    assert response.content == b""


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("GET", "/nowhere"), ("POST", "/items/7"), ("GET", "/items/7/8")]
)
def test_what_no_route_takes_is_404_in_the_error_shape(host: Running, method: str, path: str) -> None:
    response = host.client.request(method, path)
    error = response.json()["error"]
    assert response.status_code == 404
    assert error["code"] == "ROUTE_NOT_FOUND"
    assert error["request_id"].startswith("req_")
    assert response.headers["x-request-id"] == error["request_id"]


def test_a_trailing_slash_does_not_matter(host: Running) -> None:
    event = host.client.get("/items/7/").json()
    assert (event["resource"], event["path"]) == ("/items/{item}", "/items/7/")


def test_a_request_that_is_cut_short_invokes_nothing(host: Running) -> None:
    address = ("127.0.0.1", int(host.host.url.rpartition(":")[2]))
    with socket.create_connection(address) as connection:
        connection.sendall(b"POST /api/meet/cut HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
    assert host.client.get("/api/x").status_code == 200
    assert not host.noted("met-cut")


def test_a_body_over_10_mib_is_413_with_the_functions_own_limit(host: Running) -> None:
    response = host.client.post("/api/back", content=b"x" * 30_000_000)
    assert response.status_code == 413
    assert response.json()["error"]["detail"] == {"limit": 4 * 1024 * 1024}


def test_a_binary_body_that_lambda_would_not_take_is_413(host: Running) -> None:
    response = host.client.post("/api/back", content=b"x" * 5_000_000, headers={"Content-Type": "image/png"})
    assert response.status_code == 413
    assert response.json()["error"]["detail"] == {"limit": 4 * 1024 * 1024}


def test_chinese_counts_its_bytes_and_not_its_escapes(host: Running) -> None:
    text = "知" * 1_500_000
    response = host.client.post("/api/back", content=text.encode(), headers={"Content-Type": "text/plain"})
    assert response.status_code == 200
    assert response.text == text


def test_half_a_surrogate_pair_travels_escaped() -> None:
    event = {"text": "知\ud800"}
    assert json.loads(json_bytes(event)) == event


@pytest.mark.parametrize("what", ["malformed", "fail", "large", "undeclared-stream", "split-header"])
def test_a_function_that_answers_nothing_usable_is_502_and_gives_nothing_away(host: Running, what: str) -> None:
    response = host.client.get(f"/api/{what}")
    assert response.status_code == 502
    assert response.json()["error"]["code"] == "INTERNAL"
    assert "secret" not in response.text
    assert "x-injected" not in response.headers


def test_the_reason_of_a_failure_stands_in_the_hosts_log(host: Running) -> None:
    host.client.get("/api/fail")
    assert any("RuntimeError: a secret inside" in line for line in host.lines)
    assert "RuntimeError: a secret inside" in host.log("host")


def test_the_worker_has_the_templates_environment_and_nothing_of_the_persons(host: Running) -> None:
    environment = host.client.get("/api/environment").json()
    assert environment["GREETING"] == "hello"
    assert environment["LIST"] == "a-b"
    assert environment["OVERRIDDEN"] == "by the host"
    assert environment["KNOWHUB_TABLE"] == f"sqlite:{host.state}/catalog.sqlite3"
    assert environment["KNOWHUB_CHUNK_INDEX"] == f"tantivy:{host.state}/chunks"
    assert environment["JOBS"] == f"sqlite:{host.state}/queues.sqlite3#Jobs"
    assert environment["PUBLIC_URL"] == host.host.url
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert "AWS_ACCESS_KEY_ID" not in environment
    assert "ABSENT" not in environment


def test_the_settings_environment_is_what_the_worker_gets(host: Running) -> None:
    environment = host.client.get("/api/environment").json()
    settings = host.host.settings_environment("WebFunction")
    assert settings.items() <= environment.items()


def test_what_a_function_prints_is_in_its_log(host: Running) -> None:
    host.client.get("/api/print")
    until(lambda: "printed by the function" in host.log("WebFunction"))


def test_a_function_knows_how_much_time_it_has_left(host: Running) -> None:
    assert 0 < host.client.get("/api/remaining").json() <= 20_000


def test_the_openness_of_a_websocket_is_declined(host: Running) -> None:
    response = host.client.get("/api/x", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    assert response.status_code == 200


def test_below_a_stage_prefix_paths_and_headers_are_as_without_a_domain(tmp_path: Path) -> None:
    with Running(tmp_path / "state", tmp_path / "scratch", changes={"stage_prefix": "prod"}) as host:
        assert host.client.get("/api/x").status_code == 404
        event = host.client.get("/prod/api/x").json()
        assert event["path"] == "/api/x"
        assert event["requestContext"]["path"] == "/prod/api/x"
        assert event["requestContext"]["stage"] == "prod"
        headers = host.client.get("/prod/api/headers").headers
        assert "www-authenticate" not in headers
        assert headers["x-amzn-remapped-www-authenticate"] == "Bearer"


def test_the_error_body_is_json(host: Running) -> None:
    assert json.loads(host.client.get("/nowhere").content)["error"]["detail"] == {"path": "/nowhere"}
