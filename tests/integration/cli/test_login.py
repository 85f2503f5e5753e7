"""`knowhub login --username`: a password for a key."""

import json
import stat
import subprocess
import sys
from pathlib import Path

from tests.integration.cli.conftest import Run
from tests.integration.cli.stub_hub import KEY, StubHub, answer, error

TOKEN = "ks_" + "t" * 43
PASSWORD = "correct horse battery"


def _scripted(hub: StubHub, secret: str | None = KEY) -> None:
    hub.script("POST /auth/login", answer(200, {"access_token": TOKEN, "expires_in": 43200}))
    hub.script("GET /me", answer(200, {"scopes": ["read", "write"]}))
    hub.script("POST /api-keys", answer(201, {"key_id": "key_1", "secret": secret}))
    hub.script("POST /auth/logout", answer(204, None))


def _login(hub: StubHub, surroundings: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "knowhub_cli", "login", "--url", hub.url, "--username", "ada"]
    return subprocess.run(
        command,
        env=surroundings,
        input=f"{PASSWORD}\n",
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )


def test_a_password_has_a_key_made_and_is_kept_nowhere(
    hub: StubHub, knowhub: Run, surroundings: dict[str, str], tmp_path: Path
) -> None:
    _scripted(hub)
    ran = _login(hub, surroundings)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert hub.asked("POST /auth/login") == [{"username": "ada", "password": PASSWORD}]
    (asked,) = hub.asked("POST /api-keys")
    assert asked["scopes"] == ["read", "write"]
    assert asked["name"].startswith("knowhub login on ")
    assert len(hub.asked("POST /auth/logout")) == 1
    profile = tmp_path / "home" / ".config" / "knowhub" / "profile.json"
    assert json.loads(profile.read_text()) == {"url": hub.url, "api_key": KEY}
    assert stat.S_IMODE(profile.stat().st_mode) == 0o600
    assert PASSWORD not in ran.stdout


def test_a_wrong_password_keeps_nothing(
    hub: StubHub, knowhub: Run, surroundings: dict[str, str], tmp_path: Path
) -> None:
    hub.script("POST /auth/login", error(401, "UNAUTHENTICATED", "The username or the password is wrong"))
    ran = _login(hub, surroundings)
    assert ran.returncode == 1
    assert "The username or the password is wrong" in ran.stderr
    assert PASSWORD not in ran.stderr
    assert not (tmp_path / "home" / ".config" / "knowhub" / "profile.json").exists()


def test_the_session_ends_where_no_key_is_made(hub: StubHub, knowhub: Run, surroundings: dict[str, str]) -> None:
    hub.script("POST /auth/login", answer(200, {"access_token": TOKEN, "expires_in": 43200}))
    hub.script("GET /me", answer(200, {"scopes": ["read", "write"]}))
    hub.script("POST /api-keys", error(409, "CONFLICT", "A user has at most 100 API keys"))
    hub.script("POST /auth/logout", answer(204, None))
    ran = _login(hub, surroundings)
    assert ran.returncode == 1
    assert "at most 100" in ran.stderr
    assert len(hub.asked("POST /auth/logout")) == 1


def test_a_key_whose_answer_was_lost_is_said_so(hub: StubHub, knowhub: Run, surroundings: dict[str, str]) -> None:
    _scripted(hub, None)
    ran = _login(hub, surroundings)
    assert ran.returncode == 1
    assert "lost on the way" in ran.stderr


def test_a_key_and_a_name_exclude_each_other(hub: StubHub, knowhub: Run) -> None:
    assert knowhub("login", "--url", hub.url, "--key", KEY, "--username", "ada").code == 2
    assert hub.requests == []
