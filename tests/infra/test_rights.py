"""Each function may do what it does, and nothing else."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.infra.stack import FUNCTIONS, Stack, stack

pytestmark = pytest.mark.sam

INDEXES = "chunks/${OpenSearchPrefix}-*"
READ_CHUNKS = {
    INDEXES: {"es:ESHttpGet"},
    f"{INDEXES}/_count": {"es:ESHttpPost"},
    f"{INDEXES}/_mget": {"es:ESHttpPost"},
    f"{INDEXES}/_msearch": {"es:ESHttpPost"},
}
"""A search can neither write nor delete: both are a POST, to other places."""
READ_ROWS = {"dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"}
WRITE_ROWS = {"dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem"}
NOTE_USES = {"dynamodb:PutItem", "dynamodb:UpdateItem"}
"""What recognising a caller takes: when a key was last used, until when a session holds, whom an issuer sends."""
TAKE = {"sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
LOGS = {"logs:CreateLogStream", "logs:PutLogEvents"}

RIGHTS: dict[str, dict[str, set[str]]] = {
    "HttpFunction": {
        "HttpLogs": LOGS,
        "CatalogTable": READ_ROWS | WRITE_ROWS,
        "CatalogTable/index/list": {"dynamodb:Query"},
        "CatalogTable/index/state": {"dynamodb:Query"},
        "RawBucket": {"s3:ListBucket"},
        "RawBucket/derived/*": {"s3:GetObject"},
        "RawBucket/raw/*": {"s3:PutObject"},
        "RawBucket/uploads/*": {"s3:PutObject"},
        "DocumentQueue": {"sqs:SendMessage"},
        "BootstrapSecret": {"secretsmanager:GetSecretValue"},
        **READ_CHUNKS,
    },
    "McpFunction": {
        "McpLogs": LOGS,
        "CatalogTable": READ_ROWS | NOTE_USES,
        "RawBucket": {"s3:ListBucket"},
        "RawBucket/derived/*": {"s3:GetObject"},
        **READ_CHUNKS,
    },
    "A2aFunction": {
        "A2aLogs": LOGS,
        "CatalogTable": READ_ROWS | NOTE_USES,
        **READ_CHUNKS,
    },
    "SyncFunction": {
        "SyncLogs": LOGS,
        "CatalogTable": {"dynamodb:GetItem", "dynamodb:UpdateItem"},
        "CatalogTable/index/due": {"dynamodb:Query"},
        "DocumentQueue": {"sqs:SendMessage"},
        "SyncQueue": TAKE,
    },
    "ReaderFunction": {
        "ReaderLogs": LOGS,
        "CatalogTable": READ_ROWS | WRITE_ROWS,
        "CatalogTable/index/list": {"dynamodb:Query"},
        "RawBucket": {"s3:ListBucket"},
        "RawBucket/raw/*": {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
        "RawBucket/uploads/*": {"s3:DeleteObject", "s3:GetObject"},
        "RawBucket/derived/*": {"s3:DeleteObject", "s3:GetObject", "s3:PutObject"},
        "DocumentQueue": {"sqs:SendMessage"} | TAKE,
        INDEXES: {"es:ESHttpDelete", "es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut"},
    },
}

DOMAIN = "arn:aws:es:eu-central-1:000000000000:domain/chunks"


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _role(made: Stack, function: str) -> str:
    role: str = made.properties(function)["Role"]["Fn::GetAtt"][0]
    return role


def _statements(made: Stack, role: str) -> Iterator[dict[str, Any]]:
    for policy in made.properties(role)["Policies"]:
        yield from policy["PolicyDocument"]["Statement"]


def _name(resource: Any) -> str:
    """Name a resource as the table of rights does."""
    if "Ref" in resource:
        return str(resource["Ref"])
    if "Fn::GetAtt" in resource:
        return str(resource["Fn::GetAtt"][0])
    if str(resource["Fn::Sub"]).startswith("${OpenSearchDomainArn}/"):
        return str(resource["Fn::Sub"]).replace("${OpenSearchDomainArn}", "chunks")
    return str(resource["Fn::Sub"]).replace("${", "").replace(".Arn}", "")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_has_exactly_the_rights_of_the_table(function: str) -> None:
    made = stack(OpenSearchDomainArn=DOMAIN)
    found: dict[str, set[str]] = {}
    for statement in _statements(made, _role(made, function)):
        assert set(statement) == {"Sid", "Effect", "Action", "Resource"}
        assert statement["Effect"] == "Allow"
        for resource in _listed(statement["Resource"]):
            found.setdefault(_name(resource), set()).update(_listed(statement["Action"]))
    assert found == RIGHTS[function]


SEARCHING = {"HttpFunction", "McpFunction", "A2aFunction"}
EMBEDDING = SEARCHING | {"ReaderFunction"}
OWN = "arn:${AWS::Partition}"
PLACE = "${AWS::Region}:${AWS::AccountId}"

TITAN = f"{OWN}:bedrock:${{AWS::Region}}::foundation-model/amazon.titan-embed-text-v2:0"
COHERE = f"{OWN}:bedrock:${{AWS::Region}}::foundation-model/cohere.embed-multilingual-v3"
RERANK = f"{OWN}:bedrock:${{AWS::Region}}::foundation-model/cohere.rerank-v3-5:0"
WRITER = f"{OWN}:bedrock:${{AWS::Region}}::foundation-model/amazon.nova-lite-v1:0"
SECRET = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:hub/openai-AbC123"
OPENAI = "openai:https://api.example.com/v1?model=text-embedding-3-small"


@pytest.mark.parametrize(
    ("parameters", "expected", "functions"),
    [
        ({}, {}, set()),
        ({"Embedder": "offline"}, {}, set()),
        ({"Embedder": "bedrock:amazon.titan-embed-text-v2:0"}, {TITAN: "bedrock:InvokeModel"}, EMBEDDING),
        (
            {"Embedder": "bedrock:amazon.titan-embed-text-v2:0?dimensions=512"},
            {TITAN: "bedrock:InvokeModel"},
            EMBEDDING,
        ),
        ({"Embedder": "bedrock:cohere.embed-multilingual-v3"}, {COHERE: "bedrock:InvokeModel"}, EMBEDDING),
        ({"Embedder": OPENAI}, {}, set()),
        (
            {"Embedder": OPENAI, "EmbedderKey": "ssm:/hub/openai"},
            {f"{OWN}:ssm:{PLACE}:parameter/hub/openai": "ssm:GetParameter"},
            EMBEDDING,
        ),
        (
            {"Embedder": OPENAI, "EmbedderKey": f"secretsmanager:{SECRET}"},
            {SECRET: "secretsmanager:GetSecretValue"},
            EMBEDDING,
        ),
        ({"Reranker": "bedrock:cohere.rerank-v3-5:0"}, {RERANK: "bedrock:InvokeModel"}, SEARCHING),
        (
            {"Reranker": "http:https://rerank.example.com/v2/rerank?model=m", "RerankerKey": "ssm:/rerank"},
            {f"{OWN}:ssm:{PLACE}:parameter/rerank": "ssm:GetParameter"},
            SEARCHING,
        ),
        (
            {"Reranker": "http:https://rerank.example.com/?model=m", "RerankerKey": f"secretsmanager:{SECRET}"},
            {SECRET: "secretsmanager:GetSecretValue"},
            SEARCHING,
        ),
        (
            {"Generator": "bedrock:amazon.nova-lite-v1:0"},
            {WRITER: "bedrock:InvokeModelWithResponseStream"},
            SEARCHING,
        ),
        (
            {"Generator": "openai:https://api.example.com/v1?model=m", "GeneratorKey": "ssm:/writer"},
            {f"{OWN}:ssm:{PLACE}:parameter/writer": "ssm:GetParameter"},
            SEARCHING,
        ),
    ],
)
def test_a_chosen_model_gives_the_functions_that_ask_it_the_right_to_it_alone(
    parameters: dict[str, str], expected: dict[str, str], functions: set[str]
) -> None:
    made = stack(OpenSearchDomainArn=DOMAIN, **parameters)
    for function in FUNCTIONS:
        added = {
            one["Resource"]: one["Action"]
            for one in _statements(made, _role(made, function))
            if str(one["Sid"]).startswith(("Embedder", "Reranker", "Generator"))
        }
        assert added == (expected if function in functions else {}), function


def test_every_function_has_a_role_of_its_own_that_only_lambda_takes() -> None:
    made = stack()
    roles = [_role(made, function) for function in FUNCTIONS]
    assert len(set(roles)) == len(FUNCTIONS)
    for role in roles:
        trust = made.properties(role)["AssumeRolePolicyDocument"]["Statement"]
        assert trust == [
            {"Effect": "Allow", "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}
        ]
        assert "ManagedPolicyArns" not in made.properties(role)


@pytest.mark.parametrize("parameters", [{}, {"KmsKeyArn": "arn:aws:kms:eu-central-1:000000000000:key/k"}])
def test_no_right_has_a_wildcard_action_or_a_bare_wildcard_resource(parameters: dict[str, str]) -> None:
    made = stack(**parameters)
    statements = [statement for function in FUNCTIONS for statement in _statements(made, _role(made, function))]
    assert len(statements) > 20
    assert [one for one in statements if any("*" in action for action in _listed(one["Action"]))] == []
    assert [one for one in statements if "*" in _listed(one["Resource"])] == []


def test_a_key_of_ones_own_gives_its_use_and_no_more() -> None:
    key = "arn:aws:kms:eu-central-1:000000000000:key/k"
    made = stack(KmsKeyArn=key)
    for function in FUNCTIONS:
        granted = [one for one in _statements(made, _role(made, function)) if one["Sid"] == "Key"]
        assert granted == [
            {"Sid": "Key", "Effect": "Allow", "Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": key}
        ]


def test_a_stack_with_its_own_domain_names_the_domain_that_it_makes() -> None:
    made = stack(CreateOpenSearchDomain="true")
    (name,) = [stack_["Parameters"]["DomainName"] for stack_ in made.of_type("AWS::CloudFormation::Stack").values()
               if "DomainName" in stack_["Parameters"]]  # fmt: skip
    separator, (prefix, unique) = name["Fn::Join"]
    (chunks,) = [one for one in _statements(made, "ReaderRole") if one["Sid"] == "Chunks"]
    ((arn, named),) = [resource["Fn::Sub"] for resource in chunks["Resource"]]
    assert (separator, prefix) == ("-", "knowhub")
    assert arn.endswith(":domain/knowhub-${Unique}/${OpenSearchPrefix}-*")
    assert named == {"Unique": unique}


def test_rights_to_invoke_do_not_grow_with_the_interface() -> None:
    """A function's resource policy may have 20 KB, which one permission for each route would fill."""
    made = stack()
    permissions = list(made.of_type("AWS::Lambda::Permission").values())
    counted = {
        function: [one for one in permissions if one["FunctionName"] == {"Ref": function}] for function in FUNCTIONS
    }
    assert {function: len(found) for function, found in counted.items()} == {
        "HttpFunction": 4, "McpFunction": 3, "A2aFunction": 3, "SyncFunction": 1, "ReaderFunction": 0,
    }  # fmt: skip
    # The stored statement has a generated id and full ARNs in place of the intrinsics: twice their length covers both.
    assert max(2 * len(json.dumps(found)) for found in counted.values()) < 20_000
    assert {one["Principal"] for one in permissions} == {"apigateway.amazonaws.com", "events.amazonaws.com"}
    assert all("SourceArn" in one for one in permissions)


def test_only_the_bucket_of_this_account_may_send_to_the_document_queue() -> None:
    made = stack()
    allowed = [
        statement
        for policy in made.of_type("AWS::SQS::QueuePolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Allow"
    ]
    (statement,) = allowed
    assert statement["Principal"] == {"Service": "s3.amazonaws.com"}
    assert statement["Action"] == "sqs:SendMessage"
    assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    _, (prefix, unique) = statement["Condition"]["ArnEquals"]["aws:SourceArn"]["Fn::Join"]
    _, (name, same) = made.properties("RawBucket")["BucketName"]["Fn::Join"]
    assert prefix == {"Fn::Sub": f"arn:${{AWS::Partition}}:s3:::{name}-"}
    assert same == unique
