"""Ask as a use-case: search, then answer from what was found."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from knowhub.answering.answer import choose_sources, stream_answer
from knowhub.answering.frames import Frame, Source
from knowhub.model.principal import Principal
from knowhub.model.query import SearchRequest
from knowhub.retrieval.analysis import analyse
from knowhub.services.search import Search

SOURCE_BUDGET = 60_000
"""Code points of all sources together: fifty chunks of the default size, and room for larger ones."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with its sources, ready to be answered once."""

    question: str
    sources: Sequence[Source]
    began: float
    deadline_reached: Callable[[], bool]

    def frames(self, *, one_shot: bool) -> Iterator[Frame]:
        """Give the frames `sources`, `delta`*, `done`; `one_shot` gives exactly one delta."""
        return stream_answer(
            self.question,
            self.sources,
            one_shot=one_shot,
            deadline_reached=self.deadline_reached,
            elapsed_ms=lambda: round((perf_counter() - self.began) * 1000),
            analyse=analyse,
        )


class Ask:
    """The one way to answer, from every wire."""

    def __init__(self, search: Search) -> None:
        """Keep the search."""
        self._search = search

    def prepare(self, principal: Principal, request: SearchRequest, deadline_reached: Callable[[], bool]) -> Answer:
        """Find the sources; raises as `Search.run` does, before anything is streamed."""
        began = perf_counter()
        hits = self._search.run(principal, request).hits
        return Answer(request.query, choose_sources(hits, SOURCE_BUDGET), began, deadline_reached)
