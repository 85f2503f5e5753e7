"""A process that writes to an index folder until it is killed; run as a script.

Document `d<n>` has `CHUNKS` chunks. One line on standard output acknowledges each refresh.
"""

import random
import sys

from knowhub.stores.tantivy.index import TantivyChunkIndex
from tests.contract.chunk_index_homes import indexed

CHUNKS = 12


def direction(number: int) -> tuple[float, ...]:
    """Make a document's vector, far from the others'."""
    chance = random.Random(number)
    return tuple(chance.gauss(0, 1) for _ in range(64))


def write_documents(folder: str, first: int) -> None:
    """Write documents from this number on; each third one deletes the one before it in the same refresh."""
    index = TantivyChunkIndex(folder)
    number = first
    while True:
        vector = direction(number)
        chunks = [indexed(f"d{number}:1:{n}", f"all only{number}", vector=vector) for n in range(1, CHUNKS + 1)]
        index.write(chunks[:5])
        index.write(chunks[5:])
        if number % 3 == 0:
            index.delete_document(f"d{number - 1}")
        index.refresh()
        print(number, flush=True)  # noqa: T201 - the acknowledgement that the parent reads
        number += 1


if __name__ == "__main__":
    write_documents(sys.argv[1], int(sys.argv[2]))
