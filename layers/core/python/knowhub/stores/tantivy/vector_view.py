"""The reading side of the vectors, and how a state of the text index and of the vectors come to fit each other."""

from dataclasses import replace
from pathlib import Path

import tantivy

from knowhub.stores.tantivy.failures import damaged, engine_failures
from knowhub.stores.tantivy.snapshot import Snapshot
from knowhub.stores.tantivy.vector_files import Manifest, VectorRows, map_rows, read_manifest, whole_rows
from knowhub.stores.tantivy.vector_scan import WideRows

_ATTEMPTS = 10


class VectorView:
    """Maps the valid generation once, and again when it has grown or been replaced."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mapped: tuple[Manifest, int, VectorRows] | None = None
        self._wide = WideRows()
        self._read_before = False

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
                return snapshot, self._widened(vectors)
        raise damaged("its vector files are gone")

    def _widened(self, vectors: VectorRows) -> VectorRows:
        """Have the rows widened, but not for a process that asks only once: that takes as long as a few scans."""
        if self._read_before:
            return replace(vectors, wide=self._wide.of(vectors))
        self._read_before = True
        return vectors

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
