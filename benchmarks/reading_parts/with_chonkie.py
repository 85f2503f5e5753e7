"""The chunkers of chonkie that need no model."""

from chonkie import FastChunker, RecursiveChunker, RecursiveLevel, RecursiveRules, SentenceChunker

from benchmarks.reading_parts.shapes import CUT_AT, Chunker, Chunkers, Readers


def _text(chunk: object) -> str:
    return str(getattr(chunk, "text", chunk))


def _headings() -> RecursiveRules:
    """Write the ranks by hand: the library's own recipe for Markdown is a download."""
    levels = [RecursiveLevel(delimiters=[f"\n{'#' * level} "], include_delim="next") for level in range(1, 7)]
    levels.append(RecursiveLevel(delimiters=["\n```"]))
    levels.extend(
        RecursiveLevel(delimiters=marks) for marks in (["\n\n"], ["\n"], [". ", "! ", "? ", "。", "！", "？"])
    )
    return RecursiveRules(levels=[*levels, RecursiveLevel(whitespace=True), RecursiveLevel()])


CHUNKERS: Chunkers = {
    "RecursiveChunker, heading rules": lambda size: Chunker(
        RecursiveChunker(chunk_size=size, rules=_headings()).chunk, _text, headings=CUT_AT
    ),
    "RecursiveChunker": lambda size: Chunker(RecursiveChunker(chunk_size=size).chunk, _text),
    "SentenceChunker": lambda size: Chunker(SentenceChunker(chunk_size=size).chunk, _text),
    "FastChunker (bytes)": lambda size: Chunker(FastChunker(chunk_size=size).chunk, _text),
}
READERS: Readers = {}
