"""The chunk index port on OpenSearch."""
