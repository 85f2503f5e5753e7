"""Queries of the table port as SQL."""

import sqlite3
from contextlib import closing

from knowhub.ports.table import Item, Page, Query
from knowhub.ports.table_paging import Position, write_cursor
from knowhub.stores.sqlite.rows import read_body

MAX_PAGE_BYTES = 1_000_000
"""Of bodies in one page, which ends with the row that passes it; DynamoDB's pages end at 1 MB."""


def read_page(connection: sqlite3.Connection, query: Query, after: Position | None) -> Page:
    """Read the page of a checked query that follows a position, or its first one."""
    statement, arguments = _select(query, after)
    items: list[Item] = []
    size = 0
    with closing(connection.execute(statement, arguments)) as rows:
        last = None
        for body, sort, pk, sk in rows:
            if last and (len(items) == query.limit or size > MAX_PAGE_BYTES):
                return Page(tuple(items), write_cursor(query, last))
            last = Position(sort.decode(), pk.decode(), sk.decode())
            items.append(read_body(body))
            size += len(body)
    return Page(tuple(items), None)


def _select(query: Query, after: Position | None) -> tuple[str, list[bytes | int]]:
    partition, sort = (f"{query.index}_pk", f"{query.index}_sk") if query.index else ("pk", "sk")
    terms: list[str] = [f"{partition} = ?"]
    arguments: list[bytes | int] = [query.partition.encode()]
    for term, bound in _bounds(query):
        terms.append(f"{sort} {term} ?")
        arguments.append(bound)
    if after:
        terms.append(f"({sort}, pk, sk) {'<' if query.descending else '>'} (?, ?, ?)")
        arguments += [part.encode() for part in after]
    direction = "DESC" if query.descending else "ASC"
    order = ", ".join(f"{column} {direction}" for column in ((sort, "pk", "sk") if query.index else (sort,)))
    # One row more than asked for tells whether there is another page. Names of columns come from INDEXES.
    statement = f"SELECT body, {sort}, pk, sk FROM item WHERE {' AND '.join(terms)} ORDER BY {order} LIMIT ?"  # noqa: S608
    return statement, [*arguments, query.limit + 1]


def _bounds(query: Query) -> list[tuple[str, bytes]]:
    bounds = []
    if query.prefix:
        low = query.prefix.encode()
        # UTF-8 has no byte 0xFF, so the last byte can always be raised.
        bounds += [(">=", low), ("<", low[:-1] + bytes([low[-1] + 1]))]
    if query.start:
        bounds.append((">=", query.start.encode()))
    if query.end is not None:
        bounds.append(("<", query.end.encode()))
    return bounds
