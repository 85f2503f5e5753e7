"""`knowhub up` where it can't start: one line and an exit code."""

from pathlib import Path

from tests.integration.cli.conftest import Run


def test_a_folder_that_holds_other_things_is_left_alone(knowhub: Run) -> None:
    Path("mine").mkdir()
    Path("mine/letter.txt").write_text("dear", encoding="utf-8")
    ran = knowhub("up", "--port", "0", "--state", "mine")
    assert ran.code == 1
    assert ran.err.startswith("Error: ")
    assert ran.err.count("\n") == 1
    assert [path.name for path in Path("mine").iterdir()] == ["letter.txt"]


def test_a_port_that_is_none_is_a_wrong_command_line(knowhub: Run) -> None:
    assert knowhub("up", "--port", "65536").code == 2
