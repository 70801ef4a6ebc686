"""Shamir's t-of-n secret sharing: any t shares give the secret, fewer say nothing about it.

A secret is the value at 0 of a random polynomial of degree t − 1 over a prime field; share x is its value
at x = 1 … n. A. Shamir: How to Share a Secret, Communications of the ACM 1979.
"""

from __future__ import annotations

from collections.abc import Callable

from core import check

# The smallest prime above 2²⁵⁶: every secret of 32 bytes is an element of the field.
PRIME = 2**256 + 297
SHARE_BYTES = 33


def split(secret: bytes, *, threshold: int, count: int, random: Callable[[int], bytes]) -> list[int]:
    """Shares 1 … `count` of a secret of at most 32 bytes, any `threshold` of which recover it.

    `random` returns that many random bytes.
    """
    check.integer("threshold", threshold, low=1, high=count)
    if len(secret) > 32:
        raise ValueError(f"secret must have at most 32 bytes, got {len(secret)}")
    # 48 bytes for a 257-bit modulus: the bias of the reduction is below 2⁻¹²⁷.
    polynomial = [int.from_bytes(secret, "big")]
    polynomial += [int.from_bytes(random(48), "big") % PRIME for _ in range(threshold - 1)]
    return [_value(polynomial, x) for x in range(1, count + 1)]


def lagrange(places: tuple[int, ...]) -> dict[int, int]:
    """Weights c_x with p(0) = Σ c_x p(x) for every polynomial of degree below len(places)."""
    weights = {}
    for x in places:
        above, below = 1, 1
        for other in places:
            if other != x:
                above = above * other % PRIME
                below = below * (other - x) % PRIME
        weights[x] = above * pow(below, -1, PRIME) % PRIME
    return weights


def _value(polynomial, x):
    value = 0
    for coefficient in reversed(polynomial):
        value = (value * x + coefficient) % PRIME
    return value
