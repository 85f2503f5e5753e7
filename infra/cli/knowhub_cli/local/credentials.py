"""`credentials.json` in the state folder (mode 600): how its owner reaches the hub that runs there."""

import json
import os
import secrets
import stat
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

NAME = "credentials.json"


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to reach a local hub."""

    url: str
    username: str
    password: str = field(repr=False)
    api_key: str = field(repr=False)


def new_password() -> str:
    """Make a password from the operating system's randomness."""
    return secrets.token_urlsafe(18)


def read(path: Path) -> Credentials | None:
    """Read the file; None where it is absent or holds anything but these four texts. Raises `OSError`."""
    try:
        content = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError, RecursionError):
        return None
    names = {one.name for one in fields(Credentials)}
    if not isinstance(content, dict) or set(content) != names:
        return None
    return Credentials(**content) if all(isinstance(value, str) for value in content.values()) else None


def write(path: Path, credentials: Credentials) -> None:
    """Write the file whole and for its owner only, from its first byte on. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(credentials), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def close_to_others(path: Path) -> bool:
    """Take from others the right to read the file; tells whether they had it. Raises `OSError`."""
    if not path.exists() or stat.S_IMODE(path.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR:
        return False
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    return True
