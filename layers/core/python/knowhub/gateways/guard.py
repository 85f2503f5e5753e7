"""The outermost catch of every wire: whatever happens inside, the caller gets the wire's own error."""

from collections.abc import Callable
from typing import TypeVar

from knowhub.errors import Internal, KnowhubError
from knowhub.observability import report

Answer = TypeVar("Answer")


def guarded(act: Callable[[], Answer], failed: Callable[[KnowhubError], Answer], request_id: str) -> Answer:
    """Run an act, and answer its error by the wire's own form; an unexpected one is logged and shows nothing."""
    try:
        return act()
    except KnowhubError as error:
        if error.code == Internal.code:
            report("request failed", error, request_id=request_id)
        return failed(error)
    except Exception as error:  # noqa: BLE001 - a bug must neither kill the process nor show its inside
        report("request failed", error, request_id=request_id)
        return failed(Internal("unexpected"))
