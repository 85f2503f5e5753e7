"""Use-cases: the only callers of ports."""
