"""Where the template's resources lie on this machine."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """One state folder's layout; every address is in the form that `knowhub.settings` takes."""

    state: Path

    @property
    def catalog_file(self) -> Path:
        """Give the file that holds the table."""
        return self.state / "catalog.sqlite3"

    @property
    def catalog(self) -> str:
        """Give the table's address."""
        return f"sqlite:{self.catalog_file}"

    @property
    def blob_folder(self) -> Path:
        """Give the folder that holds the bucket's objects."""
        return self.state / "blobs"

    @property
    def blobs(self) -> str:
        """Give the bucket's address."""
        return f"folder:{self.blob_folder}"

    @property
    def queue_file(self) -> Path:
        """Give the file that holds every queue."""
        return self.state / "queues.sqlite3"

    def queue(self, name: str) -> str:
        """Give the address of the queue with this logical id."""
        return f"sqlite:{self.queue_file}#{name}"

    @property
    def chunk_folder(self) -> Path:
        """Give the folder that holds the chunk index."""
        return self.state / "chunks"

    @property
    def chunks(self) -> str:
        """Give the chunk index's address."""
        return f"tantivy:{self.chunk_folder}"

    @property
    def logs(self) -> Path:
        """Give the folder with one log a function."""
        return self.state / "logs"

    def of_resource(self, kind: str, name: str) -> str:
        """Give what `Ref` of a resource is here: an address where it is stored, else its logical id."""
        if kind == "AWS::DynamoDB::Table":
            return self.catalog
        if kind == "AWS::S3::Bucket":
            return self.blobs
        if kind == "AWS::SQS::Queue":
            return self.queue(name)
        return name
