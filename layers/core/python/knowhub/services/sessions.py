"""Sessions as use-cases: conversations that only their own principal sees, and only as far as it may still read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowhub.answering.frames import DoneFrame, Source
from knowhub.catalog.documents import DocumentRows
from knowhub.catalog.sessions import SessionRows
from knowhub.errors import NotFound
from knowhub.model.document import DocumentHead
from knowhub.model.principal import Principal
from knowhub.model.session import Feedback, Rating, Session, Turn, TurnCitation
from knowhub.model.times import iso
from knowhub.ports.clock import Clock
from knowhub.ports.identifiers import Identifiers
from knowhub.services.permissions import Permissions

KEPT_SECONDS = 30 * 24 * 3600
"""How long a turn is kept, and a session after its last one."""

TITLE_LENGTH = 80

_MOST_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class TurnSource:
    """A source of an answer as it is now: `head` is None where it is gone, or not readable."""

    n: int
    chunk_id: str
    head: DocumentHead | None


@dataclass(frozen=True, slots=True)
class Message:
    """A turn as it may be shown now; of a withheld one the answer and what it cites are not."""

    turn: Turn
    withheld: bool
    sources: tuple[TurnSource, ...]


@dataclass(frozen=True, slots=True)
class SessionPage:
    """Sessions, the latest first; `after` is the place of the last one where more follow."""

    items: tuple[Session, ...]
    total: int
    after: str | None


class Sessions:
    """Keeps conversations."""

    def __init__(
        self,
        rows: SessionRows,
        documents: DocumentRows,
        permissions: Permissions,
        clock: Clock,
        identifiers: Identifiers,
    ) -> None:
        """Keep the collaborators."""
        self._rows = rows
        self._documents = documents
        self._permissions = permissions
        self._clock = clock
        self._identifiers = identifiers

    def create(self, principal: Principal, title: str = "") -> Session:
        """Begin a session; one without a title gets that of its first question."""
        now = self._clock.now()
        at = iso(now)
        session_id = self._identifiers.new("ses_")
        session = Session(session_id, owner_of(principal), title, at, at, int(now) + KEPT_SECONDS)
        self._rows.create(session)
        return session

    def page(self, principal: Principal, *, limit: int, skip: int = 0, after: str | None = None) -> SessionPage:
        """List the principal's sessions, from a place on or behind some."""
        everything = self._rows.of(owner_of(principal), self._clock.now())
        following = everything[skip:] if after is None else [one for one in everything if _place(one) < after]
        items = following[:limit]
        return SessionPage(tuple(items), len(everything), _place(items[-1]) if len(following) > limit else None)

    def get(self, principal: Principal, session_id: str) -> Session:
        """Give a session; somebody else's, an expired one and none are the same `NotFound`."""
        found = self._rows.get(owner_of(principal), session_id, self._clock.now())
        if found is None:
            raise NotFound("SESSION", {"session_id": session_id})
        return found

    def messages(self, principal: Principal, session: Session) -> list[Message]:
        """Give the turns as they may be shown now, the oldest first."""
        turns = self._rows.turns(session, self._clock.now())
        heads = self._documents.heads(sorted({_doc_id(one) for turn in turns for one in turn.chunk_ids}))
        readable = self._permissions.readable_of(principal, {head.kb_id for head in heads.values()})
        shown = {doc_id: head for doc_id, head in heads.items() if head.kb_id in readable and not head.deleted}
        return [_message(turn, shown) for turn in turns]

    def delete(self, principal: Principal, session_id: str) -> None:
        """Remove a session with all that was said in it, at once."""
        self._rows.delete(self.get(principal, session_id))

    def rate(
        self, principal: Principal, session_id: str, message_id: str, rating: Rating, comment: str | None
    ) -> Feedback:
        """Keep what the principal thinks of an answer, in the place of what it thought before."""
        session = self.get(principal, session_id)
        turns = self._rows.turns(session, self._clock.now())
        turn = next((one for one in turns if one.message_id == message_id), None)
        feedback = Feedback(rating, comment, iso(self._clock.now()))
        if turn is None or not self._rows.rate(session, turn, feedback):
            raise NotFound("MESSAGE", {"message_id": message_id})
        return feedback

    def questions(self, session: Session) -> list[str]:
        """Give the last questions, the oldest first: what somebody asked is theirs, whatever became of the sources."""
        return [turn.question for turn in self._rows.turns(session, self._clock.now())][-_MOST_QUESTIONS:]

    def new_message_id(self) -> str:
        """Give an id for a turn that is about to be made."""
        return self._identifiers.new("msg_")

    def keep(self, session: Session, question: str, sources: Sequence[Source], done: DoneFrame) -> bool:
        """Keep a turn that has ended; False where the session is gone meanwhile."""
        now = self._clock.now()
        at, expires_at = iso(now), int(now) + KEPT_SECONDS
        title = session.title or question[:TITLE_LENGTH]
        number = self._rows.next_number(session, at, expires_at, title)
        if number is None:
            return False
        cited = tuple(dict.fromkeys(one.chunk_id for one in done.citations))
        turn = Turn(
            message_id=done.message_id or self.new_message_id(),
            number=number,
            question=question,
            answer=done.answer,
            citations=tuple(TurnCitation(one.n, one.chunk_id, one.start, one.end) for one in done.citations),
            chunk_ids=cited if done.extractive or not cited else tuple(source.chunk_id for source in sources),
            extractive=done.extractive,
            finish_reason=done.finish_reason,
            created_at=at,
            expires_at=expires_at,
        )
        return self._rows.add(session, turn)


def owner_of(principal: Principal) -> str:
    """Name whose sessions a principal sees: its user's, or its own alone where a key reaches some KBs only.

    What the user asked elsewhere is none of such a key's business, even where the answers could be held back.
    """
    if principal.kb_limit is None:
        return principal.user_id
    return f"{principal.user_id}/{principal.credential_id}"


def _message(turn: Turn, shown: Mapping[str, DocumentHead]) -> Message:
    withheld = any(_visible(chunk_id, shown) is None for chunk_id in turn.chunk_ids)
    numbers = dict.fromkeys((one.n, one.chunk_id) for one in turn.citations)
    sources = tuple(TurnSource(n, chunk_id, _visible(chunk_id, shown)) for n, chunk_id in sorted(numbers))
    return Message(turn, withheld, () if withheld else sources)


def _visible(chunk_id: str, shown: Mapping[str, DocumentHead]) -> DocumentHead | None:
    """Give the document of a chunk, where exactly this chunk can still be read."""
    doc_id, revision, _ = chunk_id.split(":")
    head = shown.get(doc_id)
    return head if head is not None and str(head.visible_revision) == revision else None


def _doc_id(chunk_id: str) -> str:
    return chunk_id.partition(":")[0]


def _place(session: Session) -> str:
    return f"{session.updated_at}#{session.session_id}"
