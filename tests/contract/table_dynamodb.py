"""What the DynamoDB home does with answers that the imitation never gives."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import (
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)
from botocore.stub import ANY, Stubber

from knowhub.errors import (
    ConditionFailed,
    Contention,
    Internal,
    InvalidRequest,
    KnowhubError,
    PayloadTooLarge,
    Unavailable,
)
from knowhub.ports.table import (
    AllOf,
    AnyOf,
    Check,
    Condition,
    Delete,
    Exists,
    Key,
    Missing,
    NotEquals,
    Put,
    Query,
    Update,
)
from knowhub.stores.dynamodb.expressions import Placeholders, condition_expression
from knowhub.stores.dynamodb.table import ATTEMPTS, DynamoTable
from tests.contract.table_homes import dynamodb_client

KEY = Key("a", "1")
ROW = {"pk": {"S": "a"}, "sk": {"S": "1"}}
PUT = Put({"pk": "a", "sk": "1"})


class Bench:
    """A table whose service answers as it is told to, and the pauses that it makes between tries."""

    def __init__(self) -> None:
        self.client = dynamodb_client()
        self.stub = Stubber(self.client)
        self.pauses: list[float] = []
        self.table = DynamoTable(self.client, "catalog", pause=self.pauses.append)

    def fail(self, method: str, code: str, message: str = "", *, status: int = 400, reasons: Any = None) -> None:
        fields = None if reasons is None else {"CancellationReasons": reasons}
        self.stub.add_client_error(method, code, message, http_status_code=status, modeled_fields=fields)


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    with bench.stub:
        yield bench
        bench.stub.assert_no_pending_responses()
    bench.client.close()


@pytest.mark.parametrize(
    ("code", "status", "meaning"),
    [
        ("ProvisionedThroughputExceededException", 400, Unavailable),
        ("RequestLimitExceeded", 400, Unavailable),
        ("ThrottlingException", 400, Unavailable),
        ("TransactionInProgressException", 400, Unavailable),
        ("InternalServerError", 500, Unavailable),
        ("AnythingNew", 503, Unavailable),
        ("ConditionalCheckFailedException", 400, ConditionFailed),
        ("ResourceNotFoundException", 400, Internal),
        ("AccessDeniedException", 400, Internal),
        ("ValidationException", 400, Internal),
    ],
)
def test_a_failure_means_what_the_caller_can_do_about_it(
    bench: Bench, code: str, status: int, meaning: type[KnowhubError]
) -> None:
    bench.fail("put_item", code, "arn:secret", status=status)
    with pytest.raises(meaning) as failed:
        bench.table.write(PUT)
    assert "secret" not in failed.value.message
    assert bench.pauses == []


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        ("Item size has exceeded the maximum allowed size", PayloadTooLarge),
        ("Item size to update has exceeded the maximum allowed size", PayloadTooLarge),
        ("An operand in the update expression has an incorrect data type", InvalidRequest),
        ("Type mismatch for attribute to update", InvalidRequest),
        ("Number overflow. Attempting to store a number with magnitude larger than supported range", InvalidRequest),
        ("Attempting to store more than 38 significant digits in a Number", InvalidRequest),
    ],
)
def test_a_row_that_the_service_finds_invalid_is_told_alike_alone_and_in_a_transaction(
    bench: Bench, message: str, meaning: type[KnowhubError]
) -> None:
    bench.fail("update_item", "ValidationException", message)
    with pytest.raises(meaning):
        bench.table.write(Update(KEY, increments={"n": 1}))
    reasons = [{"Code": "None"}, {"Code": "ValidationError", "Message": message}]
    bench.fail("transact_write_items", "TransactionCanceledException", reasons=reasons)
    with pytest.raises(meaning):
        bench.table.transact([Delete(Key("a", "2")), Update(KEY, increments={"n": 1})])


@pytest.mark.parametrize(
    ("codes", "meaning"),
    [
        (["None", "ThrottlingError"], Unavailable),
        (["TransactionConflict", "ProvisionedThroughputExceeded"], Unavailable),
        (["ItemCollectionSizeLimitExceeded", "TransactionConflict"], Internal),
        (["ThrottlingError", "ConditionalCheckFailed"], ConditionFailed),
        (["None", "None"], Internal),
    ],
)
def test_a_cancelled_transaction_tells_its_weightiest_reason(
    bench: Bench, codes: list[str], meaning: type[KnowhubError]
) -> None:
    bench.fail("transact_write_items", "TransactionCanceledException", reasons=[{"Code": code} for code in codes])
    with pytest.raises(meaning):
        bench.table.transact([PUT, Delete(Key("a", "2"))])


def test_a_failed_condition_goes_before_other_reasons_and_names_its_operations(bench: Bench) -> None:
    codes = ["TransactionConflict", "ConditionalCheckFailed", "ValidationError", "ConditionalCheckFailed"]
    bench.fail("transact_write_items", "TransactionCanceledException", reasons=[{"Code": code} for code in codes])
    operations = [Check(Key("a", str(place)), Exists()) for place in range(4)]
    with pytest.raises(ConditionFailed) as failed:
        bench.table.transact(operations)
    assert failed.value.detail == {"operations": [1, 3]}


def test_a_collision_is_tried_again_after_a_pause(bench: Bench) -> None:
    conflict = [{"Code": "TransactionConflict"}, {"Code": "None"}]
    bench.fail("transact_write_items", "TransactionCanceledException", reasons=conflict)
    bench.fail("transact_write_items", "TransactionCanceledException", reasons=conflict)
    bench.stub.add_response("transact_write_items", {})
    bench.table.transact([PUT, Delete(Key("a", "2"))])
    bench.fail("update_item", "TransactionConflictException")
    bench.stub.add_response("update_item", {"Attributes": {**ROW, "n": {"N": "1"}}})
    assert bench.table.write(Update(KEY, increments={"n": 1})) == {"pk": "a", "sk": "1", "n": 1}
    assert len(bench.pauses) == 3


def test_a_collision_that_does_not_end_is_contention(bench: Bench) -> None:
    for _ in range(ATTEMPTS):
        bench.fail("delete_item", "TransactionConflictException")
    with pytest.raises(Contention):
        bench.table.write(Delete(KEY))
    assert len(bench.pauses) == ATTEMPTS - 1
    assert all(0 <= pause <= 0.5 for pause in bench.pauses)


def test_what_a_batch_left_over_is_asked_for_again(bench: Bench) -> None:
    second = {"pk": {"S": "a"}, "sk": {"S": "2"}}
    asked = {"catalog": {"Keys": [ROW, second], "ConsistentRead": True}}
    left = {"catalog": {"Keys": [second], "ConsistentRead": True}}
    bench.stub.add_response(
        "batch_get_item", {"Responses": {"catalog": [ROW]}, "UnprocessedKeys": left}, {"RequestItems": asked}
    )
    bench.stub.add_response("batch_get_item", {"Responses": {"catalog": [second]}}, {"RequestItems": left})
    assert list(bench.table.get_many([KEY, Key("a", "2")])) == [KEY, Key("a", "2")]
    assert len(bench.pauses) == 1


def test_a_batch_that_never_gets_done_is_unavailable_rather_than_short(bench: Bench) -> None:
    left = {"catalog": {"Keys": [ROW]}}
    for _ in range(ATTEMPTS):
        bench.stub.add_response("batch_get_item", {"Responses": {"catalog": []}, "UnprocessedKeys": left})
    with pytest.raises(Unavailable):
        bench.table.get_many([KEY])


def test_reads_of_the_base_table_are_consistent_and_those_of_an_index_are_not(bench: Bench) -> None:
    bench.stub.add_response("get_item", {}, {"TableName": "catalog", "Key": ROW, "ConsistentRead": True})
    assert bench.table.get(KEY) is None
    for index, consistent in ((None, True), ("list", False)):
        expected = {
            "TableName": "catalog",
            "KeyConditionExpression": "#n0 = :v0",
            "ExpressionAttributeNames": {"#n0": f"{index}_pk" if index else "pk"},
            "ExpressionAttributeValues": {":v0": {"S": "a"}},
            "ConsistentRead": consistent,
            "ScanIndexForward": True,
            "Limit": 100,
            **({"IndexName": index} if index else {}),
        }
        bench.stub.add_response("query", {"Items": []}, expected)
        assert bench.table.query(Query("a", index=index)).items == ()


@pytest.mark.parametrize("descending", [False, True])
def test_a_page_that_held_nothing_but_the_end_goes_on_downwards_only(bench: Bench, descending: bool) -> None:
    last = {"pk": {"S": "x"}, "sk": {"S": "1"}, "list_pk": {"S": "L"}, "list_sk": {"S": "z"}}
    bench.stub.add_response("query", {"Items": [last], "LastEvaluatedKey": last})
    page = bench.table.query(Query("L", index="list", start="a", end="z", limit=1, descending=descending))
    assert page.items == ()
    assert (page.cursor is not None) == descending
    if page.cursor:
        bench.stub.add_response("query", {"Items": []}, {**dict.fromkeys(_QUERY, ANY), "ExclusiveStartKey": last})
        bench.table.query(Query("L", index="list", start="a", end="z", limit=1, descending=True, cursor=page.cursor))


_QUERY = (
    "TableName", "IndexName", "KeyConditionExpression", "ExpressionAttributeNames", "ExpressionAttributeValues",
    "ConsistentRead", "ScanIndexForward", "Limit",
)  # fmt: skip


def test_a_value_of_a_type_that_the_port_has_not_is_told_and_not_guessed(bench: Bench) -> None:
    bench.stub.add_response("get_item", {"Item": {**ROW, "tags": {"SS": ["a"]}}})
    with pytest.raises(Internal):
        bench.table.get(KEY)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Exists("a"), "attribute_exists(#n0)"),
        (AllOf((AnyOf((AllOf((Exists("a"),)),)),)), "attribute_exists(#n0)"),
        (
            AllOf((AllOf((AnyOf((Exists("a"), Missing("b"))),)), Exists("b"))),
            "(attribute_exists(#n0) OR attribute_not_exists(#n1)) AND attribute_exists(#n1)",
        ),
        (
            AnyOf((AllOf((Exists("a"), Exists("b"))), Missing("a"))),
            "attribute_exists(#n0) AND attribute_exists(#n1) OR attribute_not_exists(#n0)",
        ),
        (
            AllOf((Exists("a"), AllOf((NotEquals("b", 1),)))),
            "attribute_exists(#n0) AND (NOT attribute_type(#n1, :v1) OR #n1 <> :v0)",
        ),
    ],
)
def test_a_condition_has_the_parentheses_that_it_needs_and_no_more(condition: Condition, expected: str) -> None:
    assert condition_expression(condition, Placeholders()) == expected


class BrokenLine:
    """Stands in for a client that gets no answer."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def get_item(self, **_: Any) -> Any:
        raise self._error


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (EndpointConnectionError(endpoint_url="https://table"), Unavailable),
        (ConnectTimeoutError(endpoint_url="https://table"), Unavailable),
        (ReadTimeoutError(endpoint_url="https://table"), Unavailable),
        (NoCredentialsError(), Internal),
        (ParamValidationError(report="a bug of ours"), ParamValidationError),
    ],
    ids=lambda case: type(case).__name__,
)
def test_a_client_that_gets_no_answer_is_unavailable_and_one_that_may_not_ask_is_not(
    error: Exception, meaning: type[Exception]
) -> None:
    client: Any = BrokenLine(error)
    with pytest.raises(meaning):
        DynamoTable(client, "catalog").get(KEY)
