"""The splitters of semantic-text-splitter."""

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from benchmarks.reading_parts.shapes import CUT_AT, Chunker, Chunkers, Readers

CHUNKERS: Chunkers = {
    "MarkdownSplitter": lambda size: Chunker(MarkdownSplitter(size).chunks, str, headings=CUT_AT),
    "TextSplitter": lambda size: Chunker(TextSplitter(size).chunks, str),
}
READERS: Readers = {}
