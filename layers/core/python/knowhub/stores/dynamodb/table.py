"""The table port on one DynamoDB table."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from knowhub.errors import Contention, Unavailable
from knowhub.ports.table import Check, Delete, Item, Key, Operation, Page, Put, Query, Update, Write
from knowhub.ports.table_paging import Position, checked_query, is_void, read_cursor, write_cursor
from knowhub.ports.table_rules import checked_key, checked_transaction, checked_write
from knowhub.stores.dynamodb.expressions import (
    Placeholders,
    condition_expression,
    key_expression,
    key_names,
    update_expression,
)
from knowhub.stores.dynamodb.failures import translated
from knowhub.stores.dynamodb.values import Attribute, from_attributes, to_attributes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

ATTEMPTS = 6
"""Calls of a write that keeps meeting transactions, and of a batch that keeps coming back unfinished."""

_FIRST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5
_BATCH = 100

T = TypeVar("T")


class DynamoTable:
    """Rows in a DynamoDB table with the port's key, indexes and TTL attribute.

    Throttling and lost answers are the client's to retry, as it is configured; what this adds are retries of
    collisions and of unfinished batches. A client that retries after a lost answer may apply an increment twice.
    """

    def __init__(
        self, client: "DynamoDBClient", table_name: str, *, pause: Callable[[float], None] = time.sleep
    ) -> None:
        """Take a low-level client, which may be shared by threads; `pause` sleeps for so many seconds."""
        self._client = client
        self._name = table_name
        self._pause = pause

    def get(self, key: Key) -> Item | None:
        """Read one row, consistently; None where it is absent."""
        with translated():
            answer = self._client.get_item(TableName=self._name, Key=_key(checked_key(key)), ConsistentRead=True)
        return from_attributes(answer["Item"]) if "Item" in answer else None

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Read any number of rows, each consistently, absent ones left out."""
        # A batch may name a key once only.
        wanted = list(dict.fromkeys(checked_key(key, f"keys[{place}]") for place, key in enumerate(keys)))
        found: dict[Key, Item] = {}
        for start in range(0, len(wanted), _BATCH):
            for row in self._read_batch(wanted[start : start + _BATCH]):
                found[Key(str(row["pk"]), str(row["sk"]))] = row
        return {key: found[key] for key in wanted if key in found}

    def write(self, operation: Write) -> Item | None:
        """Apply one write and return the row as it then stands, None after a delete."""
        checked = checked_write(operation)
        _, request = _request(self._name, checked)
        match checked:
            case Put(item=item):
                self._patiently(lambda: self._client.put_item(**request))
                return dict(item)
            case Update():
                answer = self._patiently(lambda: self._client.update_item(**request, ReturnValues="ALL_NEW"))
                return from_attributes(answer["Attributes"])
            case Delete():
                self._patiently(lambda: self._client.delete_item(**request))
                return None

    def transact(self, operations: Sequence[Operation]) -> None:
        """Apply all operations or none."""
        requests: Any = [dict([_request(self._name, operation)]) for operation in checked_transaction(operations)]
        self._patiently(lambda: self._client.transact_write_items(TransactItems=requests))

    def query(self, query: Query) -> Page:
        """Read one page; consistent on the base table, eventually so on an index."""
        checked = checked_query(query)
        after = read_cursor(checked)
        if is_void(checked):
            return Page((), None)
        with translated():
            answer = self._client.query(**_query_request(self._name, checked, after))
        return _page(checked, answer["Items"], answer.get("LastEvaluatedKey"))

    def drop_expired(self, now: float) -> int:  # noqa: ARG002 - the table's own time to live reads the service's clock
        """Leave it to the table's time to live, which drops expired rows within days."""
        return 0

    def _read_batch(self, keys: Sequence[Key]) -> list[Item]:
        rows: list[Item] = []
        request: Any = {self._name: {"Keys": [_key(key) for key in keys], "ConsistentRead": True}}
        for attempt in range(ATTEMPTS):
            with translated():
                answer = self._client.batch_get_item(RequestItems=request)
            rows += [from_attributes(row) for row in answer["Responses"].get(self._name, [])]
            request = answer.get("UnprocessedKeys")
            if not request:
                return rows
            self._pause(_pause_after(attempt))
        raise Unavailable("The table is asked for more than it can do at the moment")

    def _patiently(self, call: Callable[[], T]) -> T:
        for attempt in range(ATTEMPTS - 1):
            try:
                with translated():
                    return call()
            except Contention:
                self._pause(_pause_after(attempt))
        with translated():
            return call()


def _pause_after(attempt: int) -> float:
    return random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt))  # noqa: S311  spreads writers, guards nothing


def _key(key: Key) -> dict[str, Any]:
    return {"pk": {"S": key.pk}, "sk": {"S": key.sk}}


def _request(table_name: str, operation: Operation) -> tuple[str, dict[str, Any]]:
    """Build an operation's request, in the form that single writes and transactions share, under the latter's name."""
    places = Placeholders()
    request: dict[str, Any] = {"TableName": table_name}
    match operation:
        case Put(item=item):
            verb = "Put"
            request["Item"] = to_attributes(item)
        case Update(key=key):
            verb = "Update"
            request |= {"Key": _key(key), "UpdateExpression": update_expression(operation, places)}
        case Delete(key=key):
            verb = "Delete"
            request["Key"] = _key(key)
        case Check(key=key):
            verb = "ConditionCheck"
            request["Key"] = _key(key)
    if operation.condition is not None:
        request["ConditionExpression"] = condition_expression(operation.condition, places)
    return verb, request | places.arguments()


def _query_request(table_name: str, query: Query, after: Position | None) -> dict[str, Any]:
    places = Placeholders()
    request: dict[str, Any] = {
        "TableName": table_name,
        "KeyConditionExpression": key_expression(query, places),
        "ConsistentRead": query.index is None,
        "ScanIndexForward": not query.descending,
        "Limit": query.limit,
    }
    if query.index:
        request["IndexName"] = query.index
    if after:
        partition, sort = key_names(query)
        place = {"pk": after.pk, "sk": after.sk} | {partition: query.partition, sort: after.sort}
        request["ExclusiveStartKey"] = to_attributes(place)
    return request | places.arguments()


def _page(query: Query, rows: Sequence[Mapping[str, Any]], last: Mapping[str, Attribute] | None) -> Page:
    _, sort = key_names(query)
    # Only a range with both bounds includes its end; going up, what follows the end is no concern any more.
    items = tuple(row for row in map(from_attributes, rows) if row[sort] != query.end)
    if last is None or (len(items) < len(rows) and not query.descending):
        return Page(items, None)
    place = from_attributes(last)
    return Page(items, write_cursor(query, Position(str(place[sort]), str(place["pk"]), str(place["sk"]))))
