"""Which models a hub uses, as its settings write it. Reading is all that is done here: nothing is asked or loaded.

Whatever does not fit raises `ValueError`, whose words follow the variable's name and show nothing of its value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from knowhub.calling.endpoints import Endpoint, endpoint

BEDROCK_EMBEDDERS: Mapping[str, tuple[int, ...]] = {
    "amazon.titan-embed-text-v2:0": (1024, 512, 256),
    "cohere.embed-multilingual-v3": (1024,),
}
"""Embedding models of Bedrock whose requests are known here, and the lengths of their vectors, the usual one first."""

BEDROCK_RERANKERS = frozenset({"cohere.rerank-v3-5:0", "amazon.rerank-v1:0"})
"""Reranking models of Bedrock whose requests are known here."""

OPENAI_LENGTHS: Mapping[str, int] = {
    "text-embedding-3-large": 3072,
    "text-embedding-3-small": 1536,
    "text-embedding-ada-002": 1536,
}
"""Models whose vectors' length need not be said."""

MAX_LENGTH = 4096
"""Numbers in a vector."""

CHARACTERS = 6000
"""Characters of a text that are embedded over HTTP, unless said otherwise: below 8,192 tokens in most writing."""

# Patterns are compiled where a setting needs them: every function imports this module when it starts.
_MODEL = r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}"
_BEDROCK_MODEL = r"[a-z0-9]{1,40}\.[a-z0-9][A-Za-z0-9.:-]{0,150}"
_PROFILE = r"[a-z]{2,12}(?:-gov)?"
_KEY_NAMES = {
    "file": r"/.+",
    "env": r"[A-Za-z_][A-Za-z0-9_]{0,99}",
    "ssm": r"/[A-Za-z0-9_./-]{1,1000}",
    "secretsmanager": r"arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+",
}
_MOST_WEIGHT = 10.0


@dataclass(frozen=True, slots=True)
class EmbedderChoice:
    """An embedder: `model` is empty for the offline one, `endpoint` is there for `openai`.

    `length` is that of its vectors, and `asked` says that the model is to be told it. Texts are cut at `characters`.
    """

    kind: Literal["offline", "bedrock", "openai"]
    model: str = ""
    length: int = 0
    asked: bool = False
    endpoint: Endpoint | None = None
    characters: int = CHARACTERS


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """A reranker: `endpoint` is there for `http`; with `logits` its scores are any numbers, else 0 to 1."""

    kind: Literal["bedrock", "http"]
    model: str
    endpoint: Endpoint | None = None
    logits: bool = False


@dataclass(frozen=True, slots=True)
class GeneratorChoice:
    """A generator: `model` is as its server knows it, `endpoint` is there for `openai`.

    `limit` is the name of the request's member that bounds an answer.
    """

    kind: Literal["bedrock", "openai"]
    model: str
    endpoint: Endpoint | None = None
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"


@dataclass(frozen=True, slots=True)
class KeyReference:
    """Where a secret lies: a file's path, a variable's name, a parameter's name or a secret's ARN."""

    scheme: Literal["file", "env", "ssm", "secretsmanager"]
    name: str


def embedder_choice(text: str) -> EmbedderChoice | None:
    """Read `none`, `offline`, `bedrock:MODEL[?dimensions=N]` or `openai:URL?model=NAME…`; None for `none`."""
    kind, _, rest = text.strip().partition(":")
    if text.strip() == "none":
        return None
    if text.strip() == "offline":
        return EmbedderChoice("offline", length=512)
    if kind == "bedrock":
        return _bedrock_embedder(rest)
    if kind == "openai":
        return _openai_embedder(rest)
    raise ValueError("is neither none nor offline, and begins with neither bedrock: nor openai:")


def reranker_choice(text: str) -> RerankerChoice | None:
    """Read `none`, `bedrock:MODEL` or `http:URL?model=NAME[&scores=logits]`; None for `none`."""
    kind, _, rest = text.strip().partition(":")
    if text.strip() == "none":
        return None
    if kind == "bedrock":
        if rest not in BEDROCK_RERANKERS:
            raise ValueError(f"names no reranker of Bedrock that is known here: {', '.join(sorted(BEDROCK_RERANKERS))}")
        return RerankerChoice("bedrock", rest)
    if kind == "http":
        url, options = _options(rest, {"model", "scores"})
        if options.get("scores", "logits") != "logits":
            raise ValueError("has scores that are not logits; leave them out where they are 0 to 1")
        return RerankerChoice("http", _model(options), endpoint(url), logits="scores" in options)
    raise ValueError("is not none, and begins with neither bedrock: nor http:")


