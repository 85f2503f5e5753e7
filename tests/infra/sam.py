"""Runs the sam command as a person would, with what differs between machines switched off."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.environments import ROOT, require

REGION = "eu-central-1"

_TIMEOUT = 240


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give an environment without credentials and telemetry in which sam and `uv` are found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SAM_", "KNOWHUB_"))}
    tools = os.pathsep.join([str(require("sam") / "bin"), str(Path(sys.executable).parent)])
    return {
        **kept,
        "PATH": os.pathsep.join([tools, kept.get("PATH", os.defpath)]),
        "SAM_CLI_TELEMETRY": "0",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "PYTHONWARNINGS": "ignore",
        **(extra or {}),
    }


def run(*arguments: str, extra: Mapping[str, str] | None = None) -> str:
    """Run a program of the sam environment in the project's folder and give what it printed; fails with it."""
    program = require("sam") / "bin" / arguments[0]
    done = subprocess.run(
        [str(program), *arguments[1:]],
        cwd=ROOT,
        env=environment(extra),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(arguments)} failed:\n{printed}"
    return done.stdout
