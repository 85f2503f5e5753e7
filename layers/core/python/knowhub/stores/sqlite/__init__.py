"""The table and queue ports on SQLite."""
