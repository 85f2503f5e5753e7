"""The adapters that the settings name: chosen by the scheme of each place, imported and built when first used.

With `bootstrap`, which puts the use-cases together, this is all that knows concrete classes.
"""

import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from knowhub.choices import KeyReference
from knowhub.ports.blobs import Blobs
from knowhub.ports.chunk_generations import ChunkGenerations
from knowhub.ports.clock import Clock
from knowhub.ports.embedder import Embedder
from knowhub.ports.generator import Generator
from knowhub.ports.identifiers import Identifiers
from knowhub.ports.queue import Queue
from knowhub.ports.reranker import Reranker
from knowhub.ports.sources import Files, Sources
from knowhub.ports.table import Table
from knowhub.settings import Http, InvalidSettings, Settings

if TYPE_CHECKING:
    from knowhub.auth.issuer import Issuer
    from knowhub.calling.keys import Key

Port = TypeVar("Port")

_HOST_GAP_SECONDS = 0.2
"""Between two requests of one import to one host."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Give the epoch seconds."""
        return time.time()


class RandomIdentifiers:
    """Ids from the operating system's randomness."""

    def new(self, prefix: str) -> str:
        """Give the prefix and 26 base32 characters."""
        return prefix + base64.b32encode(secrets.token_bytes(17)).decode().lower()[:26]


@dataclass(frozen=True, slots=True)
class Ports:
    """The adapters that the settings name."""

    table: Table
    blobs: Blobs
    queue: Queue
    generations: ChunkGenerations
    sources: Sources
    clock: Clock
    identifiers: Identifiers
    embedder: Embedder | None = None
    reranker: Reranker | None = None
    generator: Generator | None = None
    issuer: "Issuer | None" = None
    first_admin_secret: Callable[[], str] | None = None


def ports(settings: Settings) -> Ports:
    """Name the adapters; each is built, and its library loaded, when it is first used."""
    clock = SystemClock()
    return Ports(
        table=_deferred(lambda: _table(settings.table)),
        blobs=_deferred(lambda: _blobs(settings.bucket, settings.public_url, clock)),
        queue=_deferred(lambda: _queue(settings.document_queue, clock)),
        generations=_deferred(lambda: _generations(settings.chunk_index)),
        sources=_deferred(lambda: _sources(settings)),
        clock=clock,
        identifiers=RandomIdentifiers(),
        embedder=_deferred(lambda: _embedder(settings)) if settings.embedder else None,
        reranker=_deferred(lambda: _reranker(settings)) if settings.reranker else None,
        generator=_deferred(lambda: _generator(settings)) if settings.generator else None,
        issuer=_deferred(lambda: _issuer(settings, clock)) if settings.oidc_issuer else None,
        first_admin_secret=_first_admin_secret(settings),
    )


class _Deferred:
    """Stands in for an adapter until its first use."""

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = cache(build)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._build(), name)
        # The next access finds the member here and does not come by again.
        self.__dict__[name] = member
        return member


def _deferred(build: Callable[[], Port]) -> Port:
    return cast("Port", _Deferred(build))


def _queue(place: str, clock: Clock) -> Queue:
    """Build the queue of a setting: `sqlite:PATH#NAME`, or an SQS queue's URL."""
    scheme, _, rest = place.partition(":")
    if scheme == "sqlite":
        from knowhub.stores.sqlite.queue import SqliteQueue

        path, _, name = rest.rpartition("#")
        return SqliteQueue(path, name, clock=clock)
    from knowhub.stores.sqs.queue import SqsQueue

    return SqsQueue(_client("sqs"), place)


def _table(place: str) -> Table:
    scheme, _, path = place.partition(":")
    if scheme == "sqlite":
        from knowhub.stores.sqlite.table import SqliteTable

        return SqliteTable(path)
    from knowhub.stores.dynamodb.table import DynamoTable

    return DynamoTable(_client("dynamodb"), place)


def _blobs(place: str, public_url: str, clock: Clock) -> Blobs:
    scheme, _, path = place.partition(":")
    if scheme == "folder":
        from knowhub.stores.folder.blobs import FolderBlobs

        return FolderBlobs(path, public_url=public_url, clock=clock)
    from knowhub.stores.s3.blobs import S3Blobs

    return S3Blobs(_client("s3"), place)


def _generations(place: str) -> ChunkGenerations:
    scheme, _, path = place.partition(":")
    if scheme == "tantivy":
        from knowhub.stores.tantivy.generations import TantivyGenerations

        return TantivyGenerations(path)
    from knowhub.stores.opensearch.engine import Engine
    from knowhub.stores.opensearch.generations import OpenSearchGenerations
    from knowhub.stores.opensearch.places import place_of
    from knowhub.stores.opensearch.wire import ClientWire

    try:
        found = place_of(place)
    except ValueError as error:
        raise InvalidSettings(f"KNOWHUB_CHUNK_INDEX: {error}; the embedded index is tantivy:PATH") from None
    return OpenSearchGenerations(Engine(ClientWire(found, _signing)), found.prefix, found.tuning)


def _signing() -> tuple[Any, str]:
    """Give what requests to the search engine are signed with."""
    session = _session()
    return session.get_credentials(), str(session.region_name)


