"""JSON-RPC 2.0, as far as MCP and A2A use it: single requests and notifications."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

Id: TypeAlias = str | int | None


class RpcError(Exception):
    """An error answer: JSON-RPC code, message, the HTTP status that carries it, and data."""

    def __init__(self, code: int, message: str, *, status: int = 200, data: Any = None) -> None:
        """Keep the parts of the answer."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.data = data


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """One request; a notification has no id and gets no answer."""

    method: str
    params: Mapping[str, Any]
    request_id: Id
    notification: bool


def id_of(value: Any) -> Id:
    """Give the id of what is a request but perhaps for its parameters; None for anything else."""
    is_request = isinstance(value, dict) and value.get("jsonrpc") == "2.0" and isinstance(value.get("method"), str)
    request_id = value.get("id") if is_request else None
    return request_id if isinstance(request_id, (str, int)) and not isinstance(request_id, bool) else None


def read_request(value: Any) -> RpcRequest:
    """Check the form of a parsed body; batches and anything else that is no request raise `RpcError` with 400."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0" or not isinstance(value.get("method"), str):
        raise RpcError(INVALID_REQUEST, "not a JSON-RPC 2.0 request", status=400)
    request_id = value.get("id")
    valid_id = isinstance(request_id, (str, int)) and not isinstance(request_id, bool)
    if "id" in value and not valid_id:
        raise RpcError(INVALID_REQUEST, "id is a string or an integer", status=400)
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params is an object")
    return RpcRequest(value["method"], params, request_id, "id" not in value)


def result_body(request_id: Id, result: Any) -> dict[str, Any]:
    """Write a success."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_body(request_id: Id, error: RpcError) -> dict[str, Any]:
    """Write an error; the id is null where the request's could not be read."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id, "error": body}
