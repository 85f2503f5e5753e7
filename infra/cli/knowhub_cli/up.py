"""`knowhub up`: the whole hub on this machine."""

import os
from pathlib import Path

import click

from knowhub_cli.checkout import checkout
from knowhub_cli.failures import Failed


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8010, show_default=True, help="Port; 0 takes a free one."
)
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".knowhub"),
    show_default=True,
    help="The folder that holds everything the hub knows.",
)
@click.option("--no-samples", is_flag=True, help="Begin empty, without the sample documents.")
@click.option("--verbose", is_flag=True, help="Show the functions' own logs.")
def up(port: int, state: Path, *, no_samples: bool, verbose: bool) -> None:
    """Run the hub on 127.0.0.1 until it is interrupted.

    The first start of a state folder makes an administrator and a key, and keeps both in the folder.
    """
    # The server's libraries would slow down every other command.
    from knowhub_cli.local.failures import CannotStart  # noqa: PLC0415 - see above
    from knowhub_cli.local.first_start import announce, prepare  # noqa: PLC0415 - see above
    from knowhub_cli.local.host import LocalHost, run  # noqa: PLC0415 - see above
    from knowhub_cli.local.options import HostOptions  # noqa: PLC0415 - see above

    root = checkout()

    def welcome(host: LocalHost) -> None:
        samples = None if no_samples else root / "docs"
        announce(prepare(host.settings_environment("HttpFunction"), host.places.state, host.url, samples), click.echo)

    options = HostOptions(inherited=os.environ, verbose=verbose)
    try:
        run(root, state, port, options=options, on_ready=welcome)
    except CannotStart as error:
        raise Failed(str(error)) from None