def _sources(settings: Settings) -> Sources:
    """Open imports to the roots that the settings name, and to public addresses; to this machine's own by a switch."""
    from knowhub.net.client import GuardedClient
    from knowhub.net.policy import Policy
    from knowhub.net.resolving import SystemResolver
    from knowhub.sources.local import LocalFiles
    from knowhub.sources.opening import SourceOpener
    from knowhub.sources.roots import BucketRoot, FolderRoot, Roots
    from knowhub.sources.visits import Pace

    own = frozenset({settings.bucket})
    buckets, folders = [], []
    for one in settings.import_roots:
        if one.root.startswith("s3://"):
            bucket, _, prefix = one.root.removeprefix("s3://").partition("/")
            buckets.append(BucketRoot(bucket, prefix, one.kb_ids))
        else:
            folders.append(FolderRoot(one.root, one.kb_ids))
    stores: dict[str, Files] = {"file": LocalFiles([folder.path for folder in folders])} if folders else {}
    if buckets:
        from knowhub.stores.s3.roots import S3Files

        stores["s3"] = S3Files(_client("s3"), own)
    policy = Policy.local() if settings.loopback_urls else Policy()
    return SourceOpener(
        roots=Roots(tuple(buckets), tuple(folders), own),
        stores=stores,
        client=GuardedClient(policy, SystemResolver()),
        pace=Pace(gap=_HOST_GAP_SECONDS),
    )


def _embedder(settings: Settings) -> Embedder:
    """Build the embedder of a setting that is not `none`; no model is loaded or asked."""
    choice, weight = settings.embedder, settings.embedder_weight
    if choice is None:
        raise InvalidSettings("KNOWHUB_EMBEDDER is none, so that there is none to build")
    if choice.kind == "bedrock":
        from knowhub.calling.bedrock import BedrockModel
        from knowhub.embedders.bedrock import embedder

        model = BedrockModel(_model_client(8), choice.model, variable="KNOWHUB_EMBEDDER")
        return embedder(model, choice.length, weight=weight)
    if choice.endpoint is not None:
        from knowhub.calling.posting import Poster
        from knowhub.embedders.openai_compatible import OpenAiCompatibleEmbedder

        key = _key("KNOWHUB_EMBEDDER_KEY", settings.embedder_key)
        return OpenAiCompatibleEmbedder(Poster(choice.endpoint), choice, key=key, weight=weight)
    from knowhub.embedders.offline import OfflineEmbedder

    return OfflineEmbedder(weight=weight)


def _reranker(settings: Settings) -> Reranker:
    """Build the reranker of a setting that is not `none`."""
    choice = settings.reranker
    if choice is None:
        raise InvalidSettings("KNOWHUB_RERANKER is none, so that there is none to build")
    if choice.endpoint is None:
        from knowhub.calling.bedrock import BedrockModel
        from knowhub.rerankers.bedrock import BedrockReranker

        return BedrockReranker(BedrockModel(_model_client(4), choice.model, variable="KNOWHUB_RERANKER"))
    from knowhub.calling.posting import Poster
    from knowhub.rerankers.http import HttpReranker

    key = _key("KNOWHUB_RERANKER_KEY", settings.reranker_key)
    return HttpReranker(Poster(choice.endpoint), choice.model, key=key, logits=choice.logits)


def _issuer(settings: Settings, clock: Clock) -> "Issuer":
    from knowhub.auth.issuer import Issuer
    from knowhub.auth.key_sets import KeySet
    from knowhub.issuers import TrustedIssuer
    from knowhub.net.client import GuardedClient
    from knowhub.net.policy import Policy
    from knowhub.net.resolving import SystemResolver

    near = settings.loopback_urls
    # A request waits for this: an issuer that is slow counts as one that does not answer.
    policy = Policy(
        http=near, loopback=near, connect_seconds=2, first_byte_seconds=3, total_seconds=5, max_body_bytes=512 * 1024
    )
    keys = KeySet(settings.oidc_issuer, GuardedClient(policy, SystemResolver()), clock)
    return Issuer(TrustedIssuer(settings.oidc_issuer, settings.oidc_audience, settings.oidc_groups), keys, clock)


def _first_admin_secret(settings: Settings) -> Callable[[], str] | None:
    """Give how the secret is read, where the function that asks for it has a reference to one."""
    if not isinstance(settings, Http) or settings.bootstrap_secret is None:
        return None
    key = _key("KNOWHUB_BOOTSTRAP_SECRET", settings.bootstrap_secret)
    return None if key is None else key.secret


def _generator(settings: Settings) -> Generator:
    from knowhub.generators.making import generator_of

    if settings.generator is None:
        raise InvalidSettings("KNOWHUB_GENERATOR is none, so that there is none to build")
    key = _key("KNOWHUB_GENERATOR_KEY", settings.generator_key)
    # Models think for long before their first word, and between words.
    return generator_of(settings.generator, key, lambda: _model_client(30))


def _key(variable: str, reference: KeyReference | None) -> "Key | None":
    from knowhub.calling.keys import Key, KeyReaders

    return None if reference is None else Key(variable, reference, KeyReaders(_client).by_scheme())


def _model_client(seconds: int) -> Any:
    """Give a client that waits for one answer for some seconds and repeats nothing: `Retries` does."""
    from botocore.config import Config

    config = Config(connect_timeout=3, read_timeout=seconds, retries={"total_max_attempts": 1}, max_pool_connections=8)
    return _session().client("bedrock-runtime", config=config)


@cache
def _session() -> Any:
    import boto3

    return boto3.session.Session()


def _client(service: str) -> Any:
    from botocore.config import Config

    # Upload tickets name the bucket's own regional host and are signed with version 4 wherever the stack is.
    config = Config(signature_version="s3v4", s3={"addressing_style": "virtual"}) if service == "s3" else None
    make: Callable[..., Any] = _session().client
    return make(service, config=config)
