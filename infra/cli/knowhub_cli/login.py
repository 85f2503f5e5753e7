"""`knowhub login`: keep a hub's address and key for the next commands."""

import platform
import sys
import time
from collections.abc import Callable
from contextlib import closing

import click

from knowhub_cli.client import Hub, is_loopback
from knowhub_cli.failures import Refused
from knowhub_cli.output import Output
from knowhub_cli.profile import Connection, Surroundings, normal_key, normal_url, write_profile


@click.command()
@click.option("--url", required=True, help="The hub's address.")
@click.option("--key", help="The API key; without it you are asked for it, or it is read from standard input.")
@click.option("--username", help="Sign in with a password in place of a key, and have a key made for this machine.")
def login(url: str, key: str | None, username: str | None) -> None:
    """Check a key with its hub, or have one made, and keep it in the profile file, which only you can read."""
    if key is not None and username is not None:
        raise click.UsageError("Give --key or --username, not both.")
    address = normal_url(url)
    output = Output.standard(as_json=False)
    if address.startswith("http:") and not is_loopback(address):
        output.note("this address is not encrypted: the key can be read on the way", style="yellow")
    if username is not None:
        key = made_key(address, username, _asked("Password").rstrip("\r\n"), time.sleep)
    connection = Connection(address, normal_key(_asked("API key") if key is None else key))
    with closing(Hub(connection, time.sleep)) as hub:
        hub.get("/kb", {"page_size": 1})
    path = Surroundings.current().profile
    write_profile(path, connection)
    output.text(f"signed in at {connection.url}; kept in {path}")


def made_key(url: str, username: str, password: str, sleep: Callable[[float], None]) -> str:
    """Sign in, make an API key with all that the user may do, and sign out; raises as `Hub` does."""
    with closing(Hub(Connection(url, "none"), sleep)) as hub:
        token = str(hub.post("/auth/login", {"username": username, "password": password})["access_token"])
    with closing(Hub(Connection(url, token), sleep)) as hub:
        try:
            scopes = hub.get("/me")["scopes"]
            secret = hub.create("/api-keys", {"name": f"knowhub login on {_machine()}", "scopes": scopes})["secret"]
        finally:
            hub.act("/auth/logout")
    if secret is None:
        raise Refused(0, "", "the answer with the new key was lost on the way; delete that key and sign in again")
    return str(secret)


def _machine() -> str:
    name = "".join(character for character in platform.node() if character.isprintable())
    return name[:100] or "a machine"


def _asked(what: str) -> str:
    """Ask a person without showing the answer; a program's first line is taken as it comes."""
    if sys.stdin.isatty():
        return str(click.prompt(what, hide_input=True))
    return sys.stdin.readline()
