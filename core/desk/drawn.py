"""Random bits of one run, fixed before its first letter leaves: a folder that is put back sends the same bytes again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.desk.records import canonical
from core.discrete import OPERATING_SYSTEM, OperatingSystem

SECRET_BYTES = 32


def secret() -> bytes:
    """256 bits of the operating system, from which all that a run draws after its join is stretched."""
    return OPERATING_SYSTEM.bytes(SECRET_BYTES)


@dataclass(frozen=True)
class Drawn(OperatingSystem):
    """Bits of the operating system, stretched: ChaCha20 under a key that HKDF-SHA256 makes for one purpose.

    The same secret and purpose give the same bits; those of another purpose are independent of them to whoever does not
    hold the secret.

    Parameters
    ----------
    secret : bytes
        Of `secret`.
    purpose : dict
        What is drawn, as JSON: with other numbers of it nothing may be drawn from the same bits.
    """

    secret: bytes
    purpose: dict[str, Any]
    _stream: Any = field(init=False, repr=False)

    def __post_init__(self):
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        about = b"cape-lab drawn\x00" + canonical(self.purpose)
        key = HKDF(hashes.SHA256(), SECRET_BYTES, salt=None, info=about).derive(self.secret)
        stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
        object.__setattr__(self, "_stream", stream)

    def bytes(self, length: int) -> bytes:
        """The next bytes of the stream."""
        return self._stream.update(b"\x00" * length)
