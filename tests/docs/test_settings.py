"""Every variable that the hub reads is in docs/settings.md, and every one that stands there is read or given."""

import inspect
import re
from typing import Any

import pytest
import yaml

from knowhub import settings
from tests.architecture import tree

PAGE = (tree.ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([A-Z][A-Z0-9_]+)` \|(.*)$", re.MULTILINE)

# The variable by which Lambda itself starts the streaming loop: no setting of the hub.
LAMBDAS_OWN = {"AWS_LAMBDA_EXEC_WRAPPER"}


def models() -> list[type[settings.Settings]]:
    classes = [found for _, found in inspect.getmembers(settings, inspect.isclass)]
    return [
        found for found in classes if issubclass(found, settings.Settings) and found.__module__ == settings.__name__
    ]


def variables(model: type[settings.Settings]) -> set[str]:
    return set(model.variables())


def documented() -> dict[str, str]:
    return dict(ROW.findall(PAGE))


class _Template(yaml.SafeLoader):
    """Reads CloudFormation's short forms as their arguments."""


def _argument(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    assert isinstance(node, yaml.ScalarNode)
    return loader.construct_scalar(node)


_Template.add_multi_constructor("!", _argument)


def template() -> dict[str, Any]:
    text = (tree.ROOT / "template.yaml").read_text(encoding="utf-8")
    content: dict[str, Any] = yaml.load(text, Loader=_Template)  # noqa: S506 - a safe loader that knows the short forms
    return content


def given(function: dict[str, Any]) -> set[str]:
    """Name what the template gives to one function."""
    shared = template()["Globals"]["Function"]["Environment"]["Variables"]
    own = function["Properties"].get("Environment", {}).get("Variables", {})
    return {*shared, *own}


def functions() -> dict[str, dict[str, Any]]:
    resources = template()["Resources"].items()
    return {name: each for name, each in resources if each["Type"] == "AWS::Serverless::Function"}


def test_there_are_settings_for_every_function() -> None:
    names = {model.__name__.lower() for model in models()}
    assert {app.parent.name for app in tree.apps()} <= names


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_every_setting_is_documented(model: type[settings.Settings]) -> None:
    assert variables(model) - set(documented()) == set()


@pytest.mark.parametrize("name", sorted(functions()))
def test_the_template_gives_a_function_every_variable_that_it_reads(name: str) -> None:
    function = functions()[name]
    folder = function["Properties"]["CodeUri"].rpartition("/")[2]
    (model,) = [model for model in models() if model.__name__.lower() == folder]
    assert variables(model) - given(function) == set()


def test_every_variable_of_the_template_is_documented() -> None:
    everything = set().union(*(given(function) for function in functions().values()))
    assert everything - LAMBDAS_OWN - set(documented()) == set()


def test_every_documented_variable_is_read() -> None:
    read = set().union(*(variables(model) for model in models()))
    sources = "".join(path.read_text(encoding="utf-8") for path in tree.PACKAGES["knowhub_cli"].glob("*.py"))
    for name in documented():
        assert name in read or name in sources or name.startswith("POWERTOOLS_"), name


def test_a_row_names_the_functions_that_read_the_variable() -> None:
    by_function = {model.__name__.lower(): variables(model) for model in models() if model is not settings.Settings}
    for name, row in documented().items():
        readers = {function for function, names in by_function.items() if name in names}
        if readers:
            said = row.split("|")[0].strip()
            assert said == "all" if readers == set(by_function) else set(said.split(", ")) == readers, name


def test_powertools_variables_are_those_that_it_knows() -> None:
    from aws_lambda_powertools.shared import constants

    known = {value for value in vars(constants).values() if isinstance(value, str)}
    assert {name for name in documented() if name.startswith("POWERTOOLS_")} - known == set()
