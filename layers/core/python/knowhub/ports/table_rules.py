"""The rules of the table port that hold in every home: which writes and conditions are in order.

Each `checked_*` function returns its argument in the form that a home carries out as it stands, or raises
`InvalidRequest` (`PayloadTooLarge` for size). Homes that call them first can't differ in what they refuse.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from knowhub.errors import PayloadTooLarge
from knowhub.ports.table import (
    INDEXES,
    MAX_CHANGES,
    MAX_CONDITION_DEPTH,
    MAX_CONDITIONS,
    MAX_ITEM_BYTES,
    MAX_PK_BYTES,
    MAX_SK_BYTES,
    MAX_TRANSACTION,
    MAX_TRANSACTION_BYTES,
    AllOf,
    AnyOf,
    AtLeast,
    Check,
    Condition,
    Delete,
    Equals,
    Exists,
    Item,
    Key,
    LessThan,
    NotEquals,
    Operation,
    Put,
    Scalar,
    Update,
    Value,
    Write,
)
from knowhub.ports.table_values import (
    check_name,
    check_row_size,
    check_text,
    is_number,
    normal_number,
    normal_row,
    refusal,
)

_INDEX_MEMBERS = {f"{name}_pk": MAX_PK_BYTES for name in INDEXES} | {f"{name}_sk": MAX_SK_BYTES for name in INDEXES}
_KEY_MEMBERS = {"pk": MAX_PK_BYTES, "sk": MAX_SK_BYTES}


def key_of(operation: Operation) -> Key:
    """Name the row that a checked operation touches."""
    if isinstance(operation, Put):
        return Key(str(operation.item["pk"]), str(operation.item["sk"]))
    return operation.key


def checked_key(key: Key, place: str = "key") -> Key:
    """Pass a key of two strings within their limits."""
    pk, sk = key
    return Key(check_text(pk, f"{place}.pk", limit=MAX_PK_BYTES), check_text(sk, f"{place}.sk", limit=MAX_SK_BYTES))


def checked_write(operation: Write) -> Write:
    """Pass one write."""
    checked, _ = _measured(operation, "operation")
    if isinstance(checked, Check):
        raise refusal("operation", "kind", "a check stands within a transaction only")
    return checked


def checked_transaction(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Pass 1 to `MAX_TRANSACTION` operations on distinct keys."""
    if not 1 <= len(operations) <= MAX_TRANSACTION:
        raise refusal("operations", "length", f"a transaction has 1 to {MAX_TRANSACTION} operations")
    measured = [_measured(operation, f"operations[{place}]") for place, operation in enumerate(operations)]
    if len({key_of(operation) for operation, _ in measured}) < len(measured):
        raise refusal("operations", "keys", "each operation of a transaction needs another key")
    if sum(size for _, size in measured) > MAX_TRANSACTION_BYTES:
        message = f"operations: together they are over the limit of {MAX_TRANSACTION_BYTES} bytes"
        raise PayloadTooLarge(message, {"limit": MAX_TRANSACTION_BYTES})
    return tuple(operation for operation, _ in measured)


def _measured(operation: Operation, place: str) -> tuple[Operation, int]:
    """Check one operation, and count the bytes of the values that it carries."""
    condition = None if operation.condition is None else _checked_condition(operation.condition, f"{place}.condition")
    match operation:
        case Put():
            item = normal_row(operation.item, f"{place}.item")
            _check_key_members(item, f"{place}.item")
            _check_index_members(item, f"{place}.item")
            return Put(item, condition), check_row_size(item, f"{place}.item", MAX_ITEM_BYTES)
        case Update():
            return _checked_update(operation, condition, place)
        case Delete():
            return Delete(checked_key(operation.key, f"{place}.key"), condition), 0
        case Check():
            if condition is None:
                raise refusal(place, "condition", "a check needs a condition")
            return Check(checked_key(operation.key, f"{place}.key"), condition), 0


def _checked_update(update: Update, condition: Condition | None, place: str) -> tuple[Update, int]:
    values = normal_row(update.values, f"{place}.values")
    _check_index_members(values, f"{place}.values")
    _check_increments(update.increments, f"{place}.increments")
    named = [*values, *update.increments, *update.removals]
    for name in named:
        check_name(name, f"{place} (a member's name)")
    if not 1 <= len(named) <= MAX_CHANGES:
        raise refusal(place, "length", f"an update names 1 to {MAX_CHANGES} members")
    if len(set(named)) < len(named):
        raise refusal(place, "members", "a member stands in one change only")
    if _KEY_MEMBERS.keys() & set(named):
        raise refusal(place, "members", "a key can't be changed")
    if not values and not update.increments:
        # Whether removals alone would create the row is undocumented on DynamoDB; so that nobody has to know:
        condition = Exists() if condition is None else AllOf((Exists(), condition))
    key = checked_key(update.key, f"{place}.key")
    checked = Update(key, values, dict(update.increments), tuple(update.removals), condition)
    return checked, check_row_size(values, f"{place}.values", MAX_ITEM_BYTES)


def _check_increments(increments: Mapping[str, int], place: str) -> None:
    for name, increment in increments.items():
        if not is_number(increment) or not isinstance(increment, int):
            raise refusal(f"{place}.{name}", "type", "an increment is an int")
        normal_number(increment, f"{place}.{name}")
        if name in _INDEX_MEMBERS:
            raise refusal(f"{place}.{name}", "members", "a member of an index is a string")


def _check_key_members(item: Item, place: str) -> None:
    for name, limit in _KEY_MEMBERS.items():
        check_text(item.get(name), f"{place}.{name}", limit=limit)


def _check_index_members(members: Item, place: str) -> None:
    # DynamoDB refuses a row whose index members are there but no keys, rather than leaving it out of the index.
    for name, limit in _INDEX_MEMBERS.items():
        if name in members:
            check_text(members[name], f"{place}.{name}", limit=limit)


def _checked_condition(condition: Condition, place: str) -> Condition:
    checked = _normal_condition(condition, place, 1)
    if sum(1 for _ in _leaves(checked)) > MAX_CONDITIONS:
        raise refusal(place, "length", f"has over {MAX_CONDITIONS} single conditions")
    return checked


def _normal_condition(condition: Condition, place: str, depth: int) -> Condition:
    if isinstance(condition, AllOf | AnyOf):
        if not condition.conditions:
            raise refusal(place, "length", "at least one condition is needed")
        if depth > MAX_CONDITION_DEPTH:
            raise refusal(place, "depth", f"is nested over {MAX_CONDITION_DEPTH} levels")
        parts = enumerate(condition.conditions)
        return type(condition)(tuple(_normal_condition(each, f"{place}[{at}]", depth + 1) for at, each in parts))
    check_name(condition.member, f"{place}.member")
    if isinstance(condition, Equals | NotEquals):
        return replace(condition, value=_scalar(condition.value, f"{place}.value"))
    if isinstance(condition, LessThan | AtLeast):
        return replace(condition, value=_ordered(condition.value, f"{place}.value"))
    return condition


def _scalar(value: Scalar, place: str) -> Scalar:
    if value is None or isinstance(value, bool):
        return value
    return _ordered(value, place)


def _ordered(value: Value, place: str) -> int | float | str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return normal_number(value, place)
    if not isinstance(value, str):
        raise refusal(place, "type", "is not of a kind that can be compared here")
    return check_text(value, place, limit=MAX_ITEM_BYTES, least=0)


def _leaves(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, AllOf | AnyOf):
        for each in condition.conditions:
            yield from _leaves(each)
    else:
        yield condition
