"""Text into pieces, one strategy a module."""
