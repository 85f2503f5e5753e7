"""The agent card: what this agent does, in a form that both generations of clients accept."""

from typing import Any

from knowhub.version import VERSION


def agent_card(public_url: str) -> dict[str, Any]:
    """Build the card; nothing that isn't done is declared, and no KB is named."""
    endpoint = f"{public_url.rstrip('/')}/a2a/tasks"
    return {
        "name": "knowhub",
        "description": "Answers questions from knowledge bases, with quotations and their sources.",
        "version": VERSION,
        "url": endpoint,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "capabilities": {"streaming": False, "pushNotifications": False},
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [
            {
                "id": "answer",
                "name": "Answer a question",
                "description": "Answers one question from one knowledge base (kb_id) with numbered citations.",
                "tags": ["question answering", "retrieval", "citations"],
                "examples": ["How long is a deleted document kept?", "部署需要哪些参数？"],
            }
        ],
        "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        "security": [{"bearer": []}],
    }
