"""Rows over the table port: what is kept, under which keys."""
