"""Ask as a use-case: search, then answer from what was found."""

import secrets
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from time import perf_counter

from knowhub.answering.answer import choose_sources, stream_answer
from knowhub.answering.followups import completed
from knowhub.answering.frames import DoneFrame, Frame, SourcesFrame
from knowhub.answering.limits import Limits
from knowhub.answering.rewriting import rewritten
from knowhub.answering.task import Task, Writing
from knowhub.errors import KnowhubError
from knowhub.model.principal import Principal
from knowhub.model.query import SearchRequest
from knowhub.model.session import Session
from knowhub.observability import report
from knowhub.ports.generator import Generator
from knowhub.retrieval.analysis import analyse
from knowhub.services.search import Search
from knowhub.services.sessions import Sessions

SOURCE_BUDGET = 60_000
"""Code points of all sources together: fifty chunks of the default size, and room for larger ones."""

MODEL_BUDGET = 24_000
"""The same where a model reads them: it is paid by what it reads, and ten chunks are about half of this."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with its sources, ready to be answered once; the session, if there is one, keeps what comes of it."""

    task: Task
    began: float
    sessions: Sessions
    session: Session | None = None

    def frames(self, *, one_shot: bool) -> Iterator[Frame]:
        """Give the frames `sources`, `delta`*, `done`; `one_shot` gives exactly one delta."""
        with closing(stream_answer(self.task, one_shot=one_shot, elapsed_ms=self._elapsed)) as told:
            for frame in told:
                yield self._kept(frame)

    def _elapsed(self) -> int:
        return round((perf_counter() - self.began) * 1000)

    def _kept(self, frame: Frame) -> Frame:
        """Name the session in the first frame, and keep the turn before the last one tells its id."""
        if self.session is None:
            return frame
        if isinstance(frame, SourcesFrame):
            return replace(frame, session_id=self.session.session_id)
        if not isinstance(frame, DoneFrame):
            return frame
        done = replace(frame, message_id=self.sessions.new_message_id())
        try:
            kept = self.sessions.keep(self.session, self.task.question, self.task.sources, done)
        except KnowhubError as error:
            # What was said can't be taken back: the answer ends well, and without an id it is known to be kept nowhere.
            report("turn not kept", error)
            return frame
        return done if kept else frame


class Ask:
    """The one way to answer, from every wire."""

    def __init__(self, search: Search, sessions: Sessions, generator: Generator | None = None) -> None:
        """Keep the collaborators; without a generator answers are quotations."""
        self._search = search
        self._sessions = sessions
        self._generator = generator

    def prepare(
        self, principal: Principal, request: SearchRequest, limits: Limits, *, session_id: str | None = None
    ) -> Answer:
        """Find the sources; raises as `Search.run` does, before anything is streamed, and `NotFound` for the session.

        In a session a question that follows up is completed from the earlier ones before it is looked for. A session
        is bound to no KB: each question says where it is asked.
        """
        began = perf_counter()
        session = None if session_id is None else self._sessions.get(principal, session_id)
        looked_for = request.query if session is None else self._completed(request.query, session, limits)
        hits = self._search.run(principal, replace(request, query=looked_for)).hits
        writing = None if self._generator is None else Writing(self._generator, secrets.token_hex(8))
        sources = choose_sources(hits, SOURCE_BUDGET if writing is None else MODEL_BUDGET)
        task = Task(request.query, looked_for, sources, limits, analyse, writing)
        return Answer(task, began, self._sessions, session)

    def _completed(self, question: str, session: Session, limits: Limits) -> str:
        earlier = self._sessions.questions(session)
        if not earlier:
            return question
        if self._generator is not None:
            told = rewritten(question, earlier, Writing(self._generator, secrets.token_hex(8)), limits)
            if told is not None:
                return told
        return completed(question, earlier)
