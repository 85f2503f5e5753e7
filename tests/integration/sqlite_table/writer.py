"""A process of its own that writes to a table: `writer.py <mode> <path> <count> <name>`."""

import itertools
import os
import sys
from contextlib import closing

from knowhub.ports.table import Exists, Key, Put, Query, Update
from knowhub.stores.sqlite.table import SqliteTable

COUNTER = Key("counters", "shared")


def count(table: SqliteTable, times: int, name: str) -> None:
    """Count the shared counter and one of this process up, alone and in transactions, and read in between."""
    own = Key("counters", name)
    for turn in range(times):
        table.write(Update(COUNTER, increments={"alone": 1}))
        table.transact([Update(COUNTER, increments={"together": 1}), Update(own, increments={"together": 1})])
        if turn % 5 == 0:
            table.query(Query("counters"))


def hog(table: SqliteTable, _: int, name: str) -> None:
    """Write as fast as can be until killed."""
    for turn in itertools.count():
        table.write(Put({"pk": "hog", "sk": name, "turn": turn}))
        if turn == 0:
            tell("ready")


def acknowledge(table: SqliteTable, _: int, name: str) -> None:
    """Write pairs of rows until killed, and tell each number as soon as it is written."""
    for number in itertools.count():
        key = f"{number:06}"
        table.transact(
            [
                Put({"pk": f"left-{name}", "sk": key, "body": "x" * 3000}),
                Put({"pk": f"right-{name}", "sk": key, "list_pk": f"list-{name}", "list_sk": key}),
                Update(Key("total", name), increments={"pairs": 1}),
            ]
        )
        tell(key)


def fork(table: SqliteTable, _: int, name: str) -> None:
    """Use one table before and after a fork, in both processes."""
    table.write(Update(Key("forks", name), increments={"n": 1}))
    child = os.fork()
    table.write(Update(Key("forks", name), increments={"n": 1}, condition=Exists()))
    if not child:
        table.close()
        os._exit(0)
    os.waitpid(child, 0)
    table.write(Update(Key("forks", name), increments={"n": 1}))


def tell(line: str) -> None:
    """Write one line that is out when this returns."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Run one mode."""
    mode, path, times, name = sys.argv[1:]
    with closing(SqliteTable(path)) as table:
        {"count": count, "hog": hog, "acknowledge": acknowledge, "fork": fork}[mode](table, int(times), name)


if __name__ == "__main__":
    main()
