"""What a setting may name as an engine."""

import pytest

from knowhub.adapters import _generations
from knowhub.settings import InvalidSettings
from knowhub.stores.opensearch.generations import OpenSearchGenerations
from knowhub.stores.opensearch.places import Place, Tuning, place_of


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("https://search.example.org", Place("search.example.org", 443, tls=True, signed=True, prefix="knowhub")),
        ("https://search.example.org/", Place("search.example.org", 443, tls=True, signed=True, prefix="knowhub")),
        ("https://search.example.org/hub-2", Place("search.example.org", 443, tls=True, signed=True, prefix="hub-2")),
        ("opensearch:http://127.0.0.1:9250", Place("127.0.0.1", 9250, tls=False, signed=False, prefix="knowhub")),
        ("opensearch:http://[::1]/x", Place("::1", 9200, tls=False, signed=False, prefix="x")),
        ("opensearch:https://node/x", Place("node", 443, tls=True, signed=False, prefix="x")),
        (
            "https://h.example.org/x?shards=3&vectors=faiss&exact=0",
            Place("h.example.org", 443, tls=True, signed=True, prefix="x", tuning=Tuning(3, "faiss", 0)),
        ),
    ],
)
def test_a_place_is_read(setting: str, expected: Place) -> None:
    assert place_of(setting) == expected


@pytest.mark.parametrize(
    "setting",
    [
        "", "x", "http://search.example.org", "https://", "https:///x", "opensearch:", "opensearch:9200",
        "opensearch:ftp://h", "https://user:word@h.example.org", "https://h.example.org/UPPER", "https://h/a/b",
        "https://h/-x", "https://h/x*", "https://h/x#f", "https://abc.eu-central-1.aoss.amazonaws.com",
        "https://h/x?shards=0", "https://h/x?shards=1000", "https://h/x?vectors=nmslib", "https://h/x?other=1",
        "https://h/x?exact=", "https://h:port/x", "sqlite:x",
    ],
)  # fmt: skip
def test_anything_else_is_refused(setting: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        place_of(setting)


def test_the_settings_open_an_engine_and_name_what_is_none() -> None:
    assert isinstance(_generations("https://search.example.org/hub?shards=2"), OpenSearchGenerations)
    with pytest.raises(InvalidSettings, match="KNOWHUB_CHUNK_INDEX"):
        _generations("redis:somewhere")
