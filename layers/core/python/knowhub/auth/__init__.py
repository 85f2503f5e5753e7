"""API keys and passwords."""
