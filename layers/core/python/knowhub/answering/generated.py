"""Answers that a model writes, checked while they are written."""

from collections.abc import Iterator
from contextlib import closing

from knowhub.answering.citing import Citing
from knowhub.answering.drafts import Draft
from knowhub.answering.frames import Generation
from knowhub.answering.languages import no_evidence
from knowhub.answering.prompting import prompt_of
from knowhub.answering.task import Task, Writing
from knowhub.errors import KnowhubError, Unavailable
from knowhub.ports.generator import Ending, Piece, Words

RESERVE_SECONDS = 1.5
"""What a model is not given of the time, so that sentences can still be quoted where it has none."""

MOST_CHARACTERS = 20_000
"""Of an answer, whatever the model makes of its limit."""


def write(task: Task, writing: Writing, draft: Draft) -> Iterator[str]:
    """Give the parts of the answer and put them, with what is known of it, into the draft.

    Raises what the generator raises, but for time that runs out behind words that were seen: they are the answer then.
    """
    citing = Citing(task.sources, task.analyse)
    ending = Ending("length")
    try:
        for piece in _pieces(task, writing, citing):
            ending = _checked(piece, draft) if isinstance(piece, Ending) else ending
            if part := citing.take(piece.text) if isinstance(piece, Words) else citing.finish():
                yield draft.say(part)
    except KnowhubError:
        if not draft.said or task.limits.remaining() > RESERVE_SECONDS:
            raise
    _conclude(citing, ending, draft)
    if not draft.citations:
        yield draft.say(no_evidence(task.question))


def _pieces(task: Task, writing: Writing, citing: Citing) -> Iterator[Piece]:
    """Give what the model writes, until it is too much."""
    prompt = prompt_of(task.question, task.sources, writing.nonce)
    seconds = task.limits.remaining() - RESERVE_SECONDS
    with closing(writing.generator.generate(prompt, seconds=seconds, stopped=task.limits.stopped)) as pieces:
        for piece in pieces:
            yield piece
            if isinstance(piece, Words) and citing.length > MOST_CHARACTERS:
                yield Ending("length")
                return


def _checked(ending: Ending, draft: Draft) -> Ending:
    """Take a refusal before anything was seen for a failure."""
    if ending.reason == "refused" and not draft.said:
        raise Unavailable("The model does not answer this")
    return ending


def _conclude(citing: Citing, ending: Ending, draft: Draft) -> None:
    """Note what is known of what was said; what was held back at a break is as if it had not been written."""
    found, shown = citing.cited, draft.length
    draft.citations = [one for one in found.citations if one.end <= shown]
    if not draft.citations:
        draft.reason = "no_evidence"
    else:
        draft.reason = "error" if ending.reason == "refused" else ending.reason
    draft.generation = Generation(
        citations_removed=found.citations_removed,
        links_removed=found.links_removed,
        uncited=tuple(span for span in found.uncited if span.end <= shown) if draft.citations else (),
        input_tokens=ending.input_tokens,
        output_tokens=ending.output_tokens,
    )
