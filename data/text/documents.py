"""Documents as they are read, before any word is counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data import check


@check.arguments
@dataclass(frozen=True)
class Documents:
    """Texts with names.

    Attributes
    ----------
    texts : tuple of str
        One for each document.
    names : tuple of str
        Where each comes from, such as "numpy.linalg.norm" or "line 7".
    source : str
        Where all come from.
    unit : str
        What one document is: the unit of privacy.
    dropped : int
        Documents left out in reading: blank, or repeated word for word.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    unit: str
    dropped: int = 0

    def __post_init__(self):
        if len(self.texts) != len(self.names):
            raise ValueError(f"names must be one for each of {len(self.texts)} texts, got {len(self.names)}")

    def __len__(self) -> int:
        return len(self.texts)


def packed(documents: Documents) -> dict[str, np.ndarray]:
    """Documents as an array of bytes that the cache can keep."""
    fields = {name: getattr(documents, name) for name in Documents.__dataclass_fields__}
    content = json.dumps(fields).encode("ascii")
    return {"json": np.frombuffer(content, dtype=np.uint8)}


def unpacked(arrays: Mapping[str, np.ndarray] | None) -> Documents | None:
    """The documents that `packed` packed; None if there are none or they are damaged."""
    if arrays is None:
        return None
    try:
        fields = json.loads(arrays["json"].tobytes())
        return Documents(**{**fields, "texts": tuple(fields["texts"]), "names": tuple(fields["names"])})
    except (TypeError, KeyError, ValueError):
        return None
