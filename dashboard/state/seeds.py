"""Noise seeds: small numbers that the app shows and that repeat a picture, or secret ones of the operating system.

The server uses secret seeds if it is started with `python -m dashboard --os-entropy`. A secret seed is in no link,
file or program. Noise on records of the user's own always starts from such seeds: whoever has the noise of a release
takes it off. The noise is still NumPy's, in floating-point numbers, and is not hardened against attacks on those.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Hashable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import param

from core.check import LARGEST_SEED

VARIABLE = "CAPE_LAB_OS_ENTROPY"
_PUBLIC = 2**31 - 1  # Seeds that the app draws to show them are below.
NOT_KEPT = "from the operating system, not kept"
_DRAWN: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()  # For each use of records of a user's own.


class Seed(param.Integer):
    """A seed, as `core.check.seed` takes one: too long for a slider, and for the numbers of a browser."""

    def __init__(self, default=param.parameterized.Undefined, *, bounds=(0, LARGEST_SEED), **options):
        super().__init__(default=default, bounds=bounds, **options)


def secret() -> bool:
    """Whether this server takes its noise seeds from the operating system."""
    return os.environ.get(VARIABLE) == "1"


def first_seed(public: int) -> int:
    """The first noise seed of a session; `public` is the seed that all sessions share where seeds are shown."""
    return secrets.randbits(128) if secret() else public


def next_seed(seed: int) -> int:
    """The next noise seed; where seeds are shown it is derived from the last, so that a session can be repeated."""
    return secrets.randbits(128) if secret() else int(np.random.default_rng(seed).integers(_PUBLIC))


def fresh(records: Any, problem: Hashable, seed: int) -> int:
    """The seed of noise on records of the user's own: of as many secret bits, drawn when they are first computed on.

    The next version of the records meets other noise, and so do two statistics of the same: noise that two releases
    have in common drops out of their difference. The same settings have the same noise as long as the records are in
    use.

    Parameters
    ----------
    records : object
        The table or the documents of one use; equal to itself alone.
    problem : hashable
        What is computed of them, without the settings of a run.
    seed : int
        The noise seed of the session, so that *New noise* draws another.
    """
    bits = _DRAWN.setdefault(records, secrets.token_bytes(16))
    found = hashlib.blake2b(f"{hash(problem)} {seed}".encode(), key=bits, digest_size=16)
    return int.from_bytes(found.digest())


def without_seeds(program: str, *hidden: int) -> str:
    """Change a program so that it draws new noise instead of repeating the noise of secret seeds."""
    drawing = program
    for seed in hidden:
        drawing = re.sub(rf"\b{seed}\b", "secrets.randbits(128)", drawing)
    if drawing == program:
        return program
    return re.sub(r'\A(""".*?"""\n)?', r"\1import secrets\n\n", drawing, count=1, flags=re.DOTALL)
