"""What a reader makes of a document's bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from knowhub.model.document import Loss


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """Extracted text and how to go on with it.

    Locators of its chunks count in `text`, whose lines end with line feeds alone. `chunker_name` is the default chunker
    for this format, and `preserve_lines` says that a line is a record. `encoding` is how the bytes were decoded, None
    for formats that say it themselves. `losses` tell what could not be carried over.
    """

    text: str
    chunker_name: str
    title: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    losses: tuple[Loss, ...] = ()
    encoding: str | None = None
    preserve_lines: bool = False
