"""The templates are what SAM, CloudFormation's linter and checkov accept."""

import re
import subprocess
import tomllib
from typing import Any

import pytest
import yaml

from tests.environments import ROOT, require
from tests.infra import sam

NESTED = sorted(path.name for path in (ROOT / "infra").glob("*.yaml"))


@pytest.mark.sam
def test_sam_validates_and_lints_the_template() -> None:
    assert "is a valid SAM Template" in sam.run("sam", "validate", "--lint", "--region", sam.REGION)


@pytest.mark.sam
@pytest.mark.parametrize("name", NESTED)
def test_the_linter_accepts_each_nested_template(name: str) -> None:
    assert sam.run("cfn-lint", "--regions", sam.REGION, "--", str(ROOT / "infra" / name)) == ""


def test_checkov_finds_nothing_that_was_not_decided() -> None:
    program = require("checkov") / "bin" / "checkov"
    files = ["template.yaml", *(f"infra/{name}" for name in NESTED)]
    done = subprocess.run(
        [str(program), "--config-file", ".checkov.yaml", "--file", *files],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Failed checks: 0" in done.stdout


def test_every_check_that_is_switched_off_has_a_reason() -> None:
    lines = (ROOT / ".checkov.yaml").read_text(encoding="utf-8").splitlines()
    skipped = [number for number, line in enumerate(lines) if line.strip().startswith("- CKV")]
    assert skipped
    assert [lines[number] for number in skipped if not re.match(r"  # \w+ .*\.$", lines[number - 1])] == []


def test_every_part_of_the_template_is_explained() -> None:
    parameters = _template()["Parameters"]
    assert [name for name, spec in parameters.items() if len(spec.get("Description", "")) < 20] == []


def test_every_parameter_is_in_the_deployment_guide() -> None:
    guide = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
    assert [name for name in _template()["Parameters"] if f"`{name}`" not in guide] == []


def test_the_sam_configuration_names_no_account() -> None:
    text = (ROOT / "samconfig.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["version"] == 0.1
    assert re.search(r"\d{12}|arn:|profile|https?://", text) is None


def _template() -> dict[str, Any]:
    class Loader(yaml.SafeLoader):
        """Reads CloudFormation's tags as nothing: these tests look at plain members only."""

    Loader.add_multi_constructor("!", lambda _loader, _suffix, _node: None)
    # A subclass of the safe loader, which makes plain data only.
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    loader = Loader(text)
    try:
        data: dict[str, Any] = loader.get_single_data()
    finally:
        loader.dispose()
    return data
