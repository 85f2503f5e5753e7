"""`python -m knowhub_cli` is the `knowhub` command."""

import sys


def run() -> int:
    """Run the command; an interrupt while its modules are loaded ends it as one later on does."""
    try:
        from knowhub_cli.main import main  # noqa: PLC0415 - loading takes long enough to be interrupted
    except KeyboardInterrupt:
        return 130
    return main()


if __name__ == "__main__":
    sys.exit(run())
