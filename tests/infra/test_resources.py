"""Table, bucket, queues, logs and alarms: encrypted, kept as long as they should be, and watched."""

from typing import Any

import pytest
import yaml

from knowhub.ports.table import INDEXES
from tests.environments import ROOT
from tests.infra.stack import FUNCTIONS, stack

pytestmark = pytest.mark.sam

KEY = "arn:aws:kms:eu-central-1:000000000000:key/k"

QUEUES = {"DocumentQueue": "DocumentDeadLetters", "SyncQueue": "SyncDeadLetters"}


def _mapping(function: str) -> dict[str, Any]:
    (found,) = [
        one
        for one in stack().of_type("AWS::Lambda::EventSourceMapping").values()
        if one["FunctionName"] == {"Ref": function}
    ]
    return found


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, None),
        ({"DomainName": "hub.example.org"}, "CertificateArn"),
        ({"OidcIssuer": "https://id.example.org", "OidcAudience": "hub"}, "needs a DomainName"),
        (
            {"OidcIssuer": "https://id.example.org", "DomainName": "hub.example.org", "CertificateArn": "arn:c"},
            "OidcAudience",
        ),
        (
            {
                "OidcIssuer": "https://id.example.org",
                "OidcAudience": "hub",
                "DomainName": "hub.example.org",
                "CertificateArn": "arn:c",
            },
            None,
        ),
        ({"OpenSearchEndpoint": ""}, "OpenSearchEndpoint and OpenSearchDomainArn"),
        ({"CreateOpenSearchDomain": "true"}, "OpenSearchEndpoint and OpenSearchDomainArn"),
        ({"Embedder": "offline"}, None),
        ({"Embedder": "offline", "PyRuntime": "python3.11"}, "python3.12 or newer"),
        ({"Embedder": "none", "PyRuntime": "python3.11"}, None),
    ],
)
def test_parameters_that_do_not_go_together_are_refused(parameters: dict[str, str], words: str | None) -> None:
    home = {"OpenSearchEndpoint": "https://c.example.org", "OpenSearchDomainArn": "arn:aws:es:eu-central-1:0:domain/c"}
    refusals = stack(**{**home, **parameters}).refusals()
    assert [words in refusal for refusal in refusals] == [True] if words else refusals == []


def test_the_table_has_the_keys_and_indexes_that_the_port_promises() -> None:
    table = stack().properties("CatalogTable")
    assert [key["AttributeName"] for key in table["KeySchema"]] == ["pk", "sk"]
    indexes = {index["IndexName"]: index for index in table["GlobalSecondaryIndexes"]}
    assert tuple(indexes) == INDEXES
    for name, index in indexes.items():
        assert [key["AttributeName"] for key in index["KeySchema"]] == [f"{name}_pk", f"{name}_sk"]
        assert index["Projection"] == {"ProjectionType": "ALL"}
    assert {each["AttributeType"] for each in table["AttributeDefinitions"]} == {"S"}


def test_the_table_costs_nothing_idle_can_be_restored_and_outlives_the_stack() -> None:
    made = stack()
    table = made.properties("CatalogTable")
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    for name in ("CatalogTable", "RawBucket"):
        assert made.resources[name]["DeletionPolicy"] == made.resources[name]["UpdateReplacePolicy"] == "Retain"


def test_without_a_key_everything_is_encrypted_with_the_services_own() -> None:
    made = stack()
    assert "SSESpecification" not in made.properties("CatalogTable")
    assert _bucket_encryption({}) == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    for name, queue in made.of_type("AWS::SQS::Queue").items():
        assert queue["SqsManagedSseEnabled"] is True, name
        assert "KmsMasterKeyId" not in queue, name


def test_with_a_key_everything_is_encrypted_with_it() -> None:
    made = stack(KmsKeyArn=KEY)
    assert made.properties("CatalogTable")["SSESpecification"] == {
        "SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY,
    }  # fmt: skip
    assert _bucket_encryption({"KmsKeyArn": KEY}) == {
        "BucketKeyEnabled": True,
        "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": KEY},
    }
    for name, queue in made.of_type("AWS::SQS::Queue").items():
        assert queue["KmsMasterKeyId"] == KEY, name
        assert "SqsManagedSseEnabled" not in queue, name


