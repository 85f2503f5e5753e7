"""The reading side of the vectors, and how a state of the text index and of the vectors come to fit each other."""

from pathlib import Path

import tantivy

from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.snapshot import Snapshot
from knowhub.stores.tantivy.vector_files import Manifest, VectorRows, map_rows, read_manifest, whole_rows

_ATTEMPTS = 10


class VectorView:
    """Maps the valid generation once, and again when it has grown or been replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mapped: tuple[Manifest, int, VectorRows] | None = None

    def read(self, index: tantivy.Index) -> tuple[Snapshot, VectorRows | None]:
        """Take the newest state of the text index with vectors that hold a row for everything in it.

        Rows are synced before the commit that refers to them, and a compaction copies what is living in a commit
        before it. So vectors that were valid both before and after the text index was read have all of its rows.
        """
        for _ in range(_ATTEMPTS):
            with engine_failures("read its vectors"):
                before = read_manifest(self._folder)
                snapshot = Snapshot(index)
                if read_manifest(self._folder) != before:
                    continue
            if before is None:
                return snapshot, None
            vectors = self._map(before)
            if vectors is not None:
                return snapshot, vectors
        raise damaged("its vector files are gone")

    def _map(self, manifest: Manifest) -> VectorRows | None:
        with engine_failures("read its vectors"):
            try:
                size = whole_rows(self._folder, manifest)
            except FileNotFoundError:
                return None
        if self._mapped is None or self._mapped[:2] != (manifest, size):
            vectors = map_rows(self._folder, manifest)
            if vectors is None:
                return None
            self._mapped = (manifest, size, vectors)
        return self._mapped[2]
