"""One process at a blob folder; it is told by its arguments what to do and says line by line what it has done."""

import sys
import time
from itertools import count

from knowhub.stores.folder.blobs import FolderBlobs

SIZES = {"a": 3_000_000, "b": 2_000_000}


class SystemClock:
    def now(self) -> float:
        return time.time()


def replace(blobs: FolderBlobs, rounds: str) -> None:
    """Write one key again and again, in turn with two contents."""
    for number in count() if rounds == "for ever" else range(int(rounds)):
        letter = "ab"[number % 2]
        blobs.put("raw/one", letter.encode() * SIZES[letter], content_type=f"text/{letter}")
        say(letter)


def churn(blobs: FolderBlobs, key: str) -> None:
    """Write and remove a key that shares its folders with others."""
    for _ in range(60):
        blobs.put(key, b"short-lived")
        blobs.delete([key])


def sign(blobs: FolderBlobs, key: str) -> None:
    """Hand out a ticket, once somebody says go."""
    say("ready")
    sys.stdin.readline()
    say(blobs.presign_upload(key, content_type="text/plain", max_bytes=9, seconds=600).fields["signature"])


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    job, root, argument = sys.argv[1:]
    opened = FolderBlobs(root, public_url="http://127.0.0.1:8010", clock=SystemClock())
    {"replace": replace, "churn": churn, "sign": sign}[job](opened, argument)
