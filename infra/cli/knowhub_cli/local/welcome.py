"""What a start of the local host prints."""

from collections.abc import Callable
from pathlib import Path

from knowhub_cli.local.first_start import SAMPLE_KB, Welcome
from knowhub_cli.profile import LOCAL_CREDENTIALS

LAUNCHER = Path(".venv", "bin", "knowhub")
"""The command as it is called from a checkout, whose environment is usually not on the search path."""


def announce(welcome: Welcome, folder: Path, say: Callable[[str], None]) -> None:
    """Print where the hub is, where its key lies and what to try from `folder`; a secret only where it is new."""
    credentials, path = welcome.credentials, welcome.path
    command = str(LAUNCHER) if (folder / LAUNCHER).exists() else "knowhub"
    for note in welcome.notes:
        say(note)
    say(f"knowhub is ready at {credentials.url}")
    if welcome.fresh:
        say(f"  user      {credentials.username}")
        say(f"  password  {credentials.password}")
        say(f"  API key   {credentials.api_key}")
        say(f"  (shown once; kept in {path})")
    else:
        say(f"  API key   in {path}")
    if path != folder / LOCAL_CREDENTIALS:
        _say_how_to_be_found(welcome, command, say)
    say("Try:")
    if welcome.sample_kb:
        say(f'  {command} search "how are chunks made" --kb {SAMPLE_KB}')
    else:
        say(f"  {command} status")
    if welcome.fresh:
        say(
            f"  curl -s {credentials.url}/api/v1/search -H 'Authorization: Bearer {credentials.api_key}' "
            "-H 'Content-Type: application/json' -d '{\"query\": \"how are chunks made\"}'"
        )
    say(f"  MCP         {credentials.url}/mcp")
    say(f"  agent card  {credentials.url}/.well-known/agent-card.json")


def _say_how_to_be_found(welcome: Welcome, command: str, say: Callable[[str], None]) -> None:
    """Commands look for a local hub in the current folder only."""
    url, path = welcome.credentials.url, welcome.path
    say("Its state folder is not ./.knowhub: to let other commands find it, keep its address and key:")
    say(f"  {command} login --url {url}   (it asks for the key in {path})")
    say("or, for one terminal:")
    say(f"  export KNOWHUB_URL={url} KNOWHUB_API_KEY={welcome.credentials.api_key if welcome.fresh else 'kh_...'}")
