"""The chunk index port on tantivy and numpy."""
