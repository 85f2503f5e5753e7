"""The one-minute sweep: what has expired is dropped, a day late."""

from knowhub.ports.table import Key, Put
from knowhub.services.maintenance import EXPIRED_SECONDS
from tests.hubs import Rig


def test_rows_are_dropped_a_day_after_they_expired(hub: Rig) -> None:
    a_day_ago = hub.clock.now() - EXPIRED_SECONDS
    expiries = {"old": a_day_ago, "new": a_day_ago + 60, "later": a_day_ago + EXPIRED_SECONDS + 60}
    for name, expires_at in expiries.items():
        hub.ports.table.write(Put({"pk": "UPLOAD#" + name, "sk": "UPLOAD", "expires_at": expires_at}))
    hub.workshop.maintenance.sweep()
    left = [name for name in ("old", "new", "later") if hub.ports.table.get(Key("UPLOAD#" + name, "UPLOAD"))]
    assert left == ["new", "later"]
