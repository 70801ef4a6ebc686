"""What a page teaches: settings under a name, and the steps of a lecture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Preset:
    """A named constellation of settings.

    Attributes
    ----------
    name : str
        The lesson in a few words; it is the button's text.
    values : mapping
        Values of shared controls and of the page's own parameters.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One step of a lecture: a sentence, the settings that show it, and where to look.

    Attributes
    ----------
    title, look : str
        What is claimed, and where it is seen.
    values : mapping
        Settings that differ from the page's defaults.
    figures : tuple of int
        Places in `Page.exhibits` of what stays.
    more, guarantee : bool
        Whether the further figures, and the guarantee in full, are shown.
    """

    title: str
    look: str
    values: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[int, ...] = (0,)
    more: bool = False
    guarantee: bool = False