def _bucket_encryption(parameters: dict[str, str]) -> dict[str, Any]:
    (rule,) = stack(**parameters).properties("RawBucket")["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    found: dict[str, Any] = rule
    return found


def test_the_bucket_is_closed_and_forgets() -> None:
    bucket = stack().properties("RawBucket")
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert len(bucket["PublicAccessBlockConfiguration"]) == 4
    assert "VersioningConfiguration" not in bucket
    rules = {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}
    assert rules["uploads-that-nobody-read"]["Prefix"] == "uploads/"
    assert rules["uploads-that-nobody-read"]["ExpirationInDays"] == 1
    assert rules["broken-multipart-uploads"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    # An expiry without a prefix would take the documents along.
    assert [rule["Id"] for rule in rules.values() if "ExpirationInDays" in rule and not rule.get("Prefix")] == []


def test_only_uploads_notify_and_the_queue_lets_them_before_the_bucket_asks() -> None:
    made = stack()
    (notice,) = made.properties("RawBucket")["NotificationConfiguration"]["QueueConfigurations"]
    assert notice["Filter"]["S3Key"]["Rules"] == [{"Name": "prefix", "Value": "uploads/"}]
    assert notice["Queue"] == {"Fn::GetAtt": ["DocumentQueue", "Arn"]}
    assert made.resources["RawBucket"]["DependsOn"] == "DocumentQueuePolicy"


def test_bucket_and_queues_refuse_what_is_not_encrypted_on_the_way() -> None:
    made = stack()
    policies = {
        **made.of_type("AWS::SQS::QueuePolicy"),
        **made.of_type("AWS::S3::BucketPolicy"),
    }
    closed = set()
    for policy in policies.values():
        for statement in policy["PolicyDocument"]["Statement"]:
            if statement["Effect"] == "Deny" and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}:
                closed |= {one["Ref"] for one in policy.get("Queues", [policy.get("Bucket")])}
    assert closed == {*QUEUES, *QUEUES.values(), "RawBucket"}


@pytest.mark.parametrize(("queue", "dead_letters"), QUEUES.items())
def test_work_that_fails_five_times_is_put_aside_for_a_fortnight(queue: str, dead_letters: str) -> None:
    made = stack()
    assert made.properties(queue)["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": [dead_letters, "Arn"]}, "maxReceiveCount": 5,
    }  # fmt: skip
    assert made.properties(dead_letters)["MessageRetentionPeriod"] == 14 * 86_400
    assert made.properties(queue).get("FifoQueue") == made.properties(dead_letters).get("FifoQueue")


def test_a_message_stays_hidden_for_as_long_as_its_work_may_take() -> None:
    made = stack()
    reader, sync = made.properties("ReaderFunction"), made.properties("SyncFunction")
    assert made.properties("DocumentQueue")["VisibilityTimeout"] >= 6 * reader["Timeout"]
    assert (sync["Timeout"], made.properties("SyncQueue")["VisibilityTimeout"]) == (300, 360)


def test_batches_name_what_failed_and_are_bounded() -> None:
    documents, runs = _mapping("ReaderFunction"), _mapping("SyncFunction")
    for mapping in (documents, runs):
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        assert int(mapping["ScalingConfig"]["MaximumConcurrency"]) >= 2
    assert (documents["BatchSize"], runs["BatchSize"]) == (5, 1)
    assert stack().properties("SyncQueue")["FifoQueue"] is True


def test_the_sync_function_is_called_every_minute_and_a_late_tick_is_dropped() -> None:
    made = stack()
    (rule,) = made.of_type("AWS::Events::Rule").values()
    assert rule["ScheduleExpression"] == "rate(1 minute)"
    (settings,) = made.of_type("AWS::Lambda::EventInvokeConfig").values()
    assert (settings["MaximumRetryAttempts"], settings["MaximumEventAgeInSeconds"]) == (0, 60)


def test_every_function_and_the_api_log_into_a_group_that_forgets() -> None:
    made = stack(LogRetentionDays="7")
    groups = made.of_type("AWS::Logs::LogGroup")
    assert {group["RetentionInDays"] for group in groups.values()} == {"7"}
    used = {made.properties(function)["LoggingConfig"]["LogGroup"]["Ref"] for function in FUNCTIONS}
    assert used | {"ApiLogs"} == set(groups)
    assert len(used) == len(FUNCTIONS)


