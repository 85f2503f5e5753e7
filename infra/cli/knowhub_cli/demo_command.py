"""`knowhub demo`, as a command."""

import click

from knowhub_cli.checkout import checkout
from knowhub_cli.demo import DemoFailed, run
from knowhub_cli.failures import Failed


@click.command()
def demo() -> None:
    """Run a throw-away hub, put the documentation into it, ask over every protocol, compare, and stop it again."""
    try:
        run(checkout(), click.echo)
    except DemoFailed as error:
        raise Failed(str(error)) from None
