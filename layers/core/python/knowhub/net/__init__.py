"""The way out: a guarded HTTP client that reaches public addresses only."""
