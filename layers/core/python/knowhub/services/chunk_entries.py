"""A chunk's entry in the index: the terms by which it is found, and the values by which it is filtered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from knowhub.model.chunk import Chunk
from knowhub.model.document import DocumentDetail, DocumentHead, Loss
from knowhub.model.filter import Scalar
from knowhub.ports.chunk_index import IndexedChunk
from knowhub.ports.chunk_values import filterable
from knowhub.retrieval.analysis import analyse
from knowhub.retrieval.scripts import language_of_text

METADATA = "metadata."
"""Before a metadata key in the name of a field."""

_BREAK = "¶"
"""A token that no analysis yields: it keeps a phrase from matching across the end of a title."""

_NESTED = 8
"""Maps within each other whose members are fields, `metadata.a.b`."""


@dataclass(frozen=True, slots=True)
class Fields:
    """A revision's values by field, the same for each of its chunks, and what could not be made filterable."""

    values: Mapping[str, Sequence[Scalar]]
    losses: tuple[Loss, ...] = ()


def fields_of(
    head: DocumentHead, detail: DocumentDetail, metadata: Mapping[str, object], *, title: str, text: str
) -> Fields:
    """Give the fields of a revision, as `docs/retrieval.md` lists them; a field without a value is left out."""
    language = metadata.get("language")
    known = {
        "doc_id": head.doc_id,
        "title": title,
        "name": detail.name,
        "content_type": detail.content_type,
        "source": head.source,
        "url": detail.url,
        "created_at": head.created_at,
        "updated_at": head.updated_at,
        "language": language if isinstance(language, str) else language_of_text(text),
    }
    found: list[tuple[str, Scalar]] = [(name, value) for name, value in known.items() if value]
    found += _members(METADATA, metadata, _NESTED)
    values: dict[str, list[Scalar]] = {}
    losses: list[Loss] = []
    for name, value in found:
        if filterable(value):
            values.setdefault(name, []).append(value)
        else:
            losses.append(Loss("NOT_FILTERABLE", name, "the value is too long to be filtered by"))
    return Fields(values, tuple(losses))


def indexed(chunk: Chunk, values: Mapping[str, Sequence[Scalar]]) -> IndexedChunk:
    """Analyse a chunk together with its title, file name and headings, which it is found by too."""
    heads = dict.fromkeys(part for part in (chunk.title, chunk.name, chunk.header_path) if part)
    parts = [analyse(part) for part in (*heads, chunk.text)]
    terms = [term for part in parts for term in part.terms]
    sequence: list[str] = []
    for part in parts:
        sequence.extend(part.sequence)
        sequence.append(_BREAK)
    return IndexedChunk(chunk, terms, sequence, values=values)


def _members(prefix: str, metadata: Mapping[str, object], depth: int) -> Iterator[tuple[str, Scalar]]:
    for key, value in metadata.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            if depth > 1:
                yield from _members(f"{name}.", value, depth - 1)
            continue
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, (str, int, float)):  # a truth value is an int
                yield name, one
