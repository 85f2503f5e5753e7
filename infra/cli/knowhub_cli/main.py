"""The `knowhub` command and its exit codes."""

import os
import sys
from collections.abc import Sequence

import click

from knowhub_cli.ask import ask
from knowhub_cli.demo_command import demo
from knowhub_cli.failures import FAILED, INTERRUPTED
from knowhub_cli.ingest import ingest
from knowhub_cli.login import login
from knowhub_cli.search import search
from knowhub_cli.status import status
from knowhub_cli.up import up


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", help="The hub's address, for any command.")
@click.option("--key", help="The API key, for any command.")
def knowhub(url: str | None, key: str | None) -> None:
    """Run a knowledge hub here, or use one that runs elsewhere."""


for _command in (up, demo, login, ingest, search, ask, status):
    knowhub.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; see `knowhub_cli.failures` for what each means."""
    try:
        result = knowhub.main(None if arguments is None else list(arguments), "knowhub", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as failure:
        failure.show()
        return failure.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough; flushing into the closed pipe at exit would complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return result if isinstance(result, int) else 0
