"""Which hub is meant, and that its key goes nowhere else."""

import json
import os
import stat
from pathlib import Path

import click
import pytest

from knowhub_cli.profile import Connection, Hint, Surroundings, normal_url, read_hint, resolve, write_profile


@pytest.fixture
def here(tmp_path: Path) -> Surroundings:
    (tmp_path / "folder").mkdir()
    return Surroundings({}, tmp_path / "home", tmp_path / "folder")


def in_environment(here: Surroundings, **variables: str) -> Surroundings:
    return Surroundings(variables, here.home, here.folder)


def keep_local(here: Surroundings, url: str, key: str) -> None:
    write_profile(here.folder / ".knowhub" / "credentials.json", Connection(url, key))


def test_flags_win_over_everything(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    there = in_environment(here, KNOWHUB_URL="http://environment", KNOWHUB_API_KEY="kh_environment")
    assert resolve("http://flag", "kh_flag", there) == Connection("http://flag", "kh_flag")


def test_the_environment_wins_over_the_profile(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    there = in_environment(here, KNOWHUB_URL="http://environment", KNOWHUB_API_KEY="kh_environment")
    assert resolve(None, None, there) == Connection("http://environment", "kh_environment")


def test_the_profile_wins_over_a_local_hub(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    keep_local(here, "http://127.0.0.1:8010", "kh_local")
    assert resolve(None, None, here) == Connection("http://profile", "kh_profile")


def test_a_local_hub_is_found_without_any_setting(here: Surroundings) -> None:
    keep_local(here, "http://127.0.0.1:8010", "kh_local")
    assert resolve(None, None, here) == Connection("http://127.0.0.1:8010", "kh_local")


def test_the_profile_of_a_configured_folder_is_used(here: Surroundings, tmp_path: Path) -> None:
    there = in_environment(here, XDG_CONFIG_HOME=str(tmp_path / "elsewhere"))
    assert there.profile == tmp_path / "elsewhere" / "knowhub" / "profile.json"


def test_a_key_from_the_environment_fits_any_address_it_was_given_without(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    there = in_environment(here, KNOWHUB_API_KEY="kh_environment")
    assert resolve(None, None, there) == Connection("http://profile", "kh_environment")


def test_a_key_is_not_sent_to_another_address_than_its_own(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    keep_local(here, "http://127.0.0.1:8010", "kh_local")
    with pytest.raises(click.UsageError, match="No key is known for http://other"):
        resolve("http://other", None, here)


def test_the_key_of_a_later_source_with_the_same_address_is_used(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    assert resolve("http://profile/", None, here) == Connection("http://profile", "kh_profile")


def test_without_any_hub_the_error_says_how_to_begin(here: Surroundings) -> None:
    with pytest.raises(click.UsageError, match="knowhub up"):
        resolve(None, None, here)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_profile_that_others_can_read_is_refused(here: Surroundings, mode: int) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    here.profile.chmod(mode)
    with pytest.raises(click.UsageError, match="chmod 600"):
        resolve(None, None, here)


def test_a_profile_that_is_not_needed_is_not_judged(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", "kh_profile"))
    here.profile.chmod(0o644)
    assert resolve("http://flag", "kh_flag", here).key == "kh_flag"


def test_a_written_profile_is_for_its_owner_only_whatever_the_umask(here: Surroundings) -> None:
    before = os.umask(0)
    try:
        write_profile(here.profile, Connection("http://profile", "kh_one"))
        write_profile(here.profile, Connection("http://profile", "kh_two"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(here.profile.stat().st_mode) == 0o600
    assert stat.S_IMODE(here.profile.parent.stat().st_mode) == 0o700
    assert read_hint(here.profile) == Hint("http://profile", "kh_two")
    assert [path.name for path in here.profile.parent.iterdir()] == ["profile.json"]


@pytest.mark.parametrize("content", ["", "no json", "[]", "\x00"])
def test_a_broken_profile_is_named(here: Surroundings, content: str) -> None:
    here.profile.parent.mkdir(parents=True)
    here.profile.touch(0o600)
    here.profile.write_text(content, encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"profile\.json"):
        resolve(None, None, here)


def test_members_that_are_no_texts_say_nothing(here: Surroundings) -> None:
    here.profile.parent.mkdir(parents=True)
    here.profile.touch(0o600)
    here.profile.write_text(json.dumps({"url": 1, "api_key": ""}), encoding="utf-8")
    assert read_hint(here.profile) == Hint()


def test_a_key_is_not_shown_with_its_connection() -> None:
    assert "kh_secret" not in repr(Connection("http://hub", "kh_secret")) + repr(Hint("http://hub", "kh_secret"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("https://Hub.Example.com/", "https://hub.example.com"),
        ("https://hub.example.com/prod/api/v1/", "https://hub.example.com/prod"),
        ("http://127.0.0.1:8010/api/v1", "http://127.0.0.1:8010"),
        ("http://[::1]:8010", "http://[::1]:8010"),
    ],
)
def test_addresses_have_one_spelling(given: str, expected: str) -> None:
    assert normal_url(given) == expected


@pytest.mark.parametrize(
    "given",
    ["hub.example.com", "ftp://hub", "http://", "http://user:pass@hub", "http://hub:none", "http://hub?x=1", ""],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(click.UsageError, match="hub's address"):
        normal_url(given)