def test_functions_are_not_traced_and_run_as_the_parameters_say() -> None:
    made = stack(PyRuntime="python3.12", Architecture="x86_64")
    for function in FUNCTIONS:
        properties = made.properties(function)
        assert (properties["Runtime"], properties["Architectures"]) == ("python3.12", ["x86_64"])
        assert properties["Handler"] == "app.handler"
        assert properties.get("TracingConfig", {"Mode": "PassThrough"}) == {"Mode": "PassThrough"}
        assert len(properties["Layers"]) == (3 if function == "ReaderFunction" else 2)


def _nested(name: str) -> dict[str, Any]:
    class Loader(yaml.SafeLoader):
        """Reads a reference as the name it refers to, a text to fill in as it stands, and other tags as nothing."""

    Loader.add_multi_constructor("!", lambda _loader, suffix, node: node.value if suffix in {"Ref", "Sub"} else None)
    loader = Loader((ROOT / "infra" / name).read_text(encoding="utf-8"))
    try:
        data: dict[str, Any] = loader.get_single_data()
    finally:
        loader.dispose()
    return data


def test_the_alarms_watch_errors_delays_and_dead_letters() -> None:
    alarms = {name: one["Properties"] for name, one in _nested("alarms.yaml")["Resources"].items()}
    watched = {(one["MetricName"], one["Dimensions"][0]["Value"]) for one in alarms.values()}
    assert watched == {
        ("5XXError", "ApiName"),
        ("Latency", "ApiName"),
        ("Errors", "SyncFunctionName"),
        ("ApproximateNumberOfMessagesVisible", "DocumentDeadLettersName"),
        ("ApproximateNumberOfMessagesVisible", "SyncDeadLettersName"),
        ("ApproximateAgeOfOldestMessage", "DocumentQueueName"),
        ("ApproximateAgeOfOldestMessage", "SyncQueueName"),
    }
    assert alarms["SlowAnswers"]["ExtendedStatistic"] == "p95"


@pytest.mark.parametrize(("name", "nested"), [("AlarmStack", "alarms.yaml"), ("OpenSearch", "opensearch.yaml")])
def test_a_nested_stack_is_given_every_parameter_that_it_has(name: str, nested: str) -> None:
    made = stack(CreateOpenSearchDomain="true")
    assert made.properties(name)["TemplateURL"].endswith(nested)
    assert set(made.properties(name)["Parameters"]) == set(_nested(nested)["Parameters"])


def test_nested_stacks_are_made_only_when_asked_for() -> None:
    assert set(stack(Alarms="false").of_type("AWS::CloudFormation::Stack")) == set()
    assert set(stack().of_type("AWS::CloudFormation::Stack")) == {"AlarmStack"}


def test_the_own_domain_is_encrypted_everywhere_and_open_to_the_functions_roles_only() -> None:
    domain = _nested("opensearch.yaml")["Resources"]["Domain"]["Properties"]
    assert domain["EngineVersion"] == "OpenSearch_2.19"
    assert domain["EncryptionAtRestOptions"]["Enabled"] is True
    assert domain["NodeToNodeEncryptionOptions"] == {"Enabled": True}
    assert domain["DomainEndpointOptions"]["EnforceHTTPS"] is True
    searching, indexes = ["HttpRoleArn", "McpRoleArn", "A2aRoleArn"], "${IndexPrefix}-*"
    granted = [
        (one["Principal"]["AWS"], one["Action"], [arn.partition("Name}/")[2] for arn in _listed(one["Resource"])])
        for one in domain["AccessPolicies"]["Statement"]
    ]
    assert granted == [
        (searching, "es:ESHttpGet", [indexes]),
        (searching, "es:ESHttpPost", [f"{indexes}/_count", f"{indexes}/_mget", f"{indexes}/_msearch"]),
        ("ReaderRoleArn", ["es:ESHttpDelete", "es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut"], [indexes]),
    ]
    assert domain["AdvancedOptions"] == {"rest.action.multi.allow_explicit_index": "false"}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
