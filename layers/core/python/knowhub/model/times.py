"""Times as the interface writes them."""

from datetime import UTC, datetime


def iso(epoch_seconds: float) -> str:
    """Write a time as ISO 8601 in UTC with milliseconds, so that texts sort as times do."""
    return datetime.fromtimestamp(epoch_seconds, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
