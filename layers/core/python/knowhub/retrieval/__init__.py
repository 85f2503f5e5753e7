"""The one retrieval kernel; search.py is its entrance."""
