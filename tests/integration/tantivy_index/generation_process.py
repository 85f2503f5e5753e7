"""Makes, serves and drops generations of a folder without end, saying which one serves, until it is killed."""

import sys

from knowhub.stores.tantivy.generations import TantivyGenerations
from tests.contract.chunk_index_homes import indexed


def main(folder: str) -> None:
    """Go round: a next generation with a chunk, then it serves, then what served before is dropped."""
    generations = TantivyGenerations(folder)
    building = generations.building()
    if building is not None:
        generations.drop(building.number)
    while True:
        made = generations.create("model", 2, 1)
        index = generations.index(made.number)
        index.write([indexed("d:1:1", "x", vector=(1.0, 0.0))])
        index.refresh()
        generations.serve(made.number)
        sys.stdout.write(f"{made.number}\n")
        sys.stdout.flush()
        for retired in generations.retired():
            generations.drop(retired.number)


main(sys.argv[1])
