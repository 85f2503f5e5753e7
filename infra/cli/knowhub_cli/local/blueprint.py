"""What the local host runs, as plain data: functions, routes, queues, ticks, and who is told of uploads."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from knowhub_cli.local.intrinsics import ACCOUNT, REGION

INTEGRATION_SECONDS: Final = 29.0
"""How long API Gateway waits for a buffered answer, and how long a streamed one lasts where the route says nothing."""


@dataclass(frozen=True, slots=True)
class FunctionSpec:
    """One function: `code` and `layers` are folders, `timeout` is in seconds, `memory` in MB."""

    name: str
    code: Path
    handler: str
    timeout: float
    memory: int
    environment: Mapping[str, str]
    layers: tuple[Path, ...]

    @property
    def arn(self) -> str:
        """Give the function's name as AWS would write it."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.name}"


@dataclass(frozen=True, slots=True)
class Route:
    """One method (or `ANY`) on one resource path; `seconds` bounds the whole answer."""

    function: str
    method: str
    path: str
    stream: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class QueueSource:
    """A function's subscription to a queue; `partial` where the function reports single failures."""

    function: str
    queue: str
    batch_size: int
    partial: bool
    concurrency: int | None


@dataclass(frozen=True, slots=True)
class Tick:
    """A function's schedule; `payload` is the event where the template writes one."""

    function: str
    name: str
    seconds: float
    payload: str | None


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """One queue; after `max_receives` receipts a message moves to `dead_letters`, both None where it never does."""

    name: str
    fifo: bool
    visibility_seconds: int
    max_receives: int | None
    dead_letters: str | None


@dataclass(frozen=True, slots=True)
class UploadNotice:
    """Objects under this prefix of the bucket are announced in this queue."""

    bucket: str
    prefix: str
    queue: str


@dataclass(frozen=True, slots=True)
class Template:
    """What the host runs; `binary_types` are the media types whose bodies travel as base64."""

    functions: Mapping[str, FunctionSpec]
    routes: tuple[Route, ...]
    sources: tuple[QueueSource, ...]
    ticks: tuple[Tick, ...]
    queues: Mapping[str, QueueSpec]
    notices: tuple[UploadNotice, ...]
    binary_types: frozenset[str]
