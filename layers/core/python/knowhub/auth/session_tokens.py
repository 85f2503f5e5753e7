"""Session tokens: `ks_` and 43 base64url characters (32 random bytes), kept as a SHA-256 hash only."""

import re
import secrets

_SHAPE = re.compile(r"ks_[A-Za-z0-9_-]{43}\Z")


def new_session_token() -> str:
    """Make a token from the operating system's randomness."""
    return f"ks_{secrets.token_urlsafe(32)}"


def looks_like_session_token(token: str) -> bool:
    """Tell whether the token has a session token's shape."""
    return _SHAPE.match(token) is not None
