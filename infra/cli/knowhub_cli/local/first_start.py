"""The first start of a state folder: an admin, an API key, and a KB to try, made once.

`credentials.json` (mode 600) in the state folder keeps what was printed: `url`, `username`, `password`, `api_key`.
"""

import json
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from knowhub import bootstrap
from knowhub.gateways.hub import Hub
from knowhub.services.documents import Submission
from knowhub.services.knowledge_bases import NewKnowledgeBase
from knowhub.settings import Settings

ADMIN = "admin"
SAMPLE_KB = "Handbook"
CREDENTIALS = "credentials.json"


@dataclass(frozen=True, slots=True)
class Credentials:
    """How to reach a local hub."""

    url: str
    username: str
    password: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a start has to say: credentials are news only on the first one."""

    credentials: Credentials
    first: bool
    kb_id: int | None


def prepare(environment: Mapping[str, str], state: Path, url: str, samples: Path | None) -> Welcome:
    """Make sure that the state folder has an admin with a key; on the first start make the sample KB too.

    A start that was killed half-way is completed by the next one. `samples` is a folder of Markdown files, or None.
    """
    hub = bootstrap.hub(Settings.load(environment))
    path = state / CREDENTIALS
    known = _read(path)
    if known is not None and hub.identity.user_named(known.username) is not None:
        current = known if known.url == url else _write(path, Credentials(**{**asdict(known), "url": url}))
        return Welcome(current, first=False, kb_id=None)
    credentials = _write(path, _admin(hub, url))
    kb_id = None if samples is None else _sample_kb(hub, credentials, samples)
    return Welcome(credentials, first=True, kb_id=kb_id)


def announce(welcome: Welcome, say: Callable[[str], None]) -> None:
    """Print what to try; a secret is shown on the first start only."""
    credentials, url = welcome.credentials, welcome.credentials.url
    say(f"knowhub is ready at {url}")
    if welcome.first:
        say(f"  user      {credentials.username}")
        say(f"  password  {credentials.password}")
        say(f"  API key   {credentials.api_key}")
        say(f"  (shown once; kept in {CREDENTIALS} in the state folder)")
    key = credentials.api_key if welcome.first else "$KNOWHUB_API_KEY"
    say("Try:")
    say(
        f"  curl -s {url}/api/v1/search -H 'Authorization: Bearer {key}' "
        "-H 'Content-Type: application/json' -d '{\"query\": \"how are chunks made\"}'"
    )
    say(f"  MCP         {url}/mcp")
    say(f"  agent card  {url}/.well-known/agent-card.json")


def _admin(hub: Hub, url: str) -> Credentials:
    password = secrets.token_urlsafe(18)
    known = hub.identity.user_named(ADMIN)
    if known is None:
        user = hub.identity.create_user(ADMIN, password, "admin")
    else:
        # An earlier first start was killed before its credentials were written: nobody has seen that password.
        user = hub.identity.set_password(known, password)
    key = hub.identity.issue_key(user.user_id, "first start")
    return Credentials(url, user.username, password, key.secret)


def _sample_kb(hub: Hub, credentials: Credentials, samples: Path) -> int:
    principal = hub.identity.authenticate(f"Bearer {credentials.api_key}")
    made = next((kb for kb, _ in hub.knowledge_bases.list(principal) if kb.name == SAMPLE_KB), None)
    if made is None:
        new = NewKnowledgeBase(SAMPLE_KB, "The documentation of this hub, to try it with")
        made = hub.knowledge_bases.create(principal, new).kb
    for path in sorted(samples.rglob("*.md")):
        name = path.relative_to(samples).as_posix()
        data = path.read_bytes()
        submission = Submission(_title(data, name), name, "text/markdown", data, external_id=name)
        hub.documents.submit(principal, made.kb_id, submission)
    return made.kb_id


def _title(data: bytes, name: str) -> str:
    first = data.decode("utf-8", "replace").lstrip().partition("\n")[0]
    return first.lstrip("# ").strip() or name if first.startswith("#") else name


def _read(path: Path) -> Credentials | None:
    try:
        return Credentials(**json.loads(path.read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _write(path: Path, credentials: Credentials) -> Credentials:
    """Write the file whole and for its owner only, from its first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(credentials), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    return credentials
