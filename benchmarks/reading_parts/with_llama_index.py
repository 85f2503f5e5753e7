"""The node parsers of llama-index-core, measured in characters as the others are."""

from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

from benchmarks.reading_parts.shapes import GIVEN, Chunker, Chunkers, Readers


def _text(node: object) -> str:
    return str(getattr(node, "text", node))


def _sentences(size: int) -> SentenceSplitter:
    return SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=list)


def _sections(_: int) -> Chunker:
    parser = MarkdownNodeParser()
    return Chunker(
        lambda text: parser.get_nodes_from_documents([Document(text=text)]), _text, headings=GIVEN, capped=False
    )


def _sections_and_size(size: int) -> Chunker:
    sections, parts = MarkdownNodeParser(include_metadata=False), _sentences(size)
    return Chunker(
        lambda text: parts.get_nodes_from_documents(sections.get_nodes_from_documents([Document(text=text)])),
        _text,
        headings=GIVEN,
    )


CHUNKERS: Chunkers = {
    "MarkdownNodeParser + Sentence": _sections_and_size,
    "MarkdownNodeParser": _sections,
    "SentenceSplitter": lambda size: Chunker(_sentences(size).split_text, _text),
}
READERS: Readers = {}
