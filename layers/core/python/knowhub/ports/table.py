"""The table port: rows by key, conditional writes, transactions, and queries by partition.

A row is a map of JSON-like values. Two members, `pk` and `sk`, are its key. An index named `x` (one of `INDEXES`) holds
every row that has both `x_pk` and `x_sk`. `expires_at` (epoch seconds) lets the store drop the row some time later;
until then reads return it, so a reader must check it by itself.

Values. Numbers are kept as decimals, so a whole number below 10**38 comes back as an int even where a float was given
(`1.0` is `1`, `-0.0` is `0`), and any other number as a float. Ints from 10**38 on are refused, and so are floats that
are not finite or outside 1e-130 to 1e126, lone surrogates, empty member names at any depth, and lists and maps nested
over `MAX_DEPTH`. Tuples come back as lists. Empty strings, lists and maps are kept. `table_rules.py` and
`table_values.py` check all of this for every home and raise `InvalidRequest`, whose detail names the place.

Retries. Each home retries a collision by itself, at random intervals, before it raises `Contention`: then nothing was
written. `Unavailable` from a write leaves open whether it was applied; make such writes conditional or repeatable.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

Value: TypeAlias = "bool | int | float | str | Sequence[Value] | Mapping[str, Value] | None"
Item: TypeAlias = dict[str, Value]
Scalar: TypeAlias = "bool | int | float | str | None"

INDEXES = ("list", "state", "due")
"""Names of the secondary indexes; `template.yaml` declares the same ones."""

MAX_ITEM_BYTES = 400_000
"""Of one row as compact JSON in UTF-8, and one more for each number, list and map; the store's own limit is 400 KB.

A row that an update makes is measured by the store: on DynamoDB it may grow to 409,600 bytes by that service's count.
"""

MAX_PK_BYTES = 2048
"""Of a partition, in UTF-8; the same for the partition of an index."""

MAX_SK_BYTES = 1024
"""Of a sort key, in UTF-8; the same for the sort key of an index."""

MAX_MEMBER_BYTES = 255
"""Of a member's name, in UTF-8."""

MAX_DEPTH = 30
"""Lists and maps within each other below the row."""

MAX_CHANGES = 100
"""Members that one update names."""

MAX_CONDITIONS = 50
"""Single conditions in one condition, in at most `MAX_CONDITION_DEPTH` nested `AllOf` and `AnyOf`."""

MAX_CONDITION_DEPTH = 8

MAX_TRANSACTION = 100
"""Operations in one transaction, each on another key."""

MAX_TRANSACTION_BYTES = 4_000_000
"""Of the rows that a transaction puts and the values that it sets, measured as a row is."""

MAX_PAGE = 1000
"""Rows in one page."""


class Key(NamedTuple):
    """A row's key: the partition, and the place in it, which sorts by UTF-8 bytes. Neither is empty."""

    pk: str
    sk: str


@dataclass(frozen=True, slots=True)
class Exists:
    """The row is there and has this member (with any value, None too)."""

    member: str = "pk"


@dataclass(frozen=True, slots=True)
class Missing:
    """The row is absent or lacks this member."""

    member: str = "pk"


@dataclass(frozen=True, slots=True)
class Equals:
    """The member is there with exactly this scalar value: `True` is not 1, and None is not absent."""

    member: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class NotEquals:
    """The member is absent or has any other value; the contrary of `Equals`."""

    member: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class LessThan:
    """The member is there, of the same kind (number or string), and less; strings compare by UTF-8 bytes."""

    member: str
    value: int | float | str


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The member is there, of the same kind (number or string), and not less."""

    member: str
    value: int | float | str


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every condition holds; at least one is given."""

    conditions: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one condition holds; at least one is given."""

    conditions: tuple["Condition", ...]


Condition: TypeAlias = Exists | Missing | Equals | NotEquals | LessThan | AtLeast | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Put:
    """Replace or create the whole row; `item` holds `pk` and `sk`. Members of an index are non-empty strings."""

    item: Mapping[str, Value]
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Change members of a row, creating it where it is absent.

    `values` are set, `increments` (ints) are added to a number that counts as 0 where absent, `removals` go.
    A member stands in at most one of the three; `pk` and `sk` in none; an index's member is never incremented. One to
    `MAX_CHANGES` members are named. Removals alone create no row: they fail as a condition does where it is absent.
    An increment of anything but a number, or to over 38 digits, raises `InvalidRequest`, after the condition was
    checked. Sums with a fraction are exact to what a float holds, so count in whole numbers.
    """

    key: Key
    values: Mapping[str, Value] = field(default_factory=dict)
    increments: Mapping[str, int] = field(default_factory=dict)
    removals: tuple[str, ...] = ()
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Remove the row; removing an absent row succeeds unless the condition says otherwise."""

    key: Key
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Within a transaction only: refuse the whole unless the condition holds on this row."""

    key: Key
    condition: Condition


Write: TypeAlias = Put | Update | Delete
Operation: TypeAlias = Put | Update | Delete | Check


@dataclass(frozen=True, slots=True)
class Query:
    """Rows of one partition, of the base table or of an index, in order of their sort key.

    `prefix` restricts the sort key; `start` (inclusive) and `end` (exclusive) bound it, and exclude `prefix`; bounds
    that enclose nothing give an empty page. `limit` is 1 to `MAX_PAGE` rows a page, and may change from page to page.
    `cursor` is the previous page's. An index lags behind the table on AWS, and rows that share its sort key come in no
    particular order, each once.
    """

    partition: str
    index: str | None = None
    prefix: str = ""
    start: str | None = None
    end: str | None = None
    limit: int = 100
    cursor: str | None = None
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in order; `cursor` is None when there are no more, and a page may be short or empty before that.

    A page ends early after about 1 MB. A cursor is opaque, safe in a URL, good in either home, and stays good when the
    rows around it come and go.
    """

    items: tuple[Item, ...]
    cursor: str | None


class Table(Protocol):
    """Durable rows: what a write has returned survives a kill of every process. Safe to share between threads."""

    def get(self, key: Key) -> Item | None:
        """Read one row, consistently; None where it is absent."""

    def get_many(self, keys: Sequence[Key]) -> dict[Key, Item]:
        """Read any number of rows, each consistently, absent ones left out; the whole is no snapshot."""

    def write(self, operation: Write) -> Item | None:
        """Apply one write and return the row as it then stands, None after a delete.

        Raises `ConditionFailed` where its condition does not hold, `PayloadTooLarge` for a row over
        `MAX_ITEM_BYTES`, `Contention` where it kept meeting other writers, `Unavailable` where the store does not
        answer, `InvalidRequest` for what the rules above exclude.
        """

    def transact(self, operations: Sequence[Operation]) -> None:
        """Apply 1 to `MAX_TRANSACTION` operations, on distinct keys, all or none; raises as `write` does.

        `ConditionFailed` goes before every other failure and lists in `detail["operations"]` the places, from 0, of the
        operations whose conditions do not hold.
        """

    def query(self, query: Query) -> Page:
        """Read one page; consistent on the base table. A cursor of another query raises `InvalidRequest`."""

    def drop_expired(self, now: float) -> int:
        """Remove the rows whose `expires_at` lies before `now` and count them; 0 where the store does it by itself."""
