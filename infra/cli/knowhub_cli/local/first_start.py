"""The first start of a state folder: an admin, an API key, and a KB to try, made once.

`credentials.json` is written last: a first start that was killed before is completed by the next one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from knowhub import bootstrap
from knowhub.auth.passwords import verify_password
from knowhub.errors import KnowhubError, Unauthenticated
from knowhub.gateways.hub import Hub
from knowhub.model.document import Submission
from knowhub.services.knowledge_bases import NewKnowledgeBase
from knowhub.settings import InvalidSettings, Settings
from knowhub_cli.files import Found, content_type, discover
from knowhub_cli.local import credentials as stored
from knowhub_cli.local.credentials import Credentials
from knowhub_cli.local.failures import CannotStart, StateCorrupt, StateUnusable

ADMIN = "admin"
SAMPLE_KB = "Handbook"


@dataclass(frozen=True, slots=True)
class Welcome:
    """What a start has to say: `fresh` where password and key are new, `notes` are remarks, one a line.

    `path` is where the credentials lie.
    """

    credentials: Credentials
    path: Path
    fresh: bool
    notes: tuple[str, ...] = ()
    sample_kb: bool = False


def prepare(environment: Mapping[str, str], state: Path, url: str, samples: Path | None) -> Welcome:
    """Make sure that the state folder has an admin with a key that works; on the first start make the sample KB too.

    `samples` is the folder of a checkout whose Markdown files the sample KB holds, or None. Raises `CannotStart`.
    """
    path = state / stored.NAME
    try:
        return _prepare(bootstrap.hub(Settings.load(environment)), path, url, samples)
    except InvalidSettings as error:
        raise CannotStart(f"The hub's settings do not fit: {error}") from error
    except KnowhubError as error:
        raise StateCorrupt(f"{state}: {error.message}") from error
    except OSError as error:
        raise StateUnusable(f"{error.filename or state} can't be used: {error.strerror}") from error


def _prepare(hub: Hub, path: Path, url: str, samples: Path | None) -> Welcome:
    notes = []
    if stored.close_to_others(path):
        notes.append(f"{path} could be read by others; it is yours alone again (mode 600)")
    known = stored.read(path)
    if known is not None and _is_known(hub, known.api_key):
        current = replace(known, url=url)
        if current != known:
            stored.write(path, current)
        return Welcome(current, path, fresh=False, notes=tuple(notes))
    first = not path.exists() or hub.identity.user_named(ADMIN) is None
    if not first:
        why = "is damaged" if known is None else "holds a key that this hub does not know"
        notes.append(f"{path} {why}; a new key was made")
    credentials = _admin(hub, url, known)
    if first and samples is not None:
        _make_samples(hub, credentials, samples)
    stored.write(path, credentials)
    return Welcome(credentials, path, fresh=True, notes=tuple(notes), sample_kb=first and samples is not None)


def _is_known(hub: Hub, api_key: str) -> bool:
    try:
        hub.identity.authenticate(f"Bearer {api_key}")
    except Unauthenticated:
        return False
    return True


def _admin(hub: Hub, url: str, known: Credentials | None) -> Credentials:
    """Give an admin a new key, and a new password unless the known one is right."""
    password = stored.new_password()
    user = hub.identity.user_named(ADMIN)
    if user is None:
        user = hub.identity.create_user(ADMIN, password, "admin")
    elif known is not None and known.username == ADMIN and verify_password(known.password, user.password_hash):
        password = known.password
    else:
        # An earlier first start was killed before its credentials were written, or they are lost.
        user = hub.identity.set_password(user, password)
    key = hub.identity.issue_key(user.user_id, "local start")
    return Credentials(url, user.username, password, key.secret)


def _make_samples(hub: Hub, credentials: Credentials, root: Path) -> None:
    """Put the documentation into the sample KB, each page just as `knowhub ingest docs` from the checkout sends it."""
    principal = hub.identity.authenticate(f"Bearer {credentials.api_key}")
    made = next((kb for kb, _ in hub.knowledge_bases.list(principal) if kb.name == SAMPLE_KB), None)
    if made is None:
        new = NewKnowledgeBase(SAMPLE_KB, "The documentation of this hub, to try it with")
        made = hub.knowledge_bases.create(principal, new).kb
    for page in discover(root / "docs", root):
        if isinstance(page, Found) and page.path.suffix == ".md":
            hub.documents.submit(principal, made.kb_id, _submission(page))


def _submission(page: Found) -> Submission:
    data = page.path.read_bytes()
    kind = content_type(page.path, data)
    return Submission(page.title, page.path.name, kind, data, external_id=page.external_id)
