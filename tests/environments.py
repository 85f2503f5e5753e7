"""Where the environments of the tools are, and what a test does where one is missing."""

import os
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parent.parent

_PROOFS = {"sam": "sam", "checkov": "checkov", "emulator": "ministack"}
"""One program of each environment; an environment that lacks it is still being made."""


def require(name: str) -> Path:
    """Give the folder of a tool's environment, `.tools/<name>`; skip the test where it is missing.

    Where `CI` is `true` a missing environment fails the test instead: there, nothing may go unchecked.
    """
    folder = ROOT / ".tools" / name
    if not (folder / "bin" / _PROOFS[name]).is_file():
        absent(f".tools/{name} is not there; `make install-dev` makes it")
    return folder


def absent(reason: str) -> NoReturn:
    """Skip the test for want of something on this machine; where `CI` is `true`, fail it."""
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
