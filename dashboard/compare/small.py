"""What the tests over all algorithms know of one: `small.py` in its folder has a `SMALL`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Small:
    """An algorithm at settings at which it takes no time.

    Attributes
    ----------
    settings : mapping
        Shared and own settings at which its runs are counted, copied and repeated.
    controls, values : mapping
        Shared and own settings with which it is opened before one of them moves.
    moves : mapping of str to (value, tuple of str)
        By setting: another value, and the sections of the view that stay the same.
    axes : mapping of str to tuple
        Points of its curves, where those of the page would take long.
    """

    settings: Mapping[str, Any]
    controls: Mapping[str, Any]
    values: Mapping[str, Any]
    moves: Mapping[str, tuple[Any, tuple[str, ...]]]
    axes: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
