"""The only reader of the environment: one frozen model a function, loaded once.

Where a value names a place, its scheme chooses the adapter: `sqlite:`, `folder:` and `tantivy:` are the embedded
stores, anything else is the AWS resource of that name. `docs/settings.md` documents every variable.
"""

import os
from collections.abc import Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class InvalidSettings(Exception):
    """The environment does not fit; the message names each variable and what is wrong with it, never its value."""


class Settings(BaseModel):
    """What every function needs."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    table: str = Field(alias="KNOWHUB_TABLE", min_length=1)
    bucket: str = Field(alias="KNOWHUB_BUCKET", min_length=1)
    document_queue: str = Field(alias="KNOWHUB_DOCUMENT_QUEUE", min_length=1)
    chunk_index: str = Field(alias="KNOWHUB_CHUNK_INDEX", min_length=1)
    public_url: str = Field(default="", alias="PUBLIC_URL")

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read the process environment (or the given one); raises `InvalidSettings`."""
        source = os.environ if environment is None else environment
        try:
            return cls.model_validate(dict(source))
        except ValidationError as error:
            faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
            raise InvalidSettings(faults) from None


class Http(Settings):
    """The http function: REST, SSE and Dify."""

    ask_streaming: bool = Field(default=False, alias="KNOWHUB_ASK_STREAMING")
    open_docs: bool = Field(default=False, alias="KNOWHUB_OPEN_DOCS")


class Mcp(Settings):
    """The mcp function; `origins` is a comma list of browser origins that may call it."""

    origins: str = Field(default="", alias="KNOWHUB_MCP_ORIGINS")

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Give the origins in lower case without white space."""
        return frozenset(part.strip().lower() for part in self.origins.split(",") if part.strip())


class A2a(Settings):
    """The a2a function."""


class Reader(Settings):
    """The reader function."""


class Sync(Settings):
    """The sync function."""

    sync_queue: str = Field(alias="KNOWHUB_SYNC_QUEUE", min_length=1)
