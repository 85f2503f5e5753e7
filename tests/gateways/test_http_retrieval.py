"""Search over HTTP beyond the plain query: filters, lists, neighbours, reranking, the dense leg, debugging, facets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from knowhub.errors import Unavailable
from tests.embedding import WordEmbedder
from tests.hubs import Rig, rig


@dataclass
class Longest:
    """A reranker to which the longest text is the best; it may be away."""

    down: bool = False

    def rerank(self, query: str, documents: Sequence[str], top_n: int) -> list[tuple[int, float]]:
        if self.down:
            raise Unavailable(f"no answer about {query}")
        places = sorted(range(len(documents)), key=lambda place: (-len(documents[place]), place))[:top_n]
        return [(place, 1 / (1 + rank)) for rank, place in enumerate(places)]


@pytest.fixture
def dense(tmp_path: Path) -> Iterator[Rig]:
    """Give a hub with an embedder to which `tusked` means walrus."""
    with rig(tmp_path, WordEmbedder(synonyms={"tusked": "walrus"})) as made:
        yield made


def add(hub: Rig, key: str, kb: int, title: str, text: str, **more: Any) -> str:
    sent = hub.http("POST", f"/kb/{kb}/documents", {"title": title, "text": text, **more}, key=key)
    assert sent.status == 202, sent.body
    return str(sent.json["doc_id"])


def new_kb(hub: Rig, key: str, name: str = "Sea", **more: Any) -> int:
    return int(hub.http("POST", "/kb", {"name": name, **more}, key=key).json["kb_id"])


def search(hub: Rig, key: str, kb: int, **body: Any) -> Any:
    answer = hub.http("POST", f"/kb/{kb}/search", body, key=key)
    assert answer.status == 200, answer.body
    return answer.json


def titles(answer: Any) -> list[str]:
    return [hit["title"] for hit in answer["hits"]]


def filled(hub: Rig, key: str) -> int:
    kb = new_kb(hub, key)
    add(hub, key, kb, "one", "the walrus sleeps", metadata={"team": "core", "year": 2023, "day": "2024-03-01"})
    add(hub, key, kb, "two", "the walrus wakes", metadata={"team": "web", "year": 2024, "tags": ["ice", "sea"]})
    add(hub, key, kb, "three", "the walrus swims", url="https://sea.example/3")
    hub.drain()
    return kb


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"field": "metadata.team", "operator": "eq", "value": "core"}, ["one"]),
        ({"field": "metadata.team", "operator": "NE", "value": "core"}, ["two"]),
        ({"field": "metadata.year", "operator": "gte", "value": 2023}, ["one", "two"]),
        ({"field": "metadata.year", "operator": "between", "value": [2024, 2030]}, ["two"]),
        ({"field": "metadata.tags", "operator": "in", "value": ["ice", "fire"]}, ["two"]),
        ({"field": "metadata.day", "operator": "lt", "value": "2024-03-01T00:00:01Z"}, ["one"]),
        ({"field": "title", "operator": "like", "value": "t%"}, ["three", "two"]),
        ({"field": "url", "operator": "exists"}, ["three"]),
        ({"field": "language", "operator": "eq", "value": "zh"}, []),
        ({"field": "created_at", "operator": "gt", "value": "2020-01-01"}, ["one", "three", "two"]),
        ({"operator": "not", "value": {"field": "metadata.team", "operator": "exists"}}, ["three"]),
        (
            {
                "operator": "OR",
                "value": [
                    {"field": "title", "operator": "eq", "value": "one"},
                    {"operator": "and", "value": [{"field": "title", "operator": "eq", "value": "two"}]},
                ],
            },
            ["one", "two"],
        ),
    ],
)
def test_a_filter_narrows_a_search_and_lists_without_a_query(
    hub: Rig, alice: str, asked: dict[str, Any], found: list[str]
) -> None:
    kb = filled(hub, alice)
    assert sorted(titles(search(hub, alice, kb, query="walrus", filter=asked))) == found
    listed = search(hub, alice, kb, filter=asked)
    assert sorted(titles(listed)) == found
    assert {hit["score"] for hit in listed["hits"]} <= {1.0}


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({}, "filter.operator"),
        ({"field": "owner", "operator": "eq", "value": 1}, "filter.field"),
        ({"field": "metadata.", "operator": "eq", "value": 1}, "filter.field"),
        ({"field": "title", "operator": "matches", "value": "x"}, "filter.operator"),
        ({"field": "title", "operator": "in", "value": []}, "filter.value"),
        ({"field": "title", "operator": "between", "value": [1]}, "filter.value"),
        ({"field": "title", "operator": "between", "value": [1, "a"]}, "filter.value"),
        ({"field": "title", "operator": "like", "value": 3}, "filter.value"),
        ({"field": "title", "operator": "eq", "value": None}, "filter.value"),
        ({"field": "title", "operator": "eq", "value": "x" * 257}, "filter.value"),
        ({"field": "title", "operator": "eq", "value": "x", "boost": 2}, "filter"),
        ({"field": "content", "operator": "like", "value": "%x%"}, "filter.field"),
        ({"operator": "and", "value": []}, "filter.value"),
        ({"operator": "and", "value": [{"operator": "not", "value": 1}]}, "filter.value[0].value"),
        ({"field": "title", "operator": "like", "value": "%a" + "_" * 12 + "b"}, "filter.value"),
    ],
)
def test_a_filter_that_does_not_fit_names_the_place(
    hub: Rig, alice: str, asked: dict[str, Any], place: str | None
) -> None:
    kb = filled(hub, alice)
    answer = hub.http("POST", f"/kb/{kb}/search", {"query": "walrus", "filter": asked}, key=alice)
    assert (answer.status, answer.code) == (422, "INVALID_REQUEST")
    if place is not None:
        assert answer.json["error"]["detail"]["errors"][0]["loc"] == place


def test_a_filter_is_limited_in_depth_and_size(hub: Rig, alice: str, kb: int) -> None:
    deep: dict[str, Any] = {"field": "title", "operator": "exists"}
    for _ in range(8):
        deep = {"operator": "not", "value": deep}
    wide = {"operator": "or", "value": [{"field": "title", "operator": "exists"}] * 65}
    for asked in (deep, wide):
        assert hub.http("POST", f"/kb/{kb}/search", {"query": "x", "filter": asked}, key=alice).status == 422


def test_no_filter_reaches_beyond_what_the_caller_reads(hub: Rig, alice: str, bob: str) -> None:
    filled(hub, alice)
    anything = {
        "operator": "or",
        "value": [{"field": "title", "operator": "exists"}, {"field": "title", "operator": "ne", "value": "x"}],
    }
    answer = hub.http("POST", "/search", {"filter": anything}, key=bob)
    assert (answer.status, answer.json["hits"]) == (200, [])


def test_a_metadata_value_too_long_to_filter_by_is_kept_and_is_a_loss(hub: Rig, alice: str, kb: int) -> None:
    doc_id = add(hub, alice, kb, "long", "the walrus", metadata={"note": "x" * 300})
    hub.drain()
    document = hub.http("GET", f"/documents/{doc_id}", key=alice).json
    assert document["metadata"]["note"] == "x" * 300
    assert [(loss["code"], loss["where"]) for loss in document["losses"]] == [("NOT_FILTERABLE", "metadata.note")]


def test_expand_shows_the_neighbours_with_the_hit(hub: Rig, alice: str) -> None:
    kb = new_kb(hub, alice, chunking={"size": 100})
    lines = [
        f"{word} stands here for itself alone and fills up the line with some more words of no use"
        for word in ("first", "second", "third", "fourth", "fifth")
    ]
    add(hub, alice, kb, "lines", "\n".join(lines))
    hub.drain()
    (hit,) = search(hub, alice, kb, query="third", top_k=1)["hits"]
    assert hit["text"].strip() == lines[2]
    (wide,) = search(hub, alice, kb, query="third", top_k=1, expand=1)["hits"]
    assert wide["text"].strip() == "\n".join(lines[1:4])
    assert (wide["locator"]["line_start"], wide["locator"]["line_end"]) == (2, 4)
    (mark,) = wide["highlights"]
    assert wide["text"][mark["start"] : mark["end"]] == "third"


def test_a_reranker_s_order_and_scores_are_shown_and_min_score_applies_to_them(hub: Rig, alice: str) -> None:
    judged = Rig(replace(hub.ports, reranker=Longest()), hub.clock, hub.folder)
    kb = filled(judged, alice)
    add(judged, alice, kb, "four", "the walrus sleeps on the ice for a long time")
    judged.drain()
    answer = search(judged, alice, kb, query="walrus", rerank=True)
    assert titles(answer)[0] == "four"
    assert [hit["score"] for hit in answer["hits"]][:2] == [1.0, 0.5]
    assert titles(search(judged, alice, kb, query="walrus", rerank=True, min_score=0.9)) == ["four"]


def test_a_reranker_that_is_away_leaves_the_fused_order_and_the_debug_block_says_so(hub: Rig, alice: str) -> None:
    judged = Rig(replace(hub.ports, reranker=Longest(down=True)), hub.clock, hub.folder)
    kb = filled(judged, alice)
    plain = search(judged, alice, kb, query="walrus")
    answer = search(judged, alice, kb, query="walrus", rerank=True, include_debug=True)
    assert titles(answer) == titles(plain)
    assert answer["debug"]["rerank"] == {"used": False, "reason": "no answer about walrus"}


def test_reranking_without_a_reranker_is_refused(hub: Rig, alice: str, kb: int) -> None:
    assert hub.http("POST", f"/kb/{kb}/search", {"query": "x", "rerank": True}, key=alice).code == "INVALID_REQUEST"


def test_the_dense_leg_finds_what_has_no_word_in_common(dense: Rig) -> None:
    key = dense.user("ada")
    kb = filled(dense, key)
    add(dense, key, kb, "other", "the seal")
    dense.drain()
    answer = search(dense, key, kb, query="tusked", mode="dense", top_k=3)
    assert answer["legs"] == ["dense"]
    assert "other" not in titles(answer)
    hybrid = search(dense, key, kb, query="tusked")
    assert hybrid["legs"] == ["keyword", "exact", "dense"]
    assert "walrus" in hybrid["hits"][0]["text"]


def test_without_an_embedder_the_answer_names_the_legs_that_ran(hub: Rig, alice: str) -> None:
    kb = filled(hub, alice)
    answer = search(hub, alice, kb, query="walrus", include_debug=True)
    assert answer["legs"] == ["keyword", "exact"]
    assert answer["debug"]["unavailable"] == {"dense": "no embedder"}
    assert hub.http("POST", f"/kb/{kb}/search", {"query": "x", "mode": "dense"}, key=alice).code == "INVALID_REQUEST"


def test_the_debug_route_gives_the_block_that_the_flag_gives(hub: Rig, alice: str) -> None:
    kb = filled(hub, alice)
    asked = {"field": "title", "operator": "like", "value": "t%"}
    body = {"query": '"walrus" sleeps', "filter": asked}
    flagged = hub.http("POST", f"/kb/{kb}/search", {**body, "include_debug": True}, key=alice).json["debug"]
    routed = hub.http("POST", f"/kb/{kb}/search/debug", body, key=alice).json["debug"]
    for block in (flagged, routed):
        for leg in block["legs"].values():
            leg.pop("took_ms")
    assert routed == flagged
    assert routed["filter"] == asked
    assert set(routed) == {"terms", "phrases", "legs", "unavailable", "fused", "dropped", "rerank", "filter"}


def test_a_document_has_at_most_three_of_the_first_places_and_a_text_is_shown_once(hub: Rig, alice: str) -> None:
    kb = new_kb(hub, alice, chunking={"size": 100})
    lines = [
        f"walrus number {number} rests on the ice and looks at the sea the whole day long until it is night"
        for number in range(6)
    ]
    add(hub, alice, kb, "many", "\n".join(lines))
    for number in range(8):
        add(hub, alice, kb, f"one {number}", f"a walrus of the kind {number}")
    add(hub, alice, kb, "twin", "A  walrus of the kind 7")
    hub.drain()
    shown = titles(search(hub, alice, kb, query="walrus", top_k=10))
    assert len(shown) == 10
    assert shown.count("many") <= 3
    assert ("one 7" in shown) + ("twin" in shown) <= 1


def test_min_score_null_and_0_mean_none_and_1_keeps_the_best_reachable_only(hub: Rig, alice: str) -> None:
    kb = filled(hub, alice)
    every = titles(search(hub, alice, kb, query="walrus sleeps"))
    assert titles(search(hub, alice, kb, query="walrus sleeps", min_score=None)) == every
    assert titles(search(hub, alice, kb, query="walrus sleeps", min_score=0)) == every
    assert titles(search(hub, alice, kb, query="walrus sleeps", min_score=1)) == ["one"]


def test_facets_are_of_visible_documents_and_change_with_them_at_once(hub: Rig, alice: str, bob: str) -> None:
    kb = filled(hub, alice)
    facets = {item["key"]: item for item in hub.http("GET", f"/kb/{kb}/metadata", key=alice).json["items"]}
    assert facets["team"]["values"] == [{"value": "core", "count": 1}, {"value": "web", "count": 1}]
    assert facets["year"]["values"] == [{"value": 2023, "count": 1}, {"value": 2024, "count": 1}]
    assert [value["value"] for value in facets["tags"]["values"]] == ["ice", "sea"]
    listed = hub.http("GET", f"/kb/{kb}/documents", key=alice).json["items"]
    (two,) = [document["doc_id"] for document in listed if document["title"] == "two"]
    hub.http("DELETE", f"/documents/{two}", key=alice)
    keys = [item["key"] for item in hub.http("GET", f"/kb/{kb}/metadata", key=alice).json["items"]]
    assert "tags" not in keys
    assert hub.http("GET", f"/kb/{kb}/metadata", key=bob).status == 404


def test_a_new_revision_s_metadata_replaces_the_old_one_s_when_it_becomes_visible(
    hub: Rig, alice: str, kb: int
) -> None:
    for team in ("core", "web"):
        add(hub, alice, kb, "one", f"the walrus of {team}", external_id="x", metadata={"team": team})
        hub.drain()
    (facet,) = hub.http("GET", f"/kb/{kb}/metadata", key=alice).json["items"]
    assert facet["values"] == [{"value": "web", "count": 1}]
    asked = {"field": "metadata.team", "operator": "eq", "value": "core"}
    assert titles(search(hub, alice, kb, filter=asked)) == []


def test_a_kb_takes_its_language_from_its_first_document_unless_it_was_given(hub: Rig, alice: str) -> None:
    kb, given = new_kb(hub, alice, "auto"), new_kb(hub, alice, "given", language="en")
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["language"] is None
    for one in (kb, given):
        add(hub, alice, one, "海象", "海象在冰上睡觉，醒来以后下海游泳。")
    hub.drain()
    add(hub, alice, kb, "walrus", "The walrus is asleep on the ice and in the water.")
    hub.drain()
    assert hub.http("GET", f"/kb/{kb}", key=alice).json["language"] == "zh"
    assert hub.http("GET", f"/kb/{given}", key=alice).json["language"] == "en"


def test_an_answer_can_be_narrowed_by_a_filter(hub: Rig, alice: str) -> None:
    kb = filled(hub, alice)
    asked = {"field": "title", "operator": "eq", "value": "two"}
    answer = hub.http("POST", f"/kb/{kb}/ask", {"question": "what does the walrus do?", "filter": asked}, key=alice)
    sources = next(data for name, data in answer.events if name == "sources")
    assert [source["title"] for source in sources["sources"]] == ["two"]
