"""Signatures of tokens: RS256 and ES256, as the key decides. A token that names another algorithm is not looked at.

The cryptography itself is the library's, which is loaded with the first signature.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from knowhub.auth.tokens import decoded

_RSA_BITS = range(2048, 8193)
_LARGEST_EXPONENT = 2**32
_P256_BYTES = 32


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key: modulus and exponent for RS256, a point's coordinates for ES256; `kid` is empty without a name."""

    kid: str
    algorithm: Literal["RS256", "ES256"]
    numbers: tuple[int, int]


def verifying_key(jwk: Mapping[str, Any]) -> VerifyingKey | None:
    """Read a JSON Web Key; None for a kind, size or use that is not taken."""
    kid, use, algorithm = jwk.get("kid", ""), jwk.get("use", "sig"), jwk.get("alg")
    if not isinstance(kid, str) or use != "sig" or "verify" not in jwk.get("key_ops", ["verify"]):
        return None
    try:
        found = _rsa(kid, jwk) if jwk.get("kty") == "RSA" else _p256(kid, jwk)
    except (ValueError, TypeError, KeyError):
        return None
    return found if found is not None and algorithm in {None, found.algorithm} else None


def _rsa(kid: str, jwk: Mapping[str, Any]) -> VerifyingKey | None:
    modulus, exponent = _number(jwk["n"]), _number(jwk["e"])
    fits = modulus.bit_length() in _RSA_BITS and 1 < exponent < _LARGEST_EXPONENT and exponent % 2 == 1
    return VerifyingKey(kid, "RS256", (modulus, exponent)) if fits else None


def _p256(kid: str, jwk: Mapping[str, Any]) -> VerifyingKey | None:
    if (jwk.get("kty"), jwk.get("crv")) != ("EC", "P-256"):
        return None
    return VerifyingKey(kid, "ES256", (_number(jwk["x"]), _number(jwk["y"])))


def _number(text: str) -> int:
    return int.from_bytes(decoded(text), "big")


def verified(key: VerifyingKey, signed: bytes, signature: bytes) -> bool:
    """Tell whether the signature over these bytes was made with this key's other half."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - loaded where a token comes, not at start

    check = _check_rs256 if key.algorithm == "RS256" else _check_es256
    try:
        check(key.numbers, signed, signature)
    except (InvalidSignature, ValueError):
        return False
    return True


def _check_rs256(numbers: tuple[int, int], signed: bytes, signature: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric import padding, rsa  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above

    modulus, exponent = numbers
    rsa.RSAPublicNumbers(exponent, modulus).public_key().verify(signature, signed, padding.PKCS1v15(), SHA256())


def _check_es256(numbers: tuple[int, int], signed: bytes, signature: bytes) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above

    if len(signature) != 2 * _P256_BYTES:
        raise ValueError("no pair of two numbers of 32 bytes")
    halves = signature[:_P256_BYTES], signature[_P256_BYTES:]
    pair = utils.encode_dss_signature(*(int.from_bytes(half, "big") for half in halves))
    # A point that is not on the curve raises here.
    key = ec.EllipticCurvePublicNumbers(*numbers, ec.SECP256R1()).public_key()
    key.verify(pair, signed, ec.ECDSA(SHA256()))
