"""The embedded stores as the host itself uses them: its queues, and the folder that uploads arrive in."""

import time
from collections.abc import Mapping

from knowhub.ports.clock import Clock
from knowhub.stores.folder.blobs import FolderBlobs
from knowhub.stores.sqlite.queue import SqliteQueue
from knowhub_cli.local.blueprint import QueueSpec
from knowhub_cli.local.places import Places
from knowhub_cli.local.pollers import HostQueue
from knowhub_cli.local.uploads import UploadStore


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Give the epoch seconds in UTC."""
        return time.time()


def open_queues(places: Places, specs: Mapping[str, QueueSpec], clock: Clock) -> dict[str, HostQueue]:
    """Open every queue of the template, by logical id, with the dead letters that the template gives it."""
    return {
        name: SqliteQueue(
            places.queue_file,
            name,
            clock=clock,
            fifo=spec.fifo,
            dead_letters=spec.dead_letters,
            max_receives=spec.max_receives,
        )
        for name, spec in specs.items()
    }


def open_blobs(places: Places, public_url: str, clock: Clock) -> UploadStore:
    """Open the bucket's folder."""
    return FolderBlobs(places.blob_folder, public_url=public_url, clock=clock)
