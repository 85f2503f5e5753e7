"""Which hub is meant, and that its key goes nowhere else."""

import json
import os
import stat
from pathlib import Path

import click
import pytest

from knowhub_cli.profile import (
    Connection,
    Hint,
    Surroundings,
    normal_key,
    normal_url,
    read_hint,
    resolve,
    write_profile,
)


def key(name: str) -> str:
    """Make a key that tells where it comes from."""
    return f"kh_{name:_<43}"


@pytest.fixture
def here(tmp_path: Path) -> Surroundings:
    (tmp_path / "folder").mkdir()
    return Surroundings({}, tmp_path / "home", tmp_path / "folder")


def in_environment(here: Surroundings, **variables: str) -> Surroundings:
    return Surroundings(variables, here.home, here.folder)


def keep_local(here: Surroundings, url: str, key: str) -> None:
    write_profile(here.folder / ".knowhub" / "credentials.json", Connection(url, key))


def test_flags_win_over_everything(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    there = in_environment(here, KNOWHUB_URL="http://environment", KNOWHUB_API_KEY=key("environment"))
    assert resolve("http://flag", key("flag"), there) == Connection("http://flag", key("flag"))


def test_the_environment_wins_over_the_profile(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    there = in_environment(here, KNOWHUB_URL="http://environment", KNOWHUB_API_KEY=key("environment"))
    assert resolve(None, None, there) == Connection("http://environment", key("environment"))


def test_the_profile_wins_over_a_local_hub(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    keep_local(here, "http://127.0.0.1:8010", key("local"))
    assert resolve(None, None, here) == Connection("http://profile", key("profile"))


def test_a_local_hub_is_found_without_any_setting(here: Surroundings) -> None:
    keep_local(here, "http://127.0.0.1:8010", key("local"))
    assert resolve(None, None, here) == Connection("http://127.0.0.1:8010", key("local"))


def test_the_profile_of_a_configured_folder_is_used(here: Surroundings, tmp_path: Path) -> None:
    there = in_environment(here, XDG_CONFIG_HOME=str(tmp_path / "elsewhere"))
    assert there.profile == tmp_path / "elsewhere" / "knowhub" / "profile.json"


def test_a_key_from_the_environment_fits_any_address_it_was_given_without(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    there = in_environment(here, KNOWHUB_API_KEY=key("environment"))
    assert resolve(None, None, there) == Connection("http://profile", key("environment"))


def test_a_key_is_not_sent_to_another_address_than_its_own(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    keep_local(here, "http://127.0.0.1:8010", key("local"))
    with pytest.raises(click.UsageError, match="No key is known for http://other"):
        resolve("http://other", None, here)


def test_the_key_of_a_later_source_with_the_same_address_is_used(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    assert resolve("http://profile/", None, here) == Connection("http://profile", key("profile"))


def test_without_any_hub_the_error_says_how_to_begin(here: Surroundings) -> None:
    with pytest.raises(click.UsageError, match="knowhub up"):
        resolve(None, None, here)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_profile_that_others_can_read_is_refused(here: Surroundings, mode: int) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    here.profile.chmod(mode)
    with pytest.raises(click.UsageError, match="chmod 600"):
        resolve(None, None, here)


def test_a_profile_that_is_not_needed_is_not_judged(here: Surroundings) -> None:
    write_profile(here.profile, Connection("http://profile", key("profile")))
    here.profile.chmod(0o644)
    assert resolve("http://flag", key("flag"), here).key == key("flag")


def test_a_written_profile_is_for_its_owner_only_whatever_the_umask(here: Surroundings) -> None:
    before = os.umask(0)
    try:
        write_profile(here.profile, Connection("http://profile", key("one")))
        write_profile(here.profile, Connection("http://profile", key("two")))
    finally:
        os.umask(before)
    assert stat.S_IMODE(here.profile.stat().st_mode) == 0o600
    assert stat.S_IMODE(here.profile.parent.stat().st_mode) == 0o700
    assert read_hint(here.profile) == Hint("http://profile", key("two"))
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


def test_a_profile_of_endless_depth_is_named(here: Surroundings) -> None:
    here.profile.parent.mkdir(parents=True)
    here.profile.touch(0o600)
    here.profile.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(click.UsageError, match=r"profile\.json can't be read as a profile: it is no JSON"):
        resolve(None, None, here)


@pytest.mark.parametrize("around", ["{}\n", " {}\r\n", "\t{}"])
def test_white_space_around_a_key_is_no_part_of_it(here: Surroundings, around: str) -> None:
    there = in_environment(here, KNOWHUB_URL="http://hub", KNOWHUB_API_KEY=around.format(key("environment")))
    assert resolve(None, None, there).key == key("environment")


@pytest.mark.parametrize(
    "given", [f"{key('a')}\nX: y", f"{key('a')[:-1]}é", f"{key('a')}a", key("a")[:-1], "kh_", "Bearer x", key("a")[3:]]
)
def test_what_has_not_the_form_of_a_key_is_refused_without_being_shown(given: str) -> None:
    with pytest.raises(click.UsageError, match="has not the form") as refused:
        normal_key(given)
    assert given[3:] not in refused.value.message or given == "kh_"


def test_a_key_that_is_not_needed_is_not_judged(here: Surroundings) -> None:
    there = in_environment(here, KNOWHUB_API_KEY="nonsense")
    assert resolve("http://hub", key("flag"), there).key == key("flag")


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
    [
        "hub.example.com",
        "ftp://hub",
        "http://hub\x01",
        "http://[",
        "http://",
        "http://user:pass@hub",
        "http://hub:none",
        "http://hub?x=1",
        "",
    ],
)
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(click.UsageError, match="hub's address"):
        normal_url(given)
