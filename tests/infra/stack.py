"""The translated template, with its conditions decided for a set of parameters."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tests.environments import ROOT
from tests.infra import sam

FUNCTIONS = ("HttpFunction", "McpFunction", "A2aFunction", "SyncFunction", "ReaderFunction")

STREAMING, BUFFERED = {"AskStreaming": "true"}, {"AskStreaming": "false"}

_GONE = object()

_SUBSTITUTED = frozenset(
    {
        "Embedder",
        "EmbedderKey",
        "Generator",
        "GeneratorKey",
        "OpenSearchEndpoint",
        "OpenSearchPrefix",
        "OpenSearchShards",
        "Reranker",
        "RerankerKey",
    }
)
"""Parameters that are filled into texts here; tests look at the others as they stand in the template."""


class Stack:
    """What CloudFormation would make of the template with these parameters; what a condition excludes is out."""

    def __init__(self, template: Mapping[str, Any], parameters: Mapping[str, str]) -> None:
        self._conditions: Mapping[str, Any] = template["Conditions"]
        self._rules: Mapping[str, Any] = template["Rules"]
        defaults = {name: str(spec["Default"]) for name, spec in template["Parameters"].items()}
        self._parameters = {**defaults, **parameters}
        self.resources: dict[str, dict[str, Any]] = {
            name: self._plain(resource)
            for name, resource in template["Resources"].items()
            if "Condition" not in resource or self._holds({"Condition": resource["Condition"]})
        }

    def refusals(self) -> list[str]:
        """Give what the template's rules say against these parameters."""
        return [
            assertion["AssertDescription"]
            for rule in self._rules.values()
            if "RuleCondition" not in rule or self._holds(rule["RuleCondition"])
            for assertion in rule["Assertions"]
            if not self._holds(assertion["Assert"])
        ]

    def of_type(self, kind: str) -> dict[str, dict[str, Any]]:
        """Give the properties of every resource of one type, by logical id."""
        return {name: resource.get("Properties", {}) for name, resource in self._of_type(kind)}

    def properties(self, name: str) -> dict[str, Any]:
        """Give one resource's properties."""
        found: dict[str, Any] = self.resources[name]["Properties"]
        return found

    def _of_type(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((name, resource) for name, resource in self.resources.items() if resource["Type"] == kind)

    def _holds(self, test: Any) -> bool:
        ((name, value),) = test.items()
        if name == "Condition":
            return self._holds(self._conditions[value])
        if name == "Fn::Not":
            return not self._holds(value[0])
        if name == "Fn::Equals":
            left, right = (str(self._plain(side)) for side in value)
            return left == right
        return (all if name == "Fn::And" else any)(self._holds(part) for part in value)

    def _plain(self, node: Any) -> Any:
        if isinstance(node, list):
            return [item for item in map(self._plain, node) if item is not _GONE]
        if not isinstance(node, dict):
            return node
        if node == {"Ref": "AWS::NoValue"}:
            return _GONE
        if set(node) == {"Ref"} and node["Ref"] in self._parameters:
            return self._parameters[node["Ref"]]
        if set(node) == {"Fn::If"}:
            name, then, otherwise = node["Fn::If"]
            return self._plain(then if self._holds({"Condition": name}) else otherwise)
        plain = {key: self._plain(item) for key, item in node.items()}
        return self._reckoned({key: item for key, item in plain.items() if item is not _GONE})

    def _reckoned(self, node: dict[str, Any]) -> Any:
        """Cut and fill texts, as far as they are made of parameters only; anything else stays as it is."""
        if set(node) == {"Fn::Split"} and isinstance(node["Fn::Split"][1], str):
            separator, text = node["Fn::Split"]
            return text.split(separator)
        if set(node) == {"Fn::Select"} and isinstance(node["Fn::Select"][1], list):
            place, items = node["Fn::Select"]
            return items[int(place)]
        if set(node) == {"Fn::Sub"}:
            return self._filled(node)
        return node

    def _filled(self, node: dict[str, Any]) -> Any:
        """Fill `Fn::Sub` where it is given texts of its own, or is all parameters."""
        text, given = node["Fn::Sub"] if isinstance(node["Fn::Sub"], list) else (node["Fn::Sub"], None)
        names = set(re.findall(r"\$\{([^}]+)\}", text))
        if given is None and not names <= _SUBSTITUTED:
            return node
        values = {**{name: self._parameters[name] for name in names & _SUBSTITUTED}, **(given or {})}
        if not all(isinstance(value, str) for value in values.values()):
            return node
        for name, value in values.items():
            text = text.replace(f"${{{name}}}", value)
        return text


def stack(**parameters: str) -> Stack:
    """Give the stack for these parameters, defaults for the rest."""
    position = STREAMING if parameters.get("AskStreaming", "true") == "true" else BUFFERED
    return Stack(_translated()[position["AskStreaming"]], parameters)


@cache
def _translated() -> dict[str, Any]:
    """Translate once a process, in both positions of the streaming switch."""
    script = str(ROOT / "tests" / "infra" / "translator.py")
    answer = sam.run("python", script, str(ROOT / "template.yaml"), json.dumps(STREAMING), json.dumps(BUFFERED))
    streaming, buffered = json.loads(answer)
    return {"true": streaming, "false": buffered}
