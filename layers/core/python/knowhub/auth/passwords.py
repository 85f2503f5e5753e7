"""Passwords as scrypt hashes: `scrypt$n$r$p$salt$hash`, salt and hash in hexadecimal."""

import hashlib
import hmac
import secrets

from knowhub.errors import InvalidRequest

MIN_PASSWORD = 12
"""Characters of a new password."""

_N, _R, _P = 2**15, 8, 1
"""32 MiB of memory a hash: about 0.1 s, which a login bears and a guesser does not."""

_MEMORY = 64 * 1024 * 1024
_LENGTH = 32
_NOBODYS = f"scrypt${_N}${_R}${_P}${'00' * 16}${'00' * _LENGTH}"
"""A hash that no password is known for, to be compared with where there is none."""


def hash_password(password: str) -> str:
    """Hash a password with a new salt."""
    salt = secrets.token_bytes(16)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${_derive(password, salt, _N, _R, _P).hex()}"


def hash_new_password(password: str) -> str:
    """Hash a password that somebody chose; raises `InvalidRequest` for a short one."""
    if len(password) < MIN_PASSWORD:
        raise InvalidRequest(f"A password has at least {MIN_PASSWORD} characters")
    return hash_password(password)


def verify_password(password: str, stored: str) -> bool:
    """Compare in constant time; a stored value of another form matches nothing."""
    parts = stored.split("$")
    if len(parts) != len(("scrypt", "n", "r", "p", "salt", "hash")) or parts[0] != "scrypt":
        return False
    n, r, p = (int(part) for part in parts[1:4])
    return hmac.compare_digest(_derive(password, bytes.fromhex(parts[4]), n, r, p), bytes.fromhex(parts[5]))


def verify_anybodys(password: str, stored: str) -> bool:
    """Compare as `verify_password` does, and take as long where nothing is stored: that answer is no."""
    return verify_password(password, stored or _NOBODYS) and bool(stored)


def _derive(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=n, r=r, p=p, maxmem=_MEMORY, dklen=_LENGTH)
