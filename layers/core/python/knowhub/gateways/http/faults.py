"""Validation faults as the contract lists them: where, of which type, in which words."""

from collections.abc import Mapping, Sequence
from typing import Any

from knowhub.errors import InvalidRequest


def validation_faults(errors: Sequence[Mapping[str, Any]], place: tuple[str, ...] = ()) -> dict[str, object]:
    """Turn pydantic's errors into an error's detail; the offending input is left out, it may be a secret."""
    return {
        "errors": [
            {"loc": [*place, *map(_plain, error["loc"])], "type": error["type"], "message": error["msg"]}
            for error in errors
        ]
    }


def fault(loc: tuple[str, ...], kind: str, message: str) -> InvalidRequest:
    """Build the error of one fault."""
    return InvalidRequest(
        "The request does not fit", {"errors": [{"loc": list(loc), "type": kind, "message": message}]}
    )


def _plain(part: object) -> str | int:
    return part if isinstance(part, int) else str(part)
