"""Answering from found chunks: number the sources, then quote the sentences that answer, or let a model write."""

from collections.abc import Callable, Generator, Iterator, Sequence

from knowhub.answering.drafts import Draft
from knowhub.answering.extractive import choose
from knowhub.answering.frames import Citation, DeltaFrame, Frame, Source, SourcesFrame
from knowhub.answering.generated import RESERVE_SECONDS, write
from knowhub.answering.languages import no_evidence
from knowhub.answering.task import Task
from knowhub.errors import KnowhubError
from knowhub.model.hit import Hit
from knowhub.observability import report
from knowhub.settings import InvalidSettings

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


def stream_answer(task: Task, *, one_shot: bool, elapsed_ms: Callable[[], int]) -> Generator[Frame, None, None]:
    """Yield the sources, the answer in parts, and the end.

    A part is a sentence with its numbers; with `one_shot` there is exactly one part, whatever the answer. When time is
    up, what was said until then is the answer, and the reason is `length`. A model that fails before anybody has seen
    a part leaves the answer to quotations.
    """
    yield SourcesFrame(tuple(task.sources))
    draft = Draft()
    for part in _parts(task, draft):
        if part and not one_shot:
            draft.said += 1
            yield DeltaFrame(part)
    if one_shot:
        yield DeltaFrame(draft.answer)
    yield draft.done(elapsed_ms())


def _parts(task: Task, draft: Draft) -> Iterator[str]:
    writing = task.writing
    if writing is not None and task.sources and task.limits.remaining() > RESERVE_SECONDS:
        try:
            yield from write(task, writing, draft)
        except (KnowhubError, InvalidSettings) as error:
            if draft.said:
                raise
            report("generator failed, sentences are quoted instead", error, generator=writing.generator.identity)
            draft.parts.clear()
        else:
            return
    yield from _quoted(task, draft)


def _quoted(task: Task, draft: Draft) -> Iterator[str]:
    """Give sentences of the sources, each with its number; the draft's reason holds if nothing follows."""
    if task.limits.reached():
        return
    passages = choose(task.question, task.sources, task.analyse, completed=task.looked_for)
    if not passages:
        draft.reason = "no_evidence"
        yield draft.say(no_evidence(task.question))
    for passage in passages:
        if task.limits.reached():
            draft.reason = "length"
            return
        lead = _SEPARATOR if draft.parts else ""
        start, source = draft.length + len(lead), task.sources[passage.source]
        draft.citations.append(Citation(source.idx, source.chunk_id, start, start + len(passage.text)))
        draft.reason = "stop"
        yield draft.say(f"{lead}{passage.text} [{source.idx}]")
