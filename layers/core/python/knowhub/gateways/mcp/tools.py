"""The MCP tools: what each is called, takes, gives and does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from knowhub.answering.limits import limits_until
from knowhub.errors import NotFound
from knowhub.gateways.hub import Hub
from knowhub.gateways.mcp import schemas
from knowhub.gateways.shapes import chunk_shape, document_shape, knowledge_base_shape, search_shape
from knowhub.gateways.whole_answers import whole_answer
from knowhub.model.principal import Principal
from knowhub.model.query import SearchRequest

CALL_SECONDS = 25.0

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool; `properties` builds the input schema for a caller's readable KBs, `None` in a row is no default."""

    name: str
    title: str
    description: str
    properties: Callable[[Sequence[int]], dict[str, Any]]
    required: tuple[str, ...]
    output: dict[str, Any]
    run: Callable[[Hub, Principal, Arguments], dict[str, Any]]

    def declaration(self, kb_ids: Sequence[int]) -> dict[str, Any]:
        """Declare the tool to a caller that reads these KBs."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schemas.object_schema(self.properties(kb_ids), self.required),
            "outputSchema": self.output,
            "annotations": {"readOnlyHint": True},
        }


def _list_kb(hub: Hub, principal: Principal, _: Arguments) -> dict[str, Any]:
    views = [hub.knowledge_bases.view(kb, role) for kb, role in hub.knowledge_bases.list(principal)]
    members = ("kb_id", "name", "description", "document_count", "role")
    shapes = [knowledge_base_shape(view) for view in views]
    return {"items": [{name: shape[name] for name in members} for shape in shapes]}


def _search_kb(hub: Hub, principal: Principal, arguments: Arguments) -> dict[str, Any]:
    request = SearchRequest(
        query=arguments["query"],
        kb_ids=(arguments["kb_id"],),
        mode=arguments.get("mode", "hybrid"),
        top_k=arguments.get("top_k", 10),
    )
    return search_shape(hub.search.run(principal, request))


def _ask_kb(hub: Hub, principal: Principal, arguments: Arguments) -> dict[str, Any]:
    request = SearchRequest(query=arguments["question"], kb_ids=(arguments["kb_id"],), top_k=arguments.get("top_k", 10))
    limits = limits_until(monotonic() + CALL_SECONDS, monotonic)
    answer = hub.ask.prepare(principal, request, limits, session_id=arguments.get("session_id"))
    whole = whole_answer(answer.frames(one_shot=True))
    return {
        "answer": whole.done["answer"],
        "citations": whole.done["citations"],
        "sources": whole.sources,
        "session_id": whole.session_id,
        "extractive": whole.done["extractive"],
        "finish_reason": whole.done["finish_reason"],
    }


def _get_document(hub: Hub, principal: Principal, arguments: Arguments) -> dict[str, Any]:
    hub.knowledge_bases.get(principal, arguments["kb_id"])
    page = hub.passages.page(principal, arguments["doc_id"], skip=0, limit=arguments.get("limit", 10))
    if page.document.head.kb_id != arguments["kb_id"]:
        raise NotFound("DOCUMENT", {"doc_id": arguments["doc_id"]})
    return {
        "document": document_shape(page.document),
        "chunks": [chunk_shape(chunk) for chunk in page.chunks],
        "total_chunks": page.total,
    }


TOOLS = (
    Tool(
        "list_kb",
        "List knowledge bases",
        "List the knowledge bases that you can read, with their ids. Start here.",
        lambda _: {},
        (),
        schemas.LIST_KB,
        _list_kb,
    ),
    Tool(
        "search_kb",
        "Search a knowledge base",
        "Find the passages of a knowledge base that match a query best, each with its document and place.",
        lambda kb_ids: {
            "kb_id": schemas.kb_id_schema(kb_ids),
            "query": schemas.text_schema("What to look for: words, a phrase in quotes, or an identifier."),
            "top_k": schemas.count_schema("How many passages to give at most."),
            "mode": schemas.mode_schema(),
        },
        ("kb_id", "query"),
        schemas.SEARCH_KB,
        _search_kb,
    ),
    Tool(
        "ask_kb",
        "Ask a knowledge base",
        "Answer a question from a knowledge base with quoted sentences, each with the number of its source.",
        lambda kb_ids: {
            "kb_id": schemas.kb_id_schema(kb_ids),
            "question": schemas.text_schema("The question, in any language."),
            "top_k": schemas.count_schema("How many passages to consider at most."),
            "session_id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 64,
                "description": "Id of a session, so that the question may follow up on earlier ones.",
            },
        },
        ("kb_id", "question"),
        schemas.ASK_KB,
        _ask_kb,
    ),
    Tool(
        "get_document",
        "Read a document",
        "Show a document of a knowledge base and its first passages in order.",
        lambda kb_ids: {
            "kb_id": schemas.kb_id_schema(kb_ids),
            "doc_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Id of the document."},
            "limit": schemas.count_schema("How many passages to give at most."),
        },
        ("kb_id", "doc_id"),
        schemas.GET_DOCUMENT,
        _get_document,
    ),
)
"""In the order in which they are listed: the one without arguments first, since clients probe with it."""

BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
