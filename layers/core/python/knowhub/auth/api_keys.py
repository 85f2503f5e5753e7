"""API keys: `kh_` and 43 base64url characters (32 random bytes), kept as a SHA-256 hash only."""

import re
import secrets
from hashlib import sha256

_SHAPE = re.compile(r"kh_[A-Za-z0-9_-]{43}\Z")

PREFIX_LENGTH = 8
"""Characters of a key that may be shown again, so that a person tells keys apart."""


def new_api_key() -> str:
    """Make a key from the operating system's randomness."""
    return f"kh_{secrets.token_urlsafe(32)}"


def looks_like_api_key(token: str) -> bool:
    """Tell whether the token has a key's shape."""
    return _SHAPE.match(token) is not None


def digest(token: str) -> str:
    """Hash a key for storage and look-up: 256 random bits need neither salt nor stretching."""
    return sha256(token.encode()).hexdigest()