def generator_choice(text: str) -> GeneratorChoice | None:
    """Read `none`, `bedrock:MODEL[?profile=NAME]` or `openai:URL?model=NAME…`; None for `none`.

    A profile of Bedrock is the prefix of its id, such as `eu`: the id is that and the model's.
    """
    kind, _, rest = text.strip().partition(":")
    if text.strip() == "none":
        return None
    if kind == "bedrock":
        model, options = _options(rest, {"profile"})
        if not re.fullmatch(_BEDROCK_MODEL, model):
            raise ValueError("names no model of Bedrock: bedrock:MODEL, as the service spells it")
        if "profile" in options and not re.fullmatch(_PROFILE, options["profile"]):
            raise ValueError("has a profile that is none: profile=eu, us, apac, global")
        return GeneratorChoice("bedrock", f"{options['profile']}.{model}" if "profile" in options else model)
    if kind == "openai":
        url, options = _options(rest, {"model", "limit"})
        limit = options.get("limit", "max_tokens")
        if limit not in {"max_tokens", "max_completion_tokens"}:
            raise ValueError("has a limit that is neither max_tokens nor max_completion_tokens")
        # The two that pass are the type's values.
        return GeneratorChoice("openai", _model(options), endpoint(url), limit)  # type: ignore[arg-type]  # see above
    raise ValueError("is not none, and begins with neither bedrock: nor openai:")


def key_reference(text: str) -> KeyReference:
    """Read `file:PATH`, `env:NAME`, `ssm:/NAME` or `secretsmanager:ARN`; a key itself is refused."""
    scheme, _, name = text.strip().partition(":")
    if scheme not in _KEY_NAMES:
        raise ValueError("is no reference to a key: file:PATH, env:NAME, ssm:/NAME or secretsmanager:ARN")
    if not re.fullmatch(_KEY_NAMES[scheme], name):
        raise ValueError(f"is no {scheme}: reference that can be followed")
    # The table's keys are the type's values.
    return KeyReference(scheme, name)  # type: ignore[arg-type]  # see above


def weight(text: str) -> float:
    """Read how much the dense leg counts beside the text legs, each of which has 1.0."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError("is no number") from None
    if not 0 <= value <= _MOST_WEIGHT:
        raise ValueError(f"is not between 0 and {_MOST_WEIGHT:g}")
    return value


def _bedrock_embedder(rest: str) -> EmbedderChoice:
    model, options = _options(rest, {"dimensions"})
    lengths = BEDROCK_EMBEDDERS.get(model)
    if lengths is None:
        raise ValueError(f"names no embedder of Bedrock that is known here: {', '.join(BEDROCK_EMBEDDERS)}")
    length = _number(options, "dimensions", MAX_LENGTH) or lengths[0]
    if length not in lengths:
        raise ValueError(f"asks for dimensions that the model does not have: {', '.join(map(str, lengths))}")
    return EmbedderChoice("bedrock", model, length)


def _openai_embedder(rest: str) -> EmbedderChoice:
    url, options = _options(rest, {"model", "dimensions", "length", "characters"})
    model, place = _model(options), endpoint(url)
    if "dimensions" in options and "length" in options:
        raise ValueError("says both dimensions and length; one is enough")
    asked = _number(options, "dimensions", MAX_LENGTH)
    length = asked or _number(options, "length", MAX_LENGTH) or OPENAI_LENGTHS.get(model)
    if length is None:
        raise ValueError("has to say how long the model's vectors are: dimensions=N to ask for it, length=N as it is")
    characters = _number(options, "characters", 100_000) or CHARACTERS
    return EmbedderChoice("openai", model, length, asked is not None, place, characters)


def _options(text: str, known: set[str]) -> tuple[str, dict[str, str]]:
    """Part an address or a name from what stands after its question mark."""
    head, mark, query = text.partition("?")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if mark else []
    except ValueError:
        raise ValueError("has options that can't be read: name=value, joined by &") from None
    options = dict(pairs)
    if len(options) != len(pairs) or not options.keys() <= known:
        raise ValueError(f"has options that are unknown or said twice; known are {', '.join(sorted(known))}")
    return head, options


def _model(options: Mapping[str, str]) -> str:
    if not re.fullmatch(_MODEL, options.get("model", "")):
        raise ValueError("names no model: model=NAME after the question mark")
    return options["model"]


def _number(options: Mapping[str, str], name: str, most: int) -> int | None:
    if name not in options:
        return None
    text = options[name]
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most):
        raise ValueError(f"has {name} that are no number from 1 to {most}")
    return int(text)
