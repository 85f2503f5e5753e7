"""CloudFormation's YAML tags and intrinsic functions, as far as a laptop can answer them.

A template is read into plain data in the long form (`{"Fn::Sub": ...}`) and resolved piece by piece, so that what is
written for resources that are not hosted here is never looked at.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import yaml

from knowhub_cli.local.failures import TemplateError

REGION: Final = "local"
ACCOUNT: Final = "000000000000"

_PSEUDO: Final = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::StackName": "knowhub",
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/knowhub/local",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}

_PLACEHOLDER: Final = re.compile(r"\$\{(!?)([^{}]*)\}")


class _NoValue:
    """What `AWS::NoValue` stands for: the member or item that holds it is left out."""


NO_VALUE: Final = _NoValue()


class _TemplateLoader(yaml.SafeLoader):
    """Safe YAML plus CloudFormation's short tags."""


def _long_form(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = node.value
    if suffix in {"Ref", "Condition"}:
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


_TemplateLoader.add_multi_constructor("!", _long_form)


def parse(text: str, name: str) -> dict[str, Any]:
    """Read template text into plain data in the long form; raises `TemplateError`."""
    loader = _TemplateLoader(text)
    try:
        data = loader.get_single_data()
    except yaml.YAMLError as error:
        raise TemplateError(f"{name} is not YAML: {' '.join(str(error).split())}") from error
    finally:
        loader.dispose()
    if not isinstance(data, dict):
        raise TemplateError(f"{name} is no template: it holds no mapping")
    return data


class Intrinsics:
    """Resolves values of one template under its parameters; `place` in each call says where the value stands.

    `resources` answers what `Ref` (attribute None) or `GetAtt` of a resource is on this machine.
    """

    def __init__(
        self,
        template: Mapping[str, Any],
        parameters: Mapping[str, str],
        resources: Callable[[str, str | None], str],
    ) -> None:
        self._template = template
        self._resources = resources
        self._parameters = self._settle(template.get("Parameters") or {}, parameters)
        self._under_way: set[str] = set()
        self._functions: Mapping[str, Callable[[Any, str], Any]] = {
            "Ref": self._ref,
            "Condition": self.holds,
            "Fn::Sub": self._sub,
            "Fn::GetAtt": self._get_att,
            "Fn::If": self._if,
            "Fn::Equals": self._equals,
            "Fn::Not": lambda one, place: not self._truth(one[0], place),
            "Fn::And": lambda parts, place: all(self._truth(part, place) for part in parts),
            "Fn::Or": lambda parts, place: any(self._truth(part, place) for part in parts),
            "Fn::Join": self._join,
            "Fn::Split": self._split,
            "Fn::Select": self._select,
            "Fn::FindInMap": self._find_in_map,
        }

    def value(self, node: Any, place: str) -> Any:
        """Resolve everything beneath a node; what resolves to `AWS::NoValue` is gone. Raises `TemplateError`."""
        if isinstance(node, dict):
            name = next(iter(node), None) if len(node) == 1 else None
            if isinstance(name, str) and (name in self._functions or name.startswith("Fn::")):
                return self._call(name, node[name], place)
            resolved = {key: self.value(item, f"{place}.{key}") for key, item in node.items()}
            return {key: item for key, item in resolved.items() if item is not NO_VALUE}
        if isinstance(node, list):
            items = [self.value(item, f"{place}[{index}]") for index, item in enumerate(node)]
            return [item for item in items if item is not NO_VALUE]
        return node

    def holds(self, name: str, place: str) -> bool:
        """Decide a named condition; raises `TemplateError` where there is none or it depends on itself."""
        conditions = self._template.get("Conditions") or {}
        if name not in conditions:
            raise TemplateError(f"{place}: there is no condition {name}")
        if name in self._under_way:
            raise TemplateError(f"{place}: condition {name} depends on itself")
        self._under_way.add(name)
        try:
            return self._truth(conditions[name], f"Conditions.{name}")
        finally:
            self._under_way.discard(name)

    def _call(self, name: str, argument: Any, place: str) -> Any:
        function = self._functions.get(name)
        if function is None:
            raise TemplateError(f"{place}: the local host does not know {name}")
        try:
            return function(argument, place)
        except (IndexError, KeyError, TypeError, ValueError) as error:
            raise TemplateError(f"{place}: {name} is not written as CloudFormation wants it") from error

    def _settle(self, declared: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
        unknown = sorted(set(given) - set(declared))
        if unknown:
            raise TemplateError(f"The template has no parameter {', '.join(unknown)}")
        settled: dict[str, Any] = {}
        for name, declaration in declared.items():
            value = given.get(name, declaration.get("Default"))
            if value is None:
                continue
            text = _text(value)
            is_list = str(declaration.get("Type", "")).startswith(("CommaDelimitedList", "List<"))
            settled[name] = [part.strip() for part in text.split(",")] if is_list else text
        return settled

    def _ref(self, name: str, place: str) -> Any:
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in _PSEUDO:
            return _PSEUDO[name]
        if name in self._parameters:
            return self._parameters[name]
        if name in (self._template.get("Parameters") or {}):
            raise TemplateError(f"{place}: parameter {name} has neither a value nor a default")
        if name in (self._template.get("Resources") or {}):
            return self._resources(name, None)
        raise TemplateError(f"{place}: {name} is neither a parameter nor a resource")

    def _get_att(self, argument: Any, place: str) -> str:
        name, attribute = argument.split(".", 1) if isinstance(argument, str) else argument
        if name not in (self._template.get("Resources") or {}):
            raise TemplateError(f"{place}: there is no resource {name}")
        return self._resources(name, str(self.value(attribute, place)))

    def _sub(self, argument: Any, place: str) -> str:
        text, extra = argument if isinstance(argument, list) else (argument, {})

        def fill(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return "${" + name + "}"
            if name in extra:
                return _text(self.value(extra[name], place))
            return _text(self._get_att(name, place) if "." in name else self._ref(name.strip(), place))

        return _PLACEHOLDER.sub(fill, text)

    def _if(self, argument: Any, place: str) -> Any:
        name, yes, no = argument
        return self.value(yes if self.holds(name, place) else no, place)

    def _equals(self, pair: Any, place: str) -> bool:
        left, right = (self.value(each, place) for each in pair)
        return _text(left) == _text(right)

    def _truth(self, node: Any, place: str) -> bool:
        return bool(self.value(node, place))

    def _join(self, argument: Any, place: str) -> str:
        separator, parts = argument
        return str(separator).join(_text(part) for part in self.value(parts, place))

    def _split(self, argument: Any, place: str) -> list[str]:
        separator, text = argument
        return _text(self.value(text, place)).split(separator)

    def _select(self, argument: Any, place: str) -> Any:
        index, parts = argument
        return self.value(parts, place)[int(self.value(index, place))]

    def _find_in_map(self, argument: Any, place: str) -> Any:
        table, first, second = (self.value(each, place) for each in argument)
        return self._template["Mappings"][table][first][second]


def _text(value: Any) -> str:
    """Write a scalar as CloudFormation does: booleans in lower case, a list with commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(_text(item) for item in value)
    return str(value)


def scalar_text(value: Any, place: str) -> str:
    """Write a resolved scalar as text; raises `TemplateError` for a list or a mapping."""
    if isinstance(value, dict | list) or value is NO_VALUE:
        raise TemplateError(f"{place}: this has to be one value")
    return _text(value)
