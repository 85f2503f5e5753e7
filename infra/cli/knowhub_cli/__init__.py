"""The knowhub command."""
