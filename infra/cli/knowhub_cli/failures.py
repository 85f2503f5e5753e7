"""How a command fails: one line for the person, one exit code for the script.

0 done, 1 the hub refused or something failed on the way, 2 the command line is wrong, 3 no hub answers there,
130 interrupted, 141 whoever read the output has stopped reading.
"""

from collections.abc import Mapping

import click

FAILED = 1
INTERRUPTED = 130
READER_GONE = 141
"""What a shell gives for a program that a closed pipe has ended."""


class Failed(click.ClickException):
    """The command did not do all it was asked to."""

    exit_code = FAILED


class Refused(click.ClickException):
    """The hub answered with an error; `code` is the contract's, or empty where the answer was no error envelope."""

    exit_code = FAILED

    def __init__(self, status: int, code: str, message: str, request_id: str = "") -> None:
        """Keep the parts; the shown line has all of them."""
        label = f"{code}: {message}" if code else message
        super().__init__(f"{label} (request {request_id})" if request_id else label)
        self.status = status
        self.code = code


class Unreachable(click.ClickException):
    """Nothing that speaks HTTP answers at the hub's address."""

    exit_code = 3


def refusal(status: int, body: object, address: str) -> Refused:
    """Read an error answer; what is no error envelope of a hub is said to be none, without quoting it."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping) or not isinstance(error.get("code"), str):
        return Refused(status, "", f"{address} answered with HTTP {status} and no error of a knowhub; is it one?")
    message = str(error.get("message", ""))
    detail = error.get("detail")
    faults = detail.get("errors") if isinstance(detail, Mapping) else None
    if isinstance(faults, list):
        message = "; ".join([message, *(_fault(fault) for fault in faults if isinstance(fault, Mapping))])
    return Refused(status, str(error["code"]), message, str(error.get("request_id") or ""))


def _fault(fault: Mapping[str, object]) -> str:
    """Name the place and the complaint of one field."""
    where = fault.get("loc")
    place = ".".join(str(part) for part in where) if isinstance(where, list) else str(where)
    return f"{place}: {fault.get('message', '')}"
