"""Wire to use-case and back, without business rules."""
