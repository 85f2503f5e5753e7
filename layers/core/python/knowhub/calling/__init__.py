"""Asking models that run elsewhere: addresses, keys, patience, one way over HTTP and one to Bedrock."""
