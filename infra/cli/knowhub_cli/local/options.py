"""What may be decided about a local host."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from knowhub_cli.local.pools import PoolTimes
from knowhub_cli.local.workers import RUNTIME

DEFAULT_PORT: Final = 8010

WORKERS: Final[Mapping[str, int]] = {
    "HttpFunction": 4,
    "McpFunction": 2,
    "A2aFunction": 2,
    "SyncFunction": 1,
    # The embedded chunk index has a single writer.
    "ReaderFunction": 1,
}
"""Most workers a function; others get 2."""


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class HostOptions:
    """What may be decided about a host; the defaults are those of `knowhub up`.

    `inherited` is the environment of the person, of which workers get a few variables; `environment` are variables
    that every function gets, over the template's; `parameters` override the template's. `report` gets one line at a
    time, which also stands in `logs/host.log`. With `verbose`, what workers print appears on stderr, too.
    `tick_seconds` replaces every schedule's rate. `source` is the folder with the package `knowhub`.
    """

    inherited: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    workers: Mapping[str, int] = field(default_factory=lambda: WORKERS)
    report: Callable[[str], None] = _to_stderr
    verbose: bool = False
    stage_prefix: str = ""
    tick_seconds: float | None = None
    grace_seconds: int = 5
    times: PoolTimes = field(default_factory=PoolTimes)
    init_seconds: float = 60.0
    command: Sequence[str] = RUNTIME
    source: Path | None = None
