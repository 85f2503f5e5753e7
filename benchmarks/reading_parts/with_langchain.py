"""The splitters of langchain-text-splitters."""

import json

from langchain_text_splitters import (
    ExperimentalMarkdownSyntaxTextSplitter,
    MarkdownHeaderTextSplitter,
    MarkdownTextSplitter,
    RecursiveCharacterTextSplitter,
    RecursiveJsonSplitter,
)

from benchmarks.reading_parts.shapes import CUT_AT, GIVEN, Chunker, Chunkers, Readers

_HEADERS = [("#" * level, f"h{level}") for level in range(1, 7)]


def _content(document: object) -> str:
    return str(getattr(document, "page_content", document))


def _headers() -> MarkdownHeaderTextSplitter:
    return MarkdownHeaderTextSplitter(_HEADERS, strip_headers=False)


def _headers_and_size(size: int) -> Chunker:
    sections, parts = _headers(), RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0)
    return Chunker(lambda text: parts.split_documents(sections.split_text(text)), _content, headings=GIVEN)


def _syntax(_: int) -> Chunker:
    """Make a splitter a text, since it keeps the chunks of the one before."""
    return Chunker(
        lambda text: ExperimentalMarkdownSyntaxTextSplitter(_HEADERS, strip_headers=False).split_text(text),
        _content,
        headings=GIVEN,
        capped=False,
    )


def _json(size: int) -> Chunker:
    splitter = RecursiveJsonSplitter(max_chunk_size=size)
    return Chunker(lambda text: splitter.split_text(json.loads(text), convert_lists=True, ensure_ascii=False), _content)


CHUNKERS: Chunkers = {
    "MarkdownHeader + Recursive": _headers_and_size,
    "MarkdownHeaderTextSplitter": lambda _: Chunker(_headers().split_text, _content, headings=GIVEN, capped=False),
    "ExperimentalMarkdownSyntax": _syntax,
    "MarkdownTextSplitter": lambda size: Chunker(
        MarkdownTextSplitter(chunk_size=size, chunk_overlap=0).split_text, _content, headings=CUT_AT
    ),
    "RecursiveCharacter": lambda size: Chunker(
        RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0).split_text, _content
    ),
    "RecursiveJsonSplitter": _json,
}
READERS: Readers = {}
