"""What every command that talks to a hub begins with: its options, the hub, and where to print."""

import functools
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, Concatenate, ParamSpec

import click

from knowhub_cli.client import Hub
from knowhub_cli.failures import Failed
from knowhub_cli.output import Output
from knowhub_cli.profile import Surroundings, resolve

P = ParamSpec("P")


def with_hub(command: Callable[Concatenate[Hub, Output, P], None]) -> Callable[..., None]:
    """Give a command the options --url, --key and --json, and call it with an open hub and its output.

    --url and --key may stand before the command's name too; those behind it win.
    """

    @click.option("--url", help="The hub's address.")
    @click.option("--key", help="The API key; other users of this machine can see it in the process list.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        url, key, as_json = (kwargs.pop(name) for name in ("url", "key", "as_json"))
        before = click.get_current_context().find_root().params
        connection = resolve(
            _optional(url or before.get("url")), _optional(key or before.get("key")), Surroundings.current()
        )
        with closing(Hub(connection, time.sleep)) as hub:
            command(hub, Output.standard(as_json=bool(as_json)), *args, **kwargs)

    return run


def _optional(value: object) -> str | None:
    """Take an option's value as click gives it."""
    return None if value is None else str(value)


def find_kb(hub: Hub, name: str) -> Mapping[str, Any] | None:
    """Find the KB of this name or, where it is a number, of this id; None where no readable one has the name.

    Names are compared as the hub does, without regard to case; of several that fit, the one spelt just so is taken.
    Raises `Failed` where it is still open which is meant, and `Refused` for an unknown id.
    """
    if name.isascii() and name.isdecimal():
        found: Mapping[str, Any] = hub.get(f"/kb/{name}")
        return found
    # The hub takes the white space off a new KB's name.
    wanted = name.strip()
    matches = [kb for kb in hub.pages("/kb") if str(kb["name"]).casefold() == wanted.casefold()]
    matches = [kb for kb in matches if kb["name"] == wanted] or matches
    if len(matches) > 1:
        ids = ", ".join(str(kb["kb_id"]) for kb in matches)
        raise Failed(f"Several knowledge bases are named {name!r}; use an id instead: {ids}")
    return matches[0] if matches else None


def existing_kb(hub: Hub, name: str) -> int:
    """Find a KB's id; raises `Failed` where there is none."""
    found = find_kb(hub, name)
    if found is None:
        raise Failed(f"There is no knowledge base named {name!r} here, or it can't be read with this key.")
    return int(found["kb_id"])
