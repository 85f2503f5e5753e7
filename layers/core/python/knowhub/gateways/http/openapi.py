"""The OpenAPI document of the HTTP interface, generated from the routes, and a page to browse it.

`python -m knowhub.gateways.http` writes the document; `infra/openapi.json` is the committed copy.
"""

import json
from importlib.resources import files
from inspect import getdoc
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayRestResolver

from knowhub.gateways.http.bodies import DocumentIn
from knowhub.gateways.http.routes import ROUTES
from knowhub.version import VERSION

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "detail", "request_id"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "detail": {"type": "object"},
                "request_id": {"type": "string"},
            },
        }
    },
}
_FILE = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary"},
        "title": {"type": "string"},
        "metadata": {"type": "string", "description": "A JSON object"},
        "external_id": {"type": "string"},
        "url": {"type": "string"},
        "content_type": {"type": "string"},
    },
    "additionalProperties": False,
}


_OPEN = (("get", "/api/v1/health"), ("post", "/api/v1/auth/login"), ("post", "/api/v1/auth/bootstrap"))
"""What needs no credential, as the gateway knows it too."""

_TRIED = ("/auth/login", "/auth/bootstrap", "/me/password")


def document(app: APIGatewayRestResolver) -> dict[str, Any]:
    """Generate the document: the routes' own, with the error envelope, the credential and the two document bodies."""
    found: dict[str, Any] = json.loads(
        app.get_openapi_json_schema(
            title="knowhub",
            version=VERSION,
            description="One retrieval kernel, one answer kernel, one permission check.",
        )
    )
    schemas = found.setdefault("components", {}).setdefault("schemas", {})
    schemas["Error"] = _ERROR
    schemas["DocumentIn"] = DocumentIn.model_json_schema(ref_template="#/components/schemas/{model}")
    found["components"]["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    found["security"] = [{"bearer": []}]
    for path, operations in found["paths"].items():
        for operation in operations.values():
            _complete(path, operation)
    found["paths"]["/api/v1/kb/{kb_id}/documents"]["post"]["requestBody"] = {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/DocumentIn"}},
            "multipart/form-data": {"schema": _FILE},
        },
    }
    for unused in ("HTTPValidationError", "ResponseValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for method, path in _OPEN:
        found["paths"][path][method]["security"] = []
    return found


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Put the error envelope in the place of the generator's own, and name every error that a route may answer."""
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    answers = operation["responses"]
    operation["description"] = _docstring(operation["operationId"])
    if "201" in answers or "202" in answers or "204" in answers:
        answers.pop("200", None)
    answers.pop("422", None)
    described = {"401": "No valid credential", "422": "The request does not fit", "500": "A fault on our side"}
    described |= {"503": "A dependency is away"}
    if "requestBody" in operation or path.endswith("/documents"):
        described |= {"400": "Not JSON", "413": "Over the size limit", "415": "Another content type"}
    if operation["operationId"].startswith(("create_", "add_", "delete_", "change_", "bootstrap_")):
        described |= {"409": "It meets a state that excludes it"}
    if "{" in path or path.endswith(("/search", "/ask")):
        described |= {"404": "Absent or not readable", "403": "Readable, but not to be changed"}
    if path.endswith(_TRIED):
        described |= {"429": "Too many attempts; `Retry-After` says in how many seconds the next one is looked at"}
    if path.endswith(("/api-keys", "/auth/logout", "/me/password")) or "/admin/" in path:
        described |= {"403": "Not with this credential"}
    if not path.endswith("/health"):
        answers.update({status: {"description": words, "content": error} for status, words in described.items()})


def _docstring(operation_id: str) -> str:
    """Give the docstring of the route's function, whose name begins the operation's id."""
    name = operation_id.partition("_api_v1_")[0]
    return next(getdoc(getattr(module, name)) or "" for module in ROUTES if hasattr(module, name))


def page(app: APIGatewayRestResolver) -> str:
    """Give one HTML page that shows the document, with its script and style inside: it loads nothing from elsewhere."""
    from aws_lambda_powertools.event_handler.openapi.swagger_ui import (  # noqa: PLC0415 - a page that is rarely asked for
        generate_swagger_html,
    )

    assets = files("aws_lambda_powertools.event_handler.openapi.swagger_ui")
    script = (assets / "swagger-ui-bundle.min.js").read_text(encoding="utf-8")
    style = (assets / "swagger-ui.min.css").read_text(encoding="utf-8")
    # The document stands inside a script: "</" would end it.
    spec = json.dumps(document(app)).replace("</", "<\\/")
    return generate_swagger_html(spec, script, style, "", None)
