"""`knowhub up`: the whole hub on this machine."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import click

from knowhub_cli.checkout import checkout
from knowhub_cli.failures import Failed
from knowhub_cli.models import model_options, models_environment


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
@click.option(
    "--allow-folder",
    "folders",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that imports may read; may be given more than once. Without it they read none.",
)
@click.option("--allow-loopback-urls", is_flag=True, help="Let imports fetch addresses of this machine, too.")
@click.option("--opensearch", metavar="URL", help="Keep chunks in the OpenSearch at http://HOST:PORT[/PREFIX].")
@model_options
@click.option("--verbose", is_flag=True, help="Show the functions' own logs.")
def up(
    port: int,
    state: Path,
    folders: Sequence[Path],
    *,
    no_samples: bool,
    allow_loopback_urls: bool,
    opensearch: str | None,
    verbose: bool,
    **models: str,
) -> None:
    """Run the hub on 127.0.0.1 until it is interrupted.

    The first start of a state folder makes an administrator and a key, and keeps both in the folder.
    """
    environment = imports_environment(folders, loopback_urls=allow_loopback_urls)
    environment |= chunks_environment(opensearch)
    environment |= models_environment(models, os.environ)
    # The server's libraries would slow down every other command.
    from knowhub_cli.local.failures import CannotStart  # noqa: PLC0415 - see above
    from knowhub_cli.local.first_start import prepare  # noqa: PLC0415 - see above
    from knowhub_cli.local.host import LocalHost  # noqa: PLC0415 - see above
    from knowhub_cli.local.options import HostOptions  # noqa: PLC0415 - see above
    from knowhub_cli.local.running import run  # noqa: PLC0415 - see above
    from knowhub_cli.local.welcome import announce  # noqa: PLC0415 - see above

    root = checkout()

    def welcome(host: LocalHost) -> None:
        samples = None if no_samples else root
        prepared = prepare(host.settings_environment("HttpFunction"), host.places.state, host.url, samples)
        announce(prepared, Path.cwd(), click.echo)

    options = HostOptions(inherited=os.environ, environment=environment, verbose=verbose)
    try:
        run(root, state, port, options=options, on_ready=welcome)
    except CannotStart as error:
        raise Failed(str(error)) from None
    click.echo("stopped")


def imports_environment(folders: Sequence[Path], *, loopback_urls: bool) -> dict[str, str]:
    """Give the variables that open imports to these folders and to this machine's own addresses."""
    environment = {}
    if folders:
        roots = [{"root": str(folder.resolve())} for folder in folders]
        environment["KNOWHUB_IMPORT_ROOTS"] = json.dumps(roots)
    if loopback_urls:
        environment["KNOWHUB_LOOPBACK_URLS"] = "true"
    return environment


def chunks_environment(opensearch: str | None) -> dict[str, str]:
    """Give the variable that keeps chunks in an engine at a URL, where there is one, in place of the state folder."""
    if opensearch is None:
        return {}
    from knowhub.stores.opensearch.places import place_of  # noqa: PLC0415 - other commands do without the hub's package

    place = f"opensearch:{opensearch}"
    try:
        place_of(place)
    except ValueError as error:
        raise click.UsageError(f"--opensearch: {error}") from None
    return {"KNOWHUB_CHUNK_INDEX": place}
