"""Models that write answers, one a kind of server."""
