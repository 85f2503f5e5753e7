"""The index folder: its layout, its creation, and the check that it is one that this program reads.

<folder>/format.json   the format's number; written last when the folder is created
<folder>/text/         the engine's own files
<folder>/vectors/      see `vector_files.py`; absent until the first vector
<folder>/writer.lock   held by the one process that writes
<folder>/create.lock   held while the folder is created
"""

import json
from pathlib import Path

import tantivy

from knowhub.errors import SearchUnavailable
from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.files import FileLock, replace_file
from knowhub.stores.tantivy.schema import FORMAT, build_schema, register_analyser

_CREATE_SECONDS = 30.0


def open_index(folder: Path, *, create: bool = True) -> tantivy.Index:
    """Open the engine's index, creating the folder where there is none and it may be created.

    Raises `SearchUnavailable` for a folder of another format and for a damaged one; neither is touched.
    """
    with engine_failures("be opened"):
        if not _format_file(folder).exists():
            if not create:
                raise SearchUnavailable("This chunk index is gone: unless another serves, it is to be built again")
            _create(folder)
        _check_format(folder)
        if not (text_folder(folder) / "meta.json").exists():
            raise damaged("its text files are gone")
        index = tantivy.Index.open(str(text_folder(folder)))
        register_analyser(index)
        index.config_reader(reload_policy="manual")
    return index


def text_folder(folder: Path) -> Path:
    """Name the folder of the engine's own files."""
    return folder / "text"


def vector_folder(folder: Path) -> Path:
    """Name the folder of the vectors."""
    return folder / "vectors"


def writer_lock(folder: Path) -> FileLock:
    """Build the lock that the writing process holds."""
    return FileLock(folder / "writer.lock")


def _format_file(folder: Path) -> Path:
    return folder / "format.json"


def _create(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "create.lock")
    lock.acquire(_CREATE_SECONDS)
    try:
        text_folder(folder).mkdir(exist_ok=True)
        # A creation that was cut short is taken up again: the engine accepts files of the same schema.
        tantivy.Index(build_schema(), str(text_folder(folder)), reuse=True)
        replace_file(_format_file(folder), json.dumps({"format": FORMAT}).encode())
    finally:
        lock.release()


def _check_format(folder: Path) -> None:
    try:
        found = json.loads(_format_file(folder).read_bytes())["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise damaged("its format file is unreadable", error) from error
    if found != FORMAT:
        raise SearchUnavailable(
            f"The chunk index has format {found}, this program reads format {FORMAT}: "
            "remove its folder and index the documents again, or run the program that wrote it"
        )
