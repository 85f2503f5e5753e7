"""The streaming Lambda runtime loop."""
