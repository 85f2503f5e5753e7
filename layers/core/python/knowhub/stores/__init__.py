"""Adapters: one folder per engine, strangers to each other."""
