"""Noise seeds: small numbers that the app shows and that repeat a picture, or secret ones of the operating system.

The server uses secret seeds if it is started with `python -m dashboard --os-entropy`. A secret seed is in no link,
file or program. The noise is still NumPy's, in floating-point numbers, and is not hardened against attacks on those.
"""

from __future__ import annotations

import os
import re
import secrets

import numpy as np
import param

from core.check import LARGEST_SEED

VARIABLE = "CAPE_LAB_OS_ENTROPY"
_PUBLIC = 2**31 - 1  # Seeds that the app draws to show them are below.
NOT_KEPT = "from the operating system, not kept"


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


def file_text(name: str, value: str) -> str:
    """A setting's value as a file may state it: a secret seed is left out."""
    return NOT_KEPT if secret() and name == "noise_seed" else value


def without_seed(program: str, seed: int) -> str:
    """Change a program so that it draws new noise instead of repeating the noise of a secret seed."""
    if not secret() or str(seed) not in program:
        return program
    drawing = program.replace(str(seed), "secrets.randbits(128)")
    return re.sub(r'\A(""".*?"""\n)?', r"\1import secrets\n\n", drawing, count=1, flags=re.DOTALL)
