"""What of a state folder is damaged or missing, found out before anything is written to it."""

from contextlib import closing
from pathlib import Path

from knowhub.errors import Internal, KnowhubError, SearchUnavailable
from knowhub.stores.sqlite.connection import connect
from knowhub.stores.tantivy.generations import TantivyGenerations
from knowhub_cli.local.failures import StateCorrupt
from knowhub_cli.local.places import Places


def check_catalog(places: Places) -> None:
    """Open the catalog, made where this is a new folder; raises `StateCorrupt`.

    A catalog that is gone while documents are there is never replaced by a new one: nobody could find them any more.
    """
    path = places.catalog_file
    if not path.exists() or path.stat().st_size == 0:
        for folder in (places.blob_folder / "blobs", places.chunk_folder):
            if _holds_files(folder):
                absent = "is empty" if path.exists() else "is missing"
                raise StateCorrupt(
                    f"{path} {absent}, but {folder} holds documents;"
                    " restore the state folder from a copy, or choose another"
                )
    try:
        with closing(connect(path)) as catalog, closing(catalog.execute("SELECT count(*) FROM sqlite_master")) as rows:
            rows.fetchone()
    except Internal as error:
        raise StateCorrupt(f"{path}: {error.message}") from error


def fault_of_chunks(places: Places) -> str | None:
    """Open the chunk index for reading, where there is one, and say in a line what is wrong with it."""
    if not places.chunk_folder.exists():
        return None
    generations = TantivyGenerations(places.chunk_folder)
    try:
        serving = generations.serving()
        if serving is None:
            return f"{places.chunk_folder} holds no index: `knowhub reindex` builds it from the stored documents"
        generations.index(serving.number).count(frozenset({1}))
    except SearchUnavailable as error:
        return f"{places.chunk_folder}: {error.message}. Until then nothing is found in it"
    except KnowhubError as error:
        return f"{places.chunk_folder}: {error.message}"
    finally:
        generations.close()
    return None


def _holds_files(folder: Path) -> bool:
    return any(path.is_file() for path in folder.rglob("*"))
