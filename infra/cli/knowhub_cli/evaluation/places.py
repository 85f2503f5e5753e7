"""Where a collection is indexed: a store of the evaluation's own, which is gone after it."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowhub.ports.chunk_index import ChunkIndex
from knowhub.ports.embedder import Embedder, EmbedderProfile
from knowhub.retrieval.analysis import ANALYSER_VERSION

EMBEDDED = "embedded"


class NoPlace(Exception):
    """What was named is no store; the message says why."""


@contextmanager
def passing_index(store: str, embedder: Embedder | None) -> Iterator[ChunkIndex]:
    """Make an index in a temporary folder (`embedded`), or on the OpenSearch at a URL under a name of its own.

    What else the engine holds is not touched. Raises `NoPlace` for what is no engine's address.
    """
    with _in_folder(embedder) if store == EMBEDDED else _on_engine(store, embedder) as index:
        yield index


@contextmanager
def _in_folder(embedder: Embedder | None) -> Iterator[ChunkIndex]:
    from knowhub.stores.tantivy.generations import TantivyGenerations  # noqa: PLC0415 - only the store that is asked for

    with tempfile.TemporaryDirectory(prefix="knowhub-eval-") as folder:
        generations = TantivyGenerations(Path(folder))
        try:
            yield generations.index(generations.create(*_made_for(embedder)).number)
        finally:
            generations.close()


@contextmanager
def _on_engine(url: str, embedder: Embedder | None) -> Iterator[ChunkIndex]:
    from knowhub.stores.opensearch.engine import Engine  # noqa: PLC0415 - only the store that is asked for
    from knowhub.stores.opensearch.generations import OpenSearchGenerations  # noqa: PLC0415 - as above
    from knowhub.stores.opensearch.places import place_of  # noqa: PLC0415 - as above
    from knowhub.stores.opensearch.wire import ClientWire  # noqa: PLC0415 - as above

    try:
        place = place_of(f"opensearch:{url.rstrip('/')}/knowhub-eval-{secrets.token_hex(6)}")
    except ValueError:
        raise NoPlace(f"{url!r} is neither {EMBEDDED} nor an engine's address, such as http://127.0.0.1:9200") from None
    engine = Engine(ClientWire(place))
    generations = OpenSearchGenerations(engine, place.prefix)
    try:
        made = generations.create(*_made_for(embedder))
        try:
            yield generations.index(made.number)
        finally:
            engine.told("DELETE", f"/{place.prefix}-{made.number}")
    finally:
        generations.close()


def _made_for(embedder: Embedder | None) -> tuple[str, int, int]:
    profile = EmbedderProfile("", 0) if embedder is None else embedder.profile
    return profile.identity, profile.dimension, ANALYSER_VERSION
