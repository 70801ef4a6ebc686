"""Where noise seeds come from: small numbers that are shown and repeat a picture, or the operating system's secrets.

The second is asked for when the server starts (`python -m dashboard --os-entropy`). A secret seed stands in no link,
file or program; noise stays NumPy's, in floating-point numbers, and is not hardened against attacks on those.
"""

from __future__ import annotations

import os
import re
import secrets

import numpy as np

VARIABLE = "CAPE_LAB_OS_ENTROPY"
SEED_LIMIT = 2**31 - 1
SECRET_LIMIT = 2**128 - 1
NOT_KEPT = "from the operating system, not kept"


def secret() -> bool:
    """Whether this server's noise seeds are the operating system's."""
    return os.environ.get(VARIABLE) == "1"


def limit() -> int:
    """The largest noise seed."""
    return SECRET_LIMIT if secret() else SEED_LIMIT


def first_seed(public: int) -> int:
    """The noise seed with which a session begins; `public` is the one that all share where seeds are shown."""
    return secrets.randbits(128) if secret() else public


def next_seed(seed: int) -> int:
    """Another noise seed; where seeds are shown it follows from the last, so that a whole session repeats."""
    return secrets.randbits(128) if secret() else int(np.random.default_rng(seed).integers(SEED_LIMIT))


def file_text(name: str, value: str) -> str:
    """A setting's value as files may tell it."""
    return NOT_KEPT if secret() and name == "noise_seed" else value


def without_seed(program: str, seed: int) -> str:
    """A program that draws noise of its own where it would repeat that of a secret seed."""
    if not secret() or str(seed) not in program:
        return program
    drawing = program.replace(str(seed), "secrets.randbits(128)")
    return re.sub(r'\A(""".*?"""\n)?', r"\1import secrets\n\n", drawing, count=1, flags=re.DOTALL)
