"""Chunkers by name, and fingerprints."""

import pytest

from knowhub.chunkers import fixed, json_values, markdown, recursive, registry
from knowhub.chunkers.options import ChunkOptions
from knowhub.errors import InvalidRequest


def test_chunkers_are_found_by_name() -> None:
    assert registry.chunker("fixed") is fixed.chunk
    assert registry.chunker("markdown") is markdown.chunk
    assert registry.chunker("json") is json_values.chunk
    assert registry.chunker("recursive") is recursive.chunk
    assert registry.names() == ("fixed", "json", "markdown", "recursive")


def test_each_chunker_has_a_size_of_its_own() -> None:
    assert {name: registry.default_size(name) for name in registry.names()} == {
        "fixed": 1024,
        "json": 2000,
        "markdown": 1024,
        "recursive": 1024,
    }
    assert [name for name in registry.names() if not registry.overlaps(name)] == ["json"]


@pytest.mark.parametrize("name", ["", "Fixed", "semantic"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(InvalidRequest, match="fixed, json, markdown, recursive"):
        registry.chunker(name)


def test_every_option_changes_the_fingerprint() -> None:
    variants = [
        ChunkOptions(),
        ChunkOptions(size=512),
        ChunkOptions(overlap=10),
        ChunkOptions(preserve_lines=True),
        ChunkOptions(trim_whitespace=True),
        ChunkOptions(header_lines=1),
        ChunkOptions(separators=("|",)),
        ChunkOptions(separators=()),
    ]
    prints = {registry.fingerprint(name, options) for name in registry.names() for options in variants}
    assert len(prints) == len(variants) * len(registry.names())
    assert registry.fingerprint("fixed", ChunkOptions()) == registry.fingerprint("fixed", ChunkOptions())
