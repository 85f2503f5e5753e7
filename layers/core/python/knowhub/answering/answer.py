"""Answering from found chunks: number the sources, then stream the sentences that answer."""

from collections.abc import Callable, Iterator, Sequence

from knowhub.answering.extractive import Analyse, Passage, choose
from knowhub.answering.frames import Citation, DeltaFrame, DoneFrame, FinishReason, Frame, Source, SourcesFrame
from knowhub.answering.languages import no_evidence
from knowhub.model.hit import Hit

_SEPARATOR = "\n"


def choose_sources(hits: Sequence[Hit], budget_chars: int) -> tuple[Source, ...]:
    """Take the hits, best first, whose texts fit into the budget together; one that does not fit is passed over."""
    sources: list[Source] = []
    left = budget_chars
    for hit in hits:
        chunk = hit.chunk
        if len(chunk.text) > left:
            continue
        left -= len(chunk.text)
        sources.append(
            Source(
                idx=len(sources) + 1,
                chunk_id=chunk.chunk_id,
                doc_id=chunk.doc_id,
                kb_id=chunk.kb_id,
                title=chunk.title,
                url=chunk.url,
                text=chunk.text,
                score=hit.score,
                locator=chunk.locator,
            )
        )
    return tuple(sources)


def stream_answer(
    question: str,
    sources: Sequence[Source],
    *,
    one_shot: bool,
    deadline_reached: Callable[[], bool],
    elapsed_ms: Callable[[], int],
    analyse: Analyse,
) -> Iterator[Frame]:
    """Yield the sources, the answer in parts, and the end.

    A part is one sentence with its number; with `one_shot` there is exactly one part, whatever the answer. The deadline
    is asked before each sentence: what was said until then is the answer, and the reason is `length`.
    """
    yield SourcesFrame(tuple(sources))
    draft = _Draft()
    parts: list[str] = []
    reason: FinishReason = "length"
    for part, reason_so_far in _parts(question, sources, draft, deadline_reached, analyse):
        parts.append(part)
        reason = reason_so_far
        if part and not one_shot:
            yield DeltaFrame(part)
    answer = "".join(parts)
    if one_shot:
        yield DeltaFrame(answer)
    yield DoneFrame(answer, tuple(draft.citations), extractive=True, finish_reason=reason, took_ms=elapsed_ms())


class _Draft:
    """The answer as far as it goes: its length, and what its numbers support."""

    def __init__(self) -> None:
        self.length = 0
        self.citations: list[Citation] = []

    def add(self, passage: Passage, source: Source) -> str:
        """Quote a passage with its number; gives the new part of the answer."""
        lead = _SEPARATOR if self.length else ""
        start = self.length + len(lead)
        self.citations.append(Citation(source.idx, source.chunk_id, start, start + len(passage.text)))
        part = f"{lead}{passage.text} [{source.idx}]"
        self.length += len(part)
        return part


def _parts(
    question: str,
    sources: Sequence[Source],
    draft: _Draft,
    deadline_reached: Callable[[], bool],
    analyse: Analyse,
) -> Iterator[tuple[str, FinishReason]]:
    """Give the parts of the answer, each with the reason that holds if nothing follows."""
    if deadline_reached():
        yield "", "length"
        return
    passages = choose(question, [source.text for source in sources], analyse)
    if not passages:
        yield no_evidence(question), "no_evidence"
    for passage in passages:
        if deadline_reached():
            yield "", "length"
            return
        yield draft.add(passage, sources[passage.source]), "stop"
