"""Frozen data: what the hub talks about, free of storage and wire."""
