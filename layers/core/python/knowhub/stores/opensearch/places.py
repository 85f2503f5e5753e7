"""Where an engine is, as a setting names it."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

DEFAULT_PREFIX = "knowhub"

_PREFIX = re.compile(r"[a-z0-9][a-z0-9_-]{0,99}")
_OPTIONS = {"shards": r"[1-9]\d{0,2}", "vectors": r"lucene|faiss", "exact": r"\d{1,6}"}
_SIGNED_PORT = 443
_PLAIN_PORT = 9200


@dataclass(frozen=True, slots=True)
class Tuning:
    """What an operator may choose.

    New generations get so many primary shards, and keep their vectors with this engine. A dense leg compares every
    vector of a scope that has up to `exact` chunks, and misses none there.
    """

    shards: int = 1
    vectors: str = "lucene"
    exact: int = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """An engine and the prefix of the indexes in it; `signed` where requests bear the function's AWS signature."""

    host: str
    port: int
    tls: bool
    signed: bool
    prefix: str
    tuning: Tuning = Tuning()


def place_of(setting: str) -> Place:
    """Read `https://HOST[/PREFIX]`, a domain on AWS, or `opensearch:http(s)://HOST[:PORT][/PREFIX]`, any other engine.

    `?shards=N&vectors=ENGINE&exact=N` may follow. Raises `ValueError` for anything else, with a message for who made
    the setting.
    """
    signed = not setting.startswith("opensearch:")
    parts = urlsplit(setting.removeprefix("opensearch:"))
    if parts.scheme not in ({"https"} if signed else {"http", "https"}) or not parts.hostname:
        raise ValueError("an engine is https://HOST[/PREFIX] or opensearch:http://HOST:PORT[/PREFIX]")
    if parts.username or parts.password or parts.fragment:
        raise ValueError("the address of an engine holds no credentials and no fragment")
    if parts.hostname.endswith(".aoss.amazonaws.com"):
        raise ValueError("a serverless collection has no refresh to rely on; make a domain")
    prefix = parts.path.strip("/") or DEFAULT_PREFIX
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"the prefix {prefix!r} of the indexes is not of small letters, digits, - and _")
    port = parts.port or (_SIGNED_PORT if parts.scheme == "https" else _PLAIN_PORT)
    return Place(parts.hostname, port, parts.scheme == "https", signed, prefix, _tuning(parts.query))


def _tuning(query: str) -> Tuning:
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, value in options.items():
        if not re.fullmatch(_OPTIONS.get(name, "(?!)"), value, re.ASCII):
            raise ValueError(f"{name}={value} is no option of an engine; shards=N, vectors=lucene|faiss, exact=N are")
    numbers = {name: int(value) for name, value in options.items() if name != "vectors"}
    return Tuning(vectors=options.get("vectors", "lucene"), **numbers)
