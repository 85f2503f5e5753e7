"""From a spec to its source, after a look at everything that the spec reaches for."""

from collections.abc import Mapping, Sequence

from knowhub.errors import InvalidRequest
from knowhub.net.client import GuardedClient
from knowhub.net.urls import UnusableUrl
from knowhub.ports.sources import Files, Source, SourceSpec, Uploads
from knowhub.sources.auto import AutoSource, is_path, is_url
from knowhub.sources.dir import DirSource
from knowhub.sources.file import MAX_FILE_BYTES, FileReading, FileSource, is_upload
from knowhub.sources.robots import RobotsTexts
from knowhub.sources.roots import Roots
from knowhub.sources.url import UrlSource
from knowhub.sources.visits import Pace, Visits

_FIELDS: Mapping[str, str] = {"file": "files", "dir": "path", "url": "urls", "auto": "inputs"}


class SourceOpener:
    """The sources port over the stores and the client that a hub has; `stores` are by URI scheme (`s3`, `file`)."""

    def __init__(
        self,
        *,
        roots: Roots,
        stores: Mapping[str, Files],
        client: GuardedClient,
        pace: Pace | None = None,
        max_file_bytes: int = MAX_FILE_BYTES,
    ) -> None:
        """Keep the collaborators; without a pace hosts are asked as fast as they answer."""
        self._roots = roots
        self._stores = stores
        self._client = client
        self._pace = pace or Pace()
        self._robots = RobotsTexts(client, self._pace.clock)
        self._max_file_bytes = max_file_bytes

    def open(self, spec: SourceSpec, kb_id: int, uploads: Uploads | None = None) -> Source:
        """Check places and addresses by their text alone, and give the source."""
        reading = FileReading(self._stores, uploads, self._max_file_bytes)
        match spec.type:
            case "file":
                return FileSource([self._file(each, reading, kb_id) for each in spec.inputs], reading)
            case "dir":
                folder = self._folder(spec.inputs[0], reading, kb_id)
                return DirSource(folder, reading, recursive=spec.recursive, extensions=spec.extensions)
            case "url":
                self._check_addresses(spec.content_urls or spec.inputs, _where(spec))
                return UrlSource(spec.inputs, spec.content_urls, self._client, self._visits(spec))
            case "auto":
                return self._auto(spec, reading, kb_id)

    def _auto(self, spec: SourceSpec, reading: FileReading, kb_id: int) -> Source:
        self._check_addresses([each for each in spec.inputs if is_url(each)], _where(spec))
        for each in spec.inputs:
            if is_path(each):
                self._folder(each, reading, kb_id)
        return AutoSource(
            spec.inputs,
            reading,
            self._roots,
            client=self._client,
            visits=self._visits(spec),
            kb_id=kb_id,
            recursive=spec.recursive,
            extensions=spec.extensions,
        )

    def _visits(self, spec: SourceSpec) -> Visits:
        return Visits(self._robots if spec.respect_robots else None, self._pace)

    def _file(self, reference: str, reading: FileReading, kb_id: int) -> str:
        if is_upload(reference):
            return reference
        uri = self._roots.locate(reference, kb_id, folder=False)
        reading.store(uri)
        return uri

    def _folder(self, reference: str, reading: FileReading, kb_id: int) -> str:
        uri = self._roots.locate(reference, kb_id, folder=True)
        reading.store(uri)
        return uri

    def _check_addresses(self, urls: Sequence[str], where: tuple[str, ...]) -> None:
        faults = []
        for number, url in enumerate(urls):
            try:
                self._client.check(url)
            except UnusableUrl as error:
                faults.append({"loc": [*where, number], "type": "url", "message": str(error)})
        if faults:
            raise InvalidRequest("An address can't be fetched", {"errors": faults})


def _where(spec: SourceSpec) -> tuple[str, ...]:
    return ("body", "source", "content_urls" if spec.content_urls else _FIELDS[spec.type])
