"""The accounts of a reading: what was declared is what was read and what was lost, or the reading has failed."""

from collections.abc import Iterable

from knowhub.errors import SourceFailed
from knowhub.model.document import Loss


def settle(*, declared: int, read: int, losses: int) -> None:
    """Accept the sum of a complete reading; `read` counts unchanged documents too.

    Raises `SourceFailed` with `NOTHING_READ` if no document came of it, and with `DOES_NOT_ADD_UP` if a difference is
    not explained by losses.
    """
    detail: dict[str, object] = {"declared": declared, "read": read, "losses": losses, "transient": False}
    if read == 0:
        raise SourceFailed("Nothing of the source could be read", {"reason": "NOTHING_READ", **detail})
    if declared != read + losses:
        message = f"The source declared {declared} documents, but {read} were read and {losses} lost"
        raise SourceFailed(message, {"reason": "DOES_NOT_ADD_UP", **detail})


def missing(known: Iterable[str], seen: Iterable[str], losses: Iterable[Loss]) -> list[str]:
    """Give the URIs of earlier documents that a complete listing shows to be gone, in their order.

    What is lost is not gone: neither a document whose URI is a loss's place, nor one beneath a folder that is one.
    """
    present = set(seen)
    places = {loss.where for loss in losses}
    # Whatever was lost may have been a folder: a link to one, say.
    folders = tuple(place if place.endswith("/") else f"{place}/" for place in places)
    return [uri for uri in known if uri not in present and uri not in places and not uri.startswith(folders)]
