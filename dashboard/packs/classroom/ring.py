"""Pairwise masks of the form "masks": whole numbers modulo 2⁴⁸ that cancel in the sum over all phones.

Two phones agree on a key by ECDH on the curve P-256, which every browser's WebCrypto has, and derive from it by
HKDF-SHA256 the mask of a round: one adds it, the other subtracts it. `phone.js` has the same functions.
"""

from __future__ import annotations

from typing import Any

BITS = 48  # Sums of two are exact in a browser's double precision.
RING = 1 << BITS
KEY_BYTES = 65  # An uncompressed point of P-256.


def centred(value: int) -> int:
    """The representative of a residue in [−2⁴⁷, 2⁴⁷)."""
    return (value + RING // 2) % RING - RING // 2


def public_key(text: Any) -> bytes:
    """Check a phone's public key.

    Raises
    ------
    ValueError
        If it is not the hexadecimal text of a point of the curve.
    """
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        # `fromhex` passes over spaces: a compressed point with spaces is as long as the text of one that is not.
        key = bytes.fromhex(text if isinstance(text, str) else "")
        if len(key) != KEY_BYTES or text != key.hex():
            raise ValueError
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)
    except ValueError:
        raise ValueError(
            "This browser cannot make masks: they need an https address and a browser with WebCrypto."
        ) from None
    return key


class KeyPair:
    """A key pair of one phone for one room."""

    def __init__(self):
        from cryptography.hazmat.primitives.asymmetric import ec

        self._secret = ec.generate_private_key(ec.SECP256R1())

    @property
    def public(self) -> str:
        """The public half in hexadecimal."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        point = self._secret.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return point.hex()

    def mask(self, other: str, purpose: str) -> int:
        """The mask in [0, 2⁴⁸) that this phone and the owner of `other` share for a purpose."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), bytes.fromhex(other))
        shared = self._secret.exchange(ec.ECDH(), point)
        key = HKDF(hashes.SHA256(), BITS // 8, salt=None, info=purpose.encode()).derive(shared)
        return int.from_bytes(key, "big")

    def masked(self, value: int, *, place: int, keys: list[str], purpose: str) -> int:
        """A value with the masks shared with all others; in the sum over all places they cancel."""
        for other, key in enumerate(keys):
            if other != place:
                mask = self.mask(key, purpose)
                value += mask if other > place else -mask
        return centred(value)


def purpose(code: str, number: int) -> str:
    """What the masks of a room's round are derived for: no mask is used twice."""
    return f"cape-lab class|{code}|{number}"


def share_of_total(total: int, place: int, phones: int) -> int:
    """The part of T that a place subtracts from its ê: T/S in whole steps, so that the rests sum to exactly zero."""
    return total // phones + (place < total % phones)
