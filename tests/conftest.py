"""What every folder of tests may use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hubs import Rig, rig


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Rig]:
    """Give a whole hub over the embedded stores in a temporary folder."""
    with rig(tmp_path) as built:
        yield built


@pytest.fixture
def alice(hub: Rig) -> str:
    """Give an API key of a user who may do everything with what she owns."""
    return hub.user("alice")


@pytest.fixture
def bob(hub: Rig) -> str:
    """Give an API key of another user."""
    return hub.user("bob")


@pytest.fixture
def kb(hub: Rig, alice: str) -> int:
    """Give a private KB of Alice's."""
    return int(hub.http("POST", "/kb", {"name": "Notes"}, key=alice).json["kb_id"])
