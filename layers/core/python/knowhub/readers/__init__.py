"""Bytes into text with structure, one format a module."""
