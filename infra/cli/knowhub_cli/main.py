"""The `knowhub` command and its exit codes."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from knowhub.version import VERSION
from knowhub_cli.ask import ask
from knowhub_cli.demo_command import demo
from knowhub_cli.eval import evaluate
from knowhub_cli.failures import FAILED, INTERRUPTED, READER_GONE
from knowhub_cli.ingest import ingest
from knowhub_cli.login import login
from knowhub_cli.reindex import reindex
from knowhub_cli.search import search
from knowhub_cli.status import status
from knowhub_cli.up import up


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", help="The hub's address, for any command.")
@click.option("--key", help="The API key, for any command.")
@click.version_option(VERSION, message="knowhub %(version)s")
def knowhub(url: str | None, key: str | None) -> None:
    """Run a knowledge hub here, or use one that runs elsewhere."""


for _command in (up, demo, login, ingest, search, ask, status, reindex, evaluate):
    knowhub.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code; see `knowhub_cli.failures` for what each means."""
    try:
        return _run(arguments)
    except (BrokenPipeError, SystemExit):
        # The printing libraries end the program by themselves where whoever read its output has gone.
        _forget_output()
        return READER_GONE
    except OSError as error:
        _forget_output()
        where = error.filename or "the output can't be written"
        click.echo(f"Error: {where}: {error.strerror or type(error).__name__}", err=True)
        return FAILED


def _run(arguments: Sequence[str] | None) -> int:
    """Run one command; what it could not print raises `OSError` here and not at the interpreter's end."""
    try:
        result = knowhub.main(None if arguments is None else list(arguments), "knowhub", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as failure:
        sys.stdout.flush()
        failure.show()
        return failure.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return result if isinstance(result, int) else 0


def _forget_output() -> None:
    """Let what is still to be printed go nowhere: flushing it at the interpreter's end would fail again."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
