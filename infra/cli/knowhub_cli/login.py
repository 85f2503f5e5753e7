"""`knowhub login`: keep a hub's address and key for the next commands."""

import sys
import time
from contextlib import closing

import click

from knowhub_cli.client import Hub, is_loopback
from knowhub_cli.output import Output
from knowhub_cli.profile import Connection, Surroundings, normal_key, normal_url, write_profile


@click.command()
@click.option("--url", required=True, help="The hub's address.")
@click.option("--key", help="The API key; without it you are asked for it, or it is read from standard input.")
def login(url: str, key: str | None) -> None:
    """Check a key with its hub and keep both in the profile file, which only you can read."""
    connection = Connection(normal_url(url), normal_key(_asked() if key is None else key))
    output = Output.standard(as_json=False)
    if connection.url.startswith("http:") and not is_loopback(connection.url):
        output.note("this address is not encrypted: the key can be read on the way", style="yellow")
    with closing(Hub(connection, time.sleep)) as hub:
        hub.get("/kb", {"page_size": 1})
    path = Surroundings.current().profile
    write_profile(path, connection)
    output.text(f"signed in at {connection.url}; kept in {path}")


def _asked() -> str:
    """Ask a person without showing the answer; a program's first line is taken as it comes."""
    if sys.stdin.isatty():
        return str(click.prompt("API key", hide_input=True))
    return sys.stdin.readline()
