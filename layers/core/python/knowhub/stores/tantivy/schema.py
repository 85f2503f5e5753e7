"""The fields of the text index, and the analyser that reads what ours has already analysed."""

import tantivy

FORMAT = 2
"""Of everything in an index folder; another number means that the index is to be built again."""

TERMS = "terms"
SEQUENCE = "sequence"
CHUNK_ID = "chunk_id"
DOC_ID = "doc_id"
REVISION_KEY = "revision_key"
KB_ID = "kb_id"
REVISION = "revision"
ROW = "row"
VALUES = "values"
CHUNK = "chunk"

NO_ROW = -1
"""The row number of a chunk without a vector."""

_TOKENS = "tokens"


def build_schema() -> tantivy.Schema:
    """Build the schema of `FORMAT`."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(TERMS, tokenizer_name=_TOKENS, index_option="freq")
    builder.add_text_field(SEQUENCE, tokenizer_name=_TOKENS, index_option="position")
    builder.add_text_field(CHUNK_ID, stored=True, fast=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(DOC_ID, stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field(REVISION_KEY, tokenizer_name="raw", index_option="basic")
    # Signed: a value of another kind than its field's would kill the engine's writer.
    builder.add_integer_field(KB_ID, indexed=True, fast=True)
    builder.add_integer_field(REVISION, fast=True)
    builder.add_integer_field(ROW, indexed=True, fast=True)
    builder.add_text_field(VALUES, tokenizer_name="raw", index_option="basic")
    builder.add_bytes_field(CHUNK, stored=True)
    return builder.build()


def register_analyser(index: tantivy.Index) -> None:
    """Tell an opened index how to split our fields; the index folder does not keep it."""
    # It splits at the five ASCII white-space characters only, none of which a token may hold.
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
    index.register_tokenizer(_TOKENS, analyser)


def revision_key(doc_id: str, revision: int) -> str:
    """Build the term under which exactly one revision's chunks are deleted."""
    return f"{doc_id}:{revision}"
