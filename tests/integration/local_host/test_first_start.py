"""What a start makes of a state folder's credentials: once, completed after a kill, mended when they are lost."""

import json
import stat
from dataclasses import asdict
from pathlib import Path

import pytest

from knowhub import bootstrap
from knowhub.auth.passwords import verify_password
from knowhub.gateways.hub import Hub
from knowhub.services.document_lists import DocumentQuery
from knowhub.settings import Settings
from knowhub_cli.local import failures
from knowhub_cli.local.credentials import Credentials
from knowhub_cli.local.first_start import SAMPLE_KB, Welcome, prepare
from knowhub_cli.local.places import Places
from knowhub_cli.local.welcome import announce

URL = "http://127.0.0.1:8010"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "state").mkdir()
    return tmp_path / "state"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout's root with two pages."""
    (tmp_path / "root" / "docs" / "zh").mkdir(parents=True)
    (tmp_path / "root" / "docs" / "a.md").write_text("# A page\n\nwalrus\n", encoding="utf-8")
    (tmp_path / "root" / "docs" / "zh" / "b.md").write_text("# 页\n\n海象\n", encoding="utf-8")
    (tmp_path / "root" / "docs" / "c.bin").write_bytes(b"\0")
    return tmp_path / "root"


def environment(state: Path) -> dict[str, str]:
    places = Places(state)
    return {
        "KNOWHUB_TABLE": places.catalog,
        "KNOWHUB_BUCKET": places.blobs,
        "KNOWHUB_DOCUMENT_QUEUE": places.queue("DocumentQueue"),
        "KNOWHUB_CHUNK_INDEX": places.chunks,
    }


def hub_in(state: Path) -> Hub:
    return bootstrap.hub(Settings.load(environment(state)))


def start(state: Path, root: Path | None = None, url: str = URL) -> Welcome:
    return prepare(environment(state), state, url, root)


def works(state: Path, credentials: Credentials) -> bool:
    hub = hub_in(state)
    user = hub.identity.user_named(credentials.username)
    principal = hub.identity.authenticate(f"Bearer {credentials.api_key}")
    return user is not None and principal.role == "admin" and verify_password(credentials.password, user.password_hash)


def sample_documents(state: Path, credentials: Credentials) -> dict[str, str]:
    """Give the titles of the sample KB's documents by external id."""
    hub = hub_in(state)
    principal = hub.identity.authenticate(f"Bearer {credentials.api_key}")
    (kb_id,) = [kb.kb_id for kb, _ in hub.knowledge_bases.list(principal) if kb.name == SAMPLE_KB]
    items = hub.document_lists.page(principal, kb_id, DocumentQuery(50)).items
    return {str(view.detail.external_id): view.head.title for view in items}


def test_the_first_start_makes_credentials_that_work_and_the_next_keeps_them(state: Path) -> None:
    first = start(state)
    assert (first.fresh, first.notes) == (True, ())
    assert works(state, first.credentials)
    second = start(state, url="http://127.0.0.1:1")
    assert (second.fresh, second.notes) == (False, ())
    assert second.credentials == Credentials(
        **{**asdict(first.credentials), "url": "http://127.0.0.1:1"},
    )
    assert json.loads((state / "credentials.json").read_text()) == asdict(second.credentials)


def test_the_samples_have_the_ids_and_titles_with_which_an_ingest_of_the_docs_sends_them(
    state: Path, root: Path
) -> None:
    welcome = start(state, root)
    assert welcome.sample_kb
    assert sample_documents(state, welcome.credentials) == {"docs/a.md": "a.md", "docs/zh/b.md": "b.md"}


def test_a_first_start_that_was_killed_before_its_credentials_were_written_is_completed(
    state: Path, root: Path
) -> None:
    killed = start(state, root)
    (state / "credentials.json").unlink()
    completed = start(state, root)
    assert completed.fresh
    assert completed.credentials.password != killed.credentials.password
    assert works(state, completed.credentials)
    assert len(sample_documents(state, completed.credentials)) == 2


def test_credentials_are_written_after_everything_else(state: Path, root: Path) -> None:
    # No reader takes an image.
    (root / "docs" / "a.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(failures.CannotStart):
        start(state, root)
    assert not (state / "credentials.json").exists()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"url": 1}',
        "[" * 100_000,
        '{"url": "u", "username": "admin", "password": 1, "api_key": null}',
        "\x00",
    ],
)
def test_damaged_credentials_are_replaced_and_that_is_said(state: Path, root: Path, content: str) -> None:
    start(state)
    (state / "credentials.json").write_text(content, encoding="utf-8")
    welcome = start(state, root)
    assert welcome.fresh
    assert welcome.notes[-1] == f"{state / 'credentials.json'} is damaged; a new key was made"
    assert works(state, welcome.credentials)
    assert not welcome.sample_kb


def test_a_key_that_the_hub_does_not_know_is_replaced_and_the_password_stays(state: Path) -> None:
    first = start(state).credentials
    content = {**asdict(first), "api_key": f"kh_{'x' * 43}"}
    (state / "credentials.json").write_text(json.dumps(content), encoding="utf-8")
    welcome = start(state)
    assert welcome.notes == (
        f"{state / 'credentials.json'} holds a key that this hub does not know; a new key was made",
    )
    assert welcome.credentials.password == first.password
    assert works(state, welcome.credentials)


def test_credentials_that_others_can_read_are_closed_to_them_and_that_is_said(state: Path) -> None:
    start(state)
    (state / "credentials.json").chmod(0o644)
    welcome = start(state)
    assert stat.S_IMODE((state / "credentials.json").stat().st_mode) == 0o600
    assert welcome.notes == (
        f"{state / 'credentials.json'} could be read by others; it is yours alone again (mode 600)",
    )
    assert start(state).notes == ()


def test_credentials_that_can_not_be_written_are_one_plain_line(state: Path) -> None:
    (state / "credentials.json").mkdir()
    with pytest.raises(failures.StateUnusable, match=r"credentials\.json can't be used") as refused:
        start(state)
    assert "\n" not in str(refused.value)


def lines(welcome: Welcome, folder: Path) -> list[str]:
    said: list[str] = []
    announce(welcome, folder, said.append)
    return said


def test_a_secret_is_printed_once_and_later_the_place_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / ".knowhub").mkdir()
    first = start(tmp_path / ".knowhub")
    said = "\n".join(lines(first, tmp_path))
    assert first.credentials.api_key in said
    assert first.credentials.password in said
    said = "\n".join(lines(start(tmp_path / ".knowhub"), tmp_path))
    assert first.credentials.api_key not in said
    assert first.credentials.password not in said
    assert f"API key   in {tmp_path / '.knowhub' / 'credentials.json'}" in said
    assert "$" not in said
    assert "KNOWHUB_URL" not in said


def test_a_hub_that_commands_do_not_find_by_themselves_says_how_they_do(state: Path, tmp_path: Path) -> None:
    said = lines(start(state), tmp_path)
    assert any(line.startswith(f"  knowhub login --url {URL}") for line in said)
    assert any(line.startswith(f"  export KNOWHUB_URL={URL} KNOWHUB_API_KEY=kh_") for line in said)


def test_the_command_is_named_as_it_is_called_from_a_checkout(state: Path, tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "knowhub").touch()
    assert any(line.startswith("  .venv/bin/knowhub status") for line in lines(start(state), tmp_path))
