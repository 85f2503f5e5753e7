"""The only reader of the environment: one frozen model a function, loaded once.

Where a value names a place, its scheme chooses the adapter: `sqlite:`, `folder:` and `tantivy:` are the embedded
stores, anything else is the AWS resource of that name. `docs/settings.md` documents every variable.

Plain dataclasses: the sync and reader functions load no validation library.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Self

from knowhub.choices import (
    EmbedderChoice,
    GeneratorChoice,
    KeyReference,
    RerankerChoice,
    embedder_choice,
    generator_choice,
    key_reference,
    reranker_choice,
    weight,
)
from knowhub.issuers import GroupRoles, group_roles, issuer_address


class InvalidSettings(Exception):
    """The environment does not fit; the message names each variable and what is wrong with it, never its value."""


def _text(value: str) -> str:
    return value


def _switch(value: str) -> bool:
    known = {"true": True, "false": False}
    if value.strip().lower() not in known:
        raise ValueError("is neither true nor false")
    return known[value.strip().lower()]


def _variable(name: str, read: Callable[[str], Any] = _text, default: Any = MISSING) -> Any:
    """Declare a setting's variable; without a default it must be there and must not be empty."""
    return field(default=default, metadata={"variable": name, "read": read})


@dataclass(frozen=True, slots=True)
class ImportRoot:
    """A place that imports may read: `s3://bucket/prefix` or an absolute folder; `kb_ids` None opens it to every KB."""

    root: str
    kb_ids: frozenset[int] | None = None


def _roots(value: str) -> tuple[ImportRoot, ...]:
    """Read `[{"root": …, "kb_ids": […]?}, …]`."""
    try:
        return tuple(_root(one) for one in json.loads(value))
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ValueError('is no list of {"root": …, "kb_ids": […]}') from None


def _root(one: dict[str, Any]) -> ImportRoot:
    kb_ids = one.get("kb_ids")
    limits = None if kb_ids is None else frozenset(int(kb_id) for kb_id in kb_ids)
    if not one["root"].startswith(("/", "s3://")):
        raise ValueError(one["root"])
    return ImportRoot(one["root"], limits)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every function needs."""

    table: str = _variable("KNOWHUB_TABLE")
    bucket: str = _variable("KNOWHUB_BUCKET")
    document_queue: str = _variable("KNOWHUB_DOCUMENT_QUEUE")
    chunk_index: str = _variable("KNOWHUB_CHUNK_INDEX")
    public_url: str = _variable("PUBLIC_URL", default="")
    import_roots: tuple[ImportRoot, ...] = _variable("KNOWHUB_IMPORT_ROOTS", _roots, default=())
    loopback_urls: bool = _variable("KNOWHUB_LOOPBACK_URLS", _switch, default=False)
    embedder: EmbedderChoice | None = _variable("KNOWHUB_EMBEDDER", embedder_choice, default=None)  # noqa: RUF009 - only declares
    embedder_weight: float | None = _variable("KNOWHUB_EMBEDDER_WEIGHT", weight, default=None)
    embedder_key: KeyReference | None = _variable("KNOWHUB_EMBEDDER_KEY", key_reference, default=None)  # noqa: RUF009 - only declares
    reranker: RerankerChoice | None = _variable("KNOWHUB_RERANKER", reranker_choice, default=None)  # noqa: RUF009 - only declares
    reranker_key: KeyReference | None = _variable("KNOWHUB_RERANKER_KEY", key_reference, default=None)  # noqa: RUF009 - only declares
    generator: GeneratorChoice | None = _variable("KNOWHUB_GENERATOR", generator_choice, default=None)  # noqa: RUF009 - only declares
    generator_key: KeyReference | None = _variable("KNOWHUB_GENERATOR_KEY", key_reference, default=None)  # noqa: RUF009 - only declares
    oidc_issuer: str = _variable("KNOWHUB_OIDC_ISSUER", issuer_address, default="")
    oidc_audience: str = _variable("KNOWHUB_OIDC_AUDIENCE", default="")
    oidc_groups: GroupRoles | None = _variable("KNOWHUB_OIDC_GROUPS", group_roles, default=None)  # noqa: RUF009 - only declares

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None) -> Self:
        """Read the process environment (or the given one); raises `InvalidSettings` with every fault at once."""
        source = os.environ if environment is None else environment
        values: dict[str, Any] = {}
        faults: list[str] = []
        for one in fields(cls):
            try:
                values[one.name] = _value(one, source.get(one.metadata["variable"], ""))
            except LookupError as error:
                faults.append(f"{one.metadata['variable']} {error.args[0]}")
        if values.get("oidc_issuer") and not values.get("oidc_audience"):
            # Without it a token that the issuer made for any other service would open this one.
            faults.append("KNOWHUB_OIDC_AUDIENCE is missing beside KNOWHUB_OIDC_ISSUER")
        if faults:
            raise InvalidSettings("; ".join(faults))
        return cls(**values)

    @classmethod
    def variables(cls) -> frozenset[str]:
        """Name the variables that this model reads."""
        return frozenset(one.metadata["variable"] for one in fields(cls))


@dataclass(frozen=True, kw_only=True)
class Http(Settings):
    """The http function: REST, SSE and Dify."""

    ask_streaming: bool = _variable("KNOWHUB_ASK_STREAMING", _switch, default=False)
    open_docs: bool = _variable("KNOWHUB_OPEN_DOCS", _switch, default=False)
    bootstrap_secret: KeyReference | None = _variable("KNOWHUB_BOOTSTRAP_SECRET", key_reference, default=None)  # noqa: RUF009 - only declares


@dataclass(frozen=True, kw_only=True)
class Mcp(Settings):
    """The mcp function; `origins` is a comma list of browser origins that may call it."""

    origins: str = _variable("KNOWHUB_MCP_ORIGINS", default="")

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Give the origins in lower case without white space."""
        return frozenset(part.strip().lower() for part in self.origins.split(",") if part.strip())


@dataclass(frozen=True, kw_only=True)
class A2a(Settings):
    """The a2a function."""


@dataclass(frozen=True, kw_only=True)
class Reader(Settings):
    """The reader function."""


@dataclass(frozen=True, kw_only=True)
class Sync(Settings):
    """The sync function."""

    sync_queue: str = _variable("KNOWHUB_SYNC_QUEUE")


def variable_of_the_environment(name: str) -> str:
    """Read a variable that a setting refers to, at the moment of the call; raises `LookupError`."""
    return os.environ[name]


def _value(one: "Field[Any]", text: str) -> Any:
    """Read one variable; an empty one counts as absent. Raises `LookupError` with what is wrong."""
    if not text.strip():
        if one.default is MISSING:
            raise LookupError("is missing")
        return one.default
    try:
        return one.metadata["read"](text)
    except ValueError as error:
        raise LookupError(str(error)) from None
