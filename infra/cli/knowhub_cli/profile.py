"""Which hub is meant and with which key: flags, then the environment, then the profile, then a local hub's file.

A key is only ever sent to the address that it was given with: a source that names another address lends no key.
"""

import json
import os
import re
import stat
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import click
import httpx

LOCAL_CREDENTIALS = Path(".knowhub", "credentials.json")
"""Where `knowhub up` leaves the address and key of its hub, below the folder it was started in."""

HOW_TO_BEGIN = (
    "No hub is known here. Start one with `knowhub up`, or name one with `knowhub login --url URL` "
    "or the variables KNOWHUB_URL and KNOWHUB_API_KEY. "
    "A hub that runs here is found by itself only where its state folder is ./.knowhub."
)

KEY_SHAPE = re.compile(r"kh_[A-Za-z0-9_-]{43}")


@dataclass(frozen=True, slots=True)
class Connection:
    """A hub's address without `/api/v1` and a trailing slash, and the key for it."""

    url: str
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Hint:
    """What one source says; None where it says nothing."""

    url: str | None = None
    key: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a command runs: its environment, its home and its working folder."""

    environment: Mapping[str, str]
    home: Path
    folder: Path

    @classmethod
    def current(cls) -> "Surroundings":
        """Describe this process."""
        return cls(os.environ, Path.home(), Path.cwd())

    @property
    def profile(self) -> Path:
        """Name the profile file, as the XDG base directory rules place it."""
        configured = self.environment.get("XDG_CONFIG_HOME", "")
        parent = Path(configured) if Path(configured).is_absolute() else self.home / ".config"
        return parent / "knowhub" / "profile.json"


def normal_key(key: str) -> str:
    """Take the white space off a key; raises a usage error, which never shows it, for what has no key's form."""
    stripped = key.strip()
    if KEY_SHAPE.fullmatch(stripped) is None:
        raise click.UsageError(
            "What was given as the API key has not the form of one: it is kh_ and 43 letters, digits, - and _."
        )
    return stripped


def normal_url(url: str) -> str:
    """Bring an address to one spelling; raises a usage error for what is no http(s) address."""
    refused = click.UsageError(f"{url!r} is no hub's address; it looks like https://hub.example.com")
    try:
        parts = urlsplit(url.strip())
        port = f":{parts.port}" if parts.port else ""
        httpx.URL(url.strip())
    except (ValueError, httpx.InvalidURL):
        raise refused from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
        raise refused
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    path = parts.path.rstrip("/").removesuffix("/api/v1").rstrip("/")
    return f"{parts.scheme}://{host}{port}{path}"


def resolve(url: str | None, key: str | None, here: Surroundings) -> Connection:
    """Find the hub and its key, whose form is checked; raises a usage error that says how to go on."""
    flags = Hint(url or None, key or None)
    environment = Hint(here.environment.get("KNOWHUB_URL") or None, here.environment.get("KNOWHUB_API_KEY") or None)
    return _pick([flags, environment], [here.profile, here.folder / LOCAL_CREDENTIALS])


def _pick(hints: Sequence[Hint], files: Sequence[Path]) -> Connection:
    """Take the first address, then the first key that belongs to it; a file is opened only when it is needed."""
    known = list(hints)
    remaining = list(files)
    while (found := _complete(known)) is None and remaining:
        known.append(read_hint(remaining.pop(0)))
    if found is not None:
        return found
    address = next((hint.url for hint in known if hint.url), None)
    if address is None:
        raise click.UsageError(HOW_TO_BEGIN)
    known_as = normal_url(address)
    raise click.UsageError(
        f"No key is known for {known_as}: use `knowhub login --url {known_as}` or the variable KNOWHUB_API_KEY."
    )


def _complete(hints: Sequence[Hint]) -> Connection | None:
    """Join an address and a key where the sources so far have both."""
    address = next((normal_url(hint.url) for hint in hints if hint.url), None)
    if address is None:
        return None
    keys = (hint.key for hint in hints if hint.key and (hint.url is None or normal_url(hint.url) == address))
    return next((Connection(address, normal_key(key)) for key in keys), None)


def read_hint(path: Path) -> Hint:
    """Read a file with `url` and `api_key`; an absent one says nothing, one that others can read is refused."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = os.fstat(file.fileno()).st_mode
            content = json.load(file)
    except FileNotFoundError:
        return Hint()
    except (OSError, ValueError, RecursionError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is no JSON"
        raise click.UsageError(f"{path} can't be read as a profile: {reason}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise click.UsageError(f"{path} holds a key and others can read it; run: chmod 600 '{path}'")
    if not isinstance(content, dict):
        raise click.UsageError(f"{path} is no profile: it holds no JSON object")
    return Hint(_text(content.get("url")), _text(content.get("api_key")))


def _text(value: object) -> str | None:
    """Take a non-empty string."""
    return value if isinstance(value, str) and value else None


def write_profile(path: Path, connection: Connection) -> None:
    """Replace the profile whole, readable for its owner only from the first byte on."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".profile-")  # mkstemp makes it with mode 600
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"url": connection.url, "api_key": connection.key}, file, indent=2)
        file.write("\n")
    Path(name).replace(path)
