"""The context object."""

import pytest

from knowhub.runtime.context import Context, FunctionFacts, context_of
from knowhub.runtime.faults import RuntimeFault

FACTS = FunctionFacts.read(
    {
        "AWS_LAMBDA_FUNCTION_NAME": "ask",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024",
        "AWS_LAMBDA_LOG_GROUP_NAME": "/aws/lambda/ask",
        "AWS_LAMBDA_LOG_STREAM_NAME": "stream",
    }
)


def context(now: float = 0.0, **headers: str) -> Context:
    sent = {"lambda-runtime-aws-request-id": "r-1"}
    sent |= {f"lambda-runtime-{name.replace('_', '-')}": value for name, value in headers.items()}
    return context_of(sent, FACTS, lambda: now)


def test_the_facts_of_the_function_are_there() -> None:
    facts = context()
    assert facts.function_name == "ask"
    assert facts.function_version == "$LATEST"
    assert facts.memory_limit_in_mb == "1024"
    assert facts.log_group_name == "/aws/lambda/ask"
    assert facts.log_stream_name == "stream"


def test_the_facts_of_the_event_are_there() -> None:
    facts = context(invoked_function_arn="arn:aws:lambda:x", aws_tenant_id="t-1", deadline_ms="1700000000000")
    assert facts.aws_request_id == "r-1"
    assert facts.invoked_function_arn == "arn:aws:lambda:x"
    assert facts.tenant_id == "t-1"
    assert facts.deadline == 1_700_000_000_000


def test_what_was_not_sent_is_none_but_the_identity_is_always_an_object() -> None:
    facts = context()
    assert facts.invoked_function_arn is None
    assert facts.tenant_id is None
    assert facts.client_context is None
    assert facts.identity.cognito_identity_id is None
    assert facts.identity.cognito_identity_pool_id is None


@pytest.mark.parametrize(("now", "remaining"), [(99.0, 1_000), (99.9995, 1), (100.0, 0), (500.0, 0)])
def test_the_remaining_time_counts_down_to_zero(now: float, remaining: int) -> None:
    assert context(now, deadline_ms="100000").get_remaining_time_in_millis() == remaining


def test_a_cognito_identity_is_read() -> None:
    facts = context(cognito_identity='{"cognitoIdentityId": "id", "cognitoIdentityPoolId": "pool"}')
    assert facts.identity.cognito_identity_id == "id"
    assert facts.identity.cognito_identity_pool_id == "pool"


def test_a_client_context_is_read() -> None:
    facts = context(client_context='{"custom": {"a": 1}, "env": {"b": 2}, "client": {"app_title": "hub", "other": 1}}')
    assert facts.client_context is not None
    assert facts.client_context.custom == {"a": 1}
    assert facts.client_context.env == {"b": 2}
    assert facts.client_context.client is not None
    assert facts.client_context.client.app_title == "hub"
    assert facts.client_context.client.installation_id is None


def test_a_client_context_without_a_client_has_none() -> None:
    facts = context(client_context="{}")
    assert facts.client_context is not None
    assert facts.client_context.client is None


def test_trace_context_keeps_only_known_strings() -> None:
    facts = context(client_context='{"w3c": {"traceparent": "00-a", "tracestate": 1, "other": "x"}}')
    assert facts.w3c() == {"traceparent": "00-a"}
    assert context(client_context='{"w3c": "x"}').w3c() == {}
    assert context().w3c() == {}


@pytest.mark.parametrize("name", ["client_context", "cognito_identity"])
@pytest.mark.parametrize("value", ["{nope", "[1]", '"text"'])
def test_a_header_that_holds_no_json_object_is_a_fault(name: str, value: str) -> None:
    with pytest.raises(RuntimeFault) as fault:
        context(**{name: value})
    assert fault.value.error_type == "Runtime.LambdaContextUnmarshalError"


def test_log_writes_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    context().log("line")
    assert capsys.readouterr().out == "line"
