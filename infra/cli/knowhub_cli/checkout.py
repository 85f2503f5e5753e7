"""Where the project lies: the local host runs what stands there."""

from pathlib import Path

from knowhub_cli.failures import Failed


def checkout() -> Path:
    """Give the folder with `template.yaml` that this command belongs to; raises `Failed` where there is none."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "template.yaml").is_file():
        raise Failed(
            "A hub can only be run from a checkout of the project: there is no template.yaml beside this command."
        )
    return root
