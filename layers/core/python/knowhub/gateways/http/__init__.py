"""The REST and SSE interface, one module per resource."""
