"""What an import may ask for, and how every fault of it is named."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowhub.errors import InvalidRequest
from knowhub.model.knowledge_base import Chunking
from knowhub.ports.sources import SourceSpec
from knowhub.sources.specs import merged_metadata, parse, to_json

READERS = ("markdown", "pdf", "text")
CHUNKERS = ("fixed", "markdown")


def read(body: Any) -> SourceSpec:
    return parse(body, readers=READERS, chunkers=CHUNKERS)


def faults(body: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as caught:
        read(body)
    listed = caught.value.detail["errors"]
    assert isinstance(listed, list)
    assert all(set(each) == {"loc", "type", "message"} for each in listed)
    return [(".".join(map(str, each["loc"])), each["type"]) for each in listed]


def url(**more: Any) -> dict[str, Any]:
    return {"source": {"type": "url", "urls": ["https://a.example/"]}, **more}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"type": "file", "files": ["upload:u1", "s3://b/k"]}, SourceSpec("file", ("upload:u1", "s3://b/k"))),
        ({"type": "dir", "path": "s3://b/docs/"}, SourceSpec("dir", ("s3://b/docs/",))),
        (
            {"type": "dir", "path": "/d", "recursive": True, "extensions": [".MD", "md", "Txt"]},
            SourceSpec("dir", ("/d",), recursive=True, extensions=("md", "txt")),
        ),
        ({"type": "url", "urls": [" https://a.example/ "]}, SourceSpec("url", ("https://a.example/",))),
        (
            {"type": "url", "urls": ["http://wiki/1"], "content_urls": ["https://a.example/raw/1"]},
            SourceSpec("url", ("http://wiki/1",), content_urls=("https://a.example/raw/1",)),
        ),
        ({"type": "auto", "inputs": ["a text\n"]}, SourceSpec("auto", ("a text\n",))),
    ],
)
def test_each_type_has_its_own_members(source: dict[str, Any], expected: SourceSpec) -> None:
    assert read({"source": source}) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, [("body", "dict_type"), ("body.source", "dict_type"), ("body.source.type", "literal_error")]),
        ({"source": {"type": "repo"}}, [("body.source.type", "literal_error")]),
        ({"source": {"type": ["url"]}}, [("body.source.type", "literal_error")]),
        ({"source": {"type": "url"}}, [("body.source.urls", "list_type")]),
        ({"source": {"type": "url", "urls": []}}, [("body.source.urls", "list_type")]),
        ({"source": {"type": "url", "urls": "https://a.example/"}}, [("body.source.urls", "list_type")]),
        ({"source": {"type": "url", "urls": ["https://a.example/"] * 2}}, [("body.source.urls", "value_error")]),
        ({"source": {"type": "url", "urls": ["ftp://a/", "https://u@a/"]}},
         [("body.source.urls.0", "url"), ("body.source.urls.1", "url")]),
        ({"source": {"type": "url", "urls": ["https://a.example/", 5]}}, [("body.source.urls.1", "string_type")]),
        ({"source": {"type": "url", "urls": ["https://a.example/"], "content_urls": ["https://a.example/"] * 2}},
         [("body.source.content_urls", "value_error")]),
        ({"source": {"type": "dir", "path": ""}}, [("body.source.path", "string_type")]),
        ({"source": {"type": "dir", "path": "/d", "recursive": "yes"}}, [("body.source.recursive", "bool_type")]),
        ({"source": {"type": "dir", "path": "/d", "files": ["x"]}}, [("body.source.files", "extra_forbidden")]),
        ({"source": {"type": "file", "files": ["x"], "recursive": True}},
         [("body.source.recursive", "extra_forbidden")]),
        (url(nam="x"), [("body.nam", "extra_forbidden")]),
        (url(name=" x"), [("body.name", "value_error")]),
        (url(name="a/b"), [("body.name", "value_error")]),
        (url(name=""), [("body.name", "string_type")]),
        (url(metadata=[]), [("body.metadata", "dict_type")]),
        (url(chunk_size=True), [("body.chunk_size", "int_type")]),
        (url(chunk_size=0), [("body.chunk_size", "int_type")]),
        (url(chunk_size=500, chunk_overlap=500), [("body.chunk_overlap", "value_error")]),
        (url(chunking={"strategy": "none"}), [("body.chunking.strategy", "literal_error")]),
        (url(chunking={"size": 100, "overlap": 100}), [("body.chunking.overlap", "value_error")]),
        (url(chunking={"sise": 1}), [("body.chunking.sise", "extra_forbidden")]),
        (url(transformers={"type": "x"}), [("body.transformers", "list_type")]),
        (url(transformers=["x"]), [("body.transformers", "list_type")]),
        (url(reader="word"), [("body.reader", "literal_error")]),
        (url(reader=["pdf"]), [("body.reader", "literal_error")]),
        (url(name=" ", metadata=1, reader=2, extra=3),
         [("body.extra", "extra_forbidden"), ("body.name", "string_type"), ("body.metadata", "dict_type"),
          ("body.reader", "literal_error")]),
    ],
)  # fmt: skip
def test_every_fault_is_named_with_its_place(body: Any, expected: list[tuple[str, str]]) -> None:
    assert faults(body) == expected


def test_a_fault_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(InvalidRequest) as caught:
        read({"source": {"type": "url", "urls": ["https://user:s3cret@a.example/"]}})
    assert "s3cret" not in repr((caught.value.message, caught.value.detail))


def test_options_stand_beside_the_source_or_in_it_but_not_in_both() -> None:
    inside = {"source": {"type": "dir", "path": "/d", "name": "docs", "metadata": {"a": 1}}}
    beside = {"source": {"type": "dir", "path": "/d"}, "name": "docs", "metadata": {"a": 1}}
    assert read(inside) == read(beside)
    assert faults({**inside, "name": "docs"}) == [("body.name", "value_error")]


def test_a_chunking_overrides_size_and_overlap_completely() -> None:
    default = Chunking("markdown", 1024, 100)
    assert read(url()).chunking_over(default) == default
    assert read(url(chunk_size=500)).chunking_over(default) == Chunking("markdown", 500, 100)
    assert read(url(chunk_size=500, chunk_overlap=0)).chunking_over(default) == Chunking("markdown", 500, 0)
    both = read(url(chunk_size=500, chunk_overlap=50, chunking={"strategy": "fixed"}))
    assert both.chunking_over(default) == Chunking("fixed", 1024, 0)


def test_the_systems_metadata_win_over_the_users() -> None:
    spec = read(url(metadata={"uri": "mine", "team": "a"}))
    assert merged_metadata(spec, {"uri": "theirs"}) == {"uri": "theirs", "team": "a"}


TEXT = st.text("abc /:", min_size=1, max_size=8).filter(str.strip)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.text("abcé ", min_size=1, max_size=5).map(str.strip).filter(bool),
        "metadata": st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3) | st.none(), max_size=3),
        "chunk_size": st.integers(1000, 8000),
        "chunk_overlap": st.integers(0, 999),
        "chunking": st.fixed_dictionaries(
            {}, optional={"strategy": st.sampled_from(CHUNKERS), "size": st.integers(1000, 8000)}
        ),
        "transformers": st.lists(st.fixed_dictionaries({"type": TEXT}), max_size=2),
        "reader": st.sampled_from(READERS),
    },
)
SOURCES = st.one_of(
    st.fixed_dictionaries({"type": st.just("file"), "files": st.lists(TEXT, min_size=1, max_size=3, unique=True)}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["auto"]), "inputs": st.lists(TEXT, min_size=1, max_size=3, unique=True)},
        optional={"recursive": st.booleans(), "extensions": st.just(["MD"])},
    ),
    st.fixed_dictionaries(
        {"type": st.just("dir"), "path": TEXT}, optional={"recursive": st.booleans(), "extensions": st.just([".md"])}
    ),
    st.fixed_dictionaries(
        {"type": st.just("url"), "urls": st.just(["https://a.example/x"])},
        optional={"content_urls": st.just(["https://b.example/y"])},
    ),
)


@given(SOURCES, OPTIONS)
def test_a_spec_can_be_kept_as_json(source: dict[str, Any], options: dict[str, Any]) -> None:
    spec = read({"source": source, **options})
    assert read(json.loads(json.dumps(to_json(spec)))) == spec


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.fixed_dictionaries({"type": st.sampled_from(["file", "dir", "url", "auto"])}), st.data())
def test_whatever_json_comes_it_is_a_spec_or_a_list_of_faults(source: dict[str, Any], data: st.DataObject) -> None:
    members = ["files", "path", "urls", "content_urls", "inputs", "recursive", "extensions"]
    options = ["name", "metadata", "chunk_size", "chunk_overlap", "chunking", "transformers", "reader"]
    source |= data.draw(st.dictionaries(st.sampled_from(members), JSON, max_size=3))
    body = {"source": source, **data.draw(st.dictionaries(st.sampled_from(options), JSON, max_size=3))}
    found: SourceSpec | None = None
    listed: object = None
    try:
        found = read(body)
    except InvalidRequest as error:
        listed = error.detail["errors"]
    assert found is not None or listed
