"""The plan of a search: which legs run, what each looks for, and how much each says."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from knowhub.errors import InvalidRequest, SearchUnavailable, Unavailable
from knowhub.model.query import SearchRequest
from knowhub.observability import report
from knowhub.ports.chunk_index import ChunkIndex, DenseLeg, EveryLeg, ExactLeg, KeywordLeg, Leg
from knowhub.ports.embedder import Embedder
from knowhub.retrieval.analysis import AnalysedQuery, analyse_query
from knowhub.retrieval.fusion import Weights
from knowhub.retrieval.scripts import is_written_in, script_of
from knowhub.settings import InvalidSettings

TEXT_WEIGHTS: Mapping[str, float] = MappingProxyType({"keyword": 1.0, "exact": 0.5})
"""An exact match mostly repeats what the keyword leg found: at half weight it decides between near equals."""

MODES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "hybrid": ("keyword", "exact", "dense"),
        "keyword": ("keyword",),
        "exact": ("exact",),
        "dense": ("dense",),
    }
)

EVERY = "filter"
"""The one leg of a search without a query: whatever the filter lets by."""

MAX_QUERY = 2000


@dataclass(frozen=True, slots=True)
class Serving:
    """What searches read: an index, and the embedder whose vectors it holds, if there is one."""

    index: ChunkIndex
    embedder: Embedder | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A search as it is to be run; `unavailable` says why a leg that belongs to it does not run."""

    query: AnalysedQuery
    legs: Mapping[str, Leg]
    weights: Weights
    unavailable: Mapping[str, str]

    @property
    def lists(self) -> bool:
        """Whether this is a listing by filter: nothing is ranked."""
        return EVERY in self.legs


def plan(request: SearchRequest, languages: Mapping[int, str], serving: Serving) -> Plan:
    """Plan a search over KBs, given with their languages.

    Raises `InvalidRequest` for a query or a mode that can't be served, and `SearchUnavailable` where the only leg needs
    an embedder that does not answer.
    """
    _check(request)
    if not request.query.strip():
        return Plan(AnalysedQuery(()), {EVERY: EveryLeg()}, Weights({EVERY: 1.0}), {})
    query = analyse_query(request.query)
    names = MODES[request.mode]
    legs: dict[str, Leg] = {
        name: _text_leg(name, query, alone=len(names) == 1) for name in names if name in TEXT_WEIGHTS
    }
    unavailable: dict[str, str] = {}
    if "dense" in names:
        dense = _dense_leg(request, serving.embedder, unavailable)
        if dense is not None:
            legs["dense"] = dense
    return Plan(query, legs, Weights(TEXT_WEIGHTS, _dense_weights(request, languages, serving.embedder)), unavailable)


def strengthened(weights: Weights) -> Weights:
    """Let a dense leg that bridges languages say as much as a text leg, for a query whose words are hardly found."""
    return Weights(weights.legs, {kb_id: max(weight, 1.0) for kb_id, weight in weights.dense.items()})


def _check(request: SearchRequest) -> None:
    if not request.query.strip() and request.filter is None:
        raise InvalidRequest("A search needs a query or a filter")
    if len(request.query) > MAX_QUERY:
        raise InvalidRequest(f"A query has at most {MAX_QUERY} characters", {"limit": MAX_QUERY})
    if request.mode not in MODES:
        raise InvalidRequest(f"There is no mode {request.mode}", {"mode": request.mode})


def _text_leg(name: str, query: AnalysedQuery, *, alone: bool) -> Leg:
    if name == "keyword":
        return KeywordLeg(query.terms)
    # Loose phrases are too common to be fused; without them the exact leg alone finds nothing for a long query.
    optional = (*query.optional, *query.loose) if alone else query.optional
    return ExactLeg(optional=optional, required=query.required)


def _dense_leg(request: SearchRequest, embedder: Embedder | None, unavailable: dict[str, str]) -> Leg | None:
    """Embed the query; None where that can't be done and other legs are there to answer."""
    alone = request.mode == "dense"
    if embedder is None:
        if alone:
            raise InvalidRequest("Mode dense needs an embedder, and the index has none", {"mode": "dense"})
        unavailable["dense"] = "no embedder"
        return None
    try:
        vector = embedder.embed_query(request.query)
    except (Unavailable, InvalidSettings) as error:
        if alone:
            raise SearchUnavailable("The embedder does not answer right now") from error
        # Words still find: who runs the hub reads the reason in the log, who asks sees which legs ran.
        report("the dense leg was left out", error)
        unavailable["dense"] = "the embedder does not answer"
        return None
    if vector is None:
        unavailable["dense"] = "the query has no direction"
        return None
    return DenseLeg(tuple(vector))


def _dense_weights(
    request: SearchRequest, languages: Mapping[int, str], embedder: Embedder | None
) -> Mapping[int, float]:
    """Weigh the dense leg for each KB: in full where it is alone, or bridges to another script than the query's."""
    if embedder is None:
        return {}
    profile = embedder.profile
    if request.mode == "dense":
        return dict.fromkeys(languages, 1.0)
    script = script_of(request.query) if profile.cross_language else None
    return {
        kb_id: profile.weight if is_written_in(script, language) else max(profile.weight, 1.0)
        for kb_id, language in languages.items()
    }
