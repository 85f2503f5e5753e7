"""Arguments of a tool call against the tool's flat schema."""

from collections.abc import Mapping, Sequence
from typing import Any

from knowhub.gateways.json_rpc import INVALID_PARAMS, RpcError


def check_arguments(
    tool: str, properties: Mapping[str, Mapping[str, Any]], required: Sequence[str], arguments: Any
) -> Mapping[str, Any]:
    """Give the arguments as they were sent, or raise `RpcError` naming the tool and the argument.

    `kb_id`'s enum is not checked: a KB outside it is a business failure and not a wrong parameter.
    """
    if not isinstance(arguments, dict):
        raise _wrong(tool, "arguments is an object")
    for name in arguments:
        if name not in properties:
            raise _wrong(tool, f"unknown argument {name[:64]!r}")
    for name in required:
        if name not in arguments:
            raise _wrong(tool, f"argument {name!r} is missing")
    for name, value in arguments.items():
        fault = _fault(value, properties[name], closed=name != "kb_id")
        if fault:
            raise _wrong(tool, f"argument {name!r} {fault}")
    return arguments


def _fault(value: Any, schema: Mapping[str, Any], *, closed: bool) -> str | None:
    if schema["type"] == "integer":
        return _integer_fault(value, schema)
    if not isinstance(value, str):
        return "is a string"
    if closed and "enum" in schema and value not in schema["enum"]:
        return f"is one of {', '.join(schema['enum'])}"
    if not schema.get("minLength", 0) <= len(value.strip()) or len(value) > schema.get("maxLength", len(value)):
        return f"has between {schema.get('minLength', 0)} and {schema.get('maxLength')} characters"
    return None


def _integer_fault(value: Any, schema: Mapping[str, Any]) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return "is an integer"
    if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"is between {schema['minimum']} and {schema['maximum']}"
    return None


def _wrong(tool: str, what: str) -> RpcError:
    return RpcError(INVALID_PARAMS, f"{tool}: {what}")
