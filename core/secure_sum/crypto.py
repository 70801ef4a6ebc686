"""Cryptography of secure aggregation: key agreement, encrypted shares, and masks generated from keys.

X25519 key agreement, HKDF-SHA256, ChaCha20 as the mask's stream, ChaCha20-Poly1305 for sealed messages;
all from the `cryptography` package. It is compiled, and missing where `core` runs in a browser, so each function
imports it when keys are made or masks are drawn: everything else works without it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

KEY_BYTES = 32
NONCE_BYTES = 12
SEAL_BYTES = NONCE_BYTES + 16  # What sealing adds to a text: nonce and authentication tag.


@dataclass(frozen=True)
class KeyPair:
    """An X25519 key pair. The secret can be handed on in shares and the pair rebuilt from it."""

    secret: bytes

    @property
    def public(self) -> bytes:
        """The public half, 32 bytes."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        return X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()

    def agree(self, public: bytes, purpose: str) -> bytes:
        """The 32-byte key that this pair and the owner of `public` share for a purpose, and nobody else."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        shared = X25519PrivateKey.from_private_bytes(self.secret).exchange(
            X25519PublicKey.from_public_bytes(public)
        )
        return HKDF(hashes.SHA256(), KEY_BYTES, salt=None, info=purpose.encode()).derive(shared)


def stretch(key: bytes, entries: int) -> np.ndarray:
    """A mask: `entries` pseudorandom elements of Z_{2^64} that the key determines."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

    stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
    return np.frombuffer(stream.update(bytes(8 * entries)), dtype="<u8")


def seal(key: bytes, text: bytes, label: bytes, *, random: Callable[[int], bytes]) -> bytes:
    """Encrypt and authenticate `text`; `label` must be the same when it is opened."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    nonce = random(NONCE_BYTES)
    return nonce + ChaCha20Poly1305(key).encrypt(nonce, text, label)


def unseal(key: bytes, sealed: bytes, label: bytes) -> bytes:
    """Open what `seal` made; raises cryptography's InvalidTag if anything was changed."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    return ChaCha20Poly1305(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], label)
