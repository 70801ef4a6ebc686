"""A sealed line between two neighbours of a graph, through the aggregator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from core.parties.messages.refusals import Forged
from core.secure_sum import crypto


@dataclass(frozen=True)
class Line:
    """One end of the line; what is sealed for one plan, attempt and direction opens for no other.

    Attributes
    ----------
    plan : str
        Identifier of the plan.
    attempt : int
    number, other : int
        This site and its neighbour.
    secret : bytes
        This site's secret key.
    key : bytes
        The neighbour's public key.
    """

    plan: str
    attempt: int
    number: int
    other: int
    secret: bytes = field(repr=False)
    key: bytes

    def seal(self, numbers: np.ndarray, random: Callable[[int], bytes]) -> bytes:
        """Encrypt an array for the neighbour."""
        text = numbers.astype("<f8").tobytes()
        return crypto.seal(self._shared(), text, self._label(self.number, self.other), random=random)

    def opened(self, text: bytes, shape: tuple[int, ...]) -> np.ndarray:
        """The array that the neighbour sealed; `Forged` if it does not open."""
        try:
            opened = crypto.unseal(self._shared(), text, self._label(self.other, self.number))
            return np.frombuffer(opened, "<f8").reshape(shape)
        except Exception as error:  # Of the cryptography package, which may be missing.
            raise Forged(
                f"the sealed number of site {self.other} must open for site {self.number}: {type(error).__name__}"
            ) from None

    def _shared(self):
        return crypto.KeyPair(self.secret).agree(self.key, "edge")

    def _label(self, sender, receiver):
        return f"{self.plan}/{self.attempt}/{sender}/{receiver}".encode()
