"""The MCP tools' input and output schemas: flat JSON Schema, without references, each argument described."""

from collections.abc import Sequence
from typing import Any

ENUM_LIMIT = 100
"""Beyond so many readable KBs the schema names none: it is a hint for the model, not a guard."""

MODES = ("hybrid", "keyword", "exact")
MAX_QUERY = 2000


def kb_id_schema(kb_ids: Sequence[int]) -> dict[str, Any]:
    """Describe `kb_id`, with the readable KBs where they are few."""
    schema: dict[str, Any] = {"type": "integer", "description": "Id of the knowledge base, as list_kb gives it."}
    return {**schema, "enum": list(kb_ids)} if len(kb_ids) <= ENUM_LIMIT else schema


def count_schema(what: str) -> dict[str, Any]:
    """Describe a number of results."""
    return {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": what}


def text_schema(what: str) -> dict[str, Any]:
    """Describe a text that is asked with."""
    return {"type": "string", "minLength": 1, "maxLength": MAX_QUERY, "description": what}


def mode_schema() -> dict[str, Any]:
    """Describe how to search."""
    return {
        "type": "string",
        "enum": list(MODES),
        "default": "hybrid",
        "description": "How to search: by words, by exact phrases and identifiers, or by both.",
    }


def object_schema(properties: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """Describe an object with exactly these members."""
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": list(required)} if required else schema


_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_INTEGER = {"type": "integer"}
_OBJECT = {"type": "object"}


def _nullable(kind: str) -> dict[str, Any]:
    return {"type": [kind, "null"]}


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _open_object(properties: dict[str, Any]) -> dict[str, Any]:
    """Describe an answer's object: members may be added later, none goes."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_HIT = _open_object(
    {
        "rank": _INTEGER,
        "score": _NUMBER,
        "chunk_id": _TEXT,
        "doc_id": _TEXT,
        "kb_id": _INTEGER,
        "title": _TEXT,
        "url": _nullable("string"),
        "text": _TEXT,
        "header_path": _nullable("string"),
        "locator": _OBJECT,
        "metadata": _OBJECT,
    }
)
LIST_KB = _open_object(
    {
        "items": _list(
            _open_object(
                {
                    "kb_id": _INTEGER,
                    "name": _TEXT,
                    "description": _TEXT,
                    "document_count": _INTEGER,
                    "role": _TEXT,
                }
            )
        )
    }
)
SEARCH_KB = _open_object({"query": _TEXT, "mode": _TEXT, "hits": _list(_HIT), "legs": _list(_TEXT), "took_ms": _NUMBER})
ASK_KB = _open_object(
    {
        "answer": _TEXT,
        "citations": _list(_open_object({"n": _INTEGER, "chunk_id": _TEXT, "start": _INTEGER, "end": _INTEGER})),
        "sources": _list(_OBJECT),
        "session_id": _nullable("string"),
        "extractive": {"type": "boolean"},
        "finish_reason": _TEXT,
    }
)
GET_DOCUMENT = _open_object({"document": _OBJECT, "chunks": _list(_OBJECT), "total_chunks": _INTEGER})
