"""What the panels show, in units of their own: 0 to 1000 from left to right and from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dashboard.theme.colours import BLUE, GREEN, OCHRE, ORANGE, PURPLE, SKY, VERMILION, VIOLET

SIDE = 1000  # Units along a side of a panel.
TINTS = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, OCHRE, VIOLET)
ARM = 42  # Of a cross: half of its width.


@dataclass(frozen=True)
class Panel:
    """The picture of one scheme.

    Attributes
    ----------
    name, label, verdict : str
        Key, heading, and a few words below it; plain text.
    colour : str
        The scheme's colour; "" for that of text.
    dots : ndarray of shape (n, 2)
        Where the dots are.
    groups : ndarray of int of shape (n,), optional
        The group that each dot belongs to, which gives its colour; −1: to none, grey. Default: the colour of the scheme.
    found : ndarray of shape (m, 2), optional
        Crosses, one for each of the picture's rings; beside groups, each has the colour of its own. With `near` the
        wrong ones are grey.
    right : ndarray of bool of shape (m,), optional
        Which of the crosses are right: the circles around their rings are solid and get a tick. Only with `near`.
    """

    name: str
    label: str
    verdict: str = ""
    colour: str = ""
    dots: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)))
    groups: np.ndarray | None = None
    found: np.ndarray | None = None
    right: np.ndarray | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show yet."""
        return not len(self.dots) and self.found is None


@dataclass(frozen=True)
class Picture:
    """Panels with what they have in common.

    Attributes
    ----------
    panels : tuple of Panel
    low, high : array-like of two floats
        The corners of every panel; what lies outside is drawn on its edge.
    told : str or tuple of str
        Above the panels: one sentence that says what a dot is, or the items of a key, each of which begins with its sign.
    home : ndarray of shape (n, 2), optional
        Where the dots start from when they come; default: where they are.
    rings : ndarray of shape (m, 2), optional
        Where the crosses should be.
    near : ndarray of shape (m,), optional
        Radii of circles around the rings: a cross inside is right.
    line : ndarray of shape (2, 2), optional
        Ends of the line on which the dots should be.
    level : ndarray of shape (2, 2), optional
        Ends of a thin line, on which the dots are that know nothing.
    across, up : str
        What the two directions are, in the first panel; "" for none.
    under : str
        What the numbers in the headings are shares of, below the panels; "" for nothing.
    size : float
        Diameter of a dot, in pixels.
    """

    panels: tuple[Panel, ...]
    low: Any = (0.0, 0.0)
    high: Any = (1.0, 1.0)
    told: str | tuple[str, ...] = ""
    home: np.ndarray | None = None
    rings: np.ndarray | None = None
    near: np.ndarray | None = None
    line: np.ndarray | None = None
    level: np.ndarray | None = None
    across: str = ""
    up: str = ""
    under: str = ""
    size: float = 4.5

    @property
    def state(self) -> dict[str, Any]:
        """For the browser: whole numbers, as few as the picture needs."""
        return {
            "told": [self.told] if isinstance(self.told, str) else list(self.told),
            "across": self.across,
            "up": self.up,
            "under": self.under,
            "size": self.size,
            "home": self._places(self.home),
            "rings": self._places(self.rings),
            "near": [] if self.near is None else self._lengths(self.near),
            "line": self._places(self.line),
            "level": self._places(self.level),
            "panels": [self._panel(panel) for panel in self.panels],
        }

    def _panel(self, panel):
        return {
            "name": panel.name,
            "label": panel.label,
            "verdict": panel.verdict,
            "colour": panel.colour,
            "dots": self._places(panel.dots),
            "groups": []
            if panel.groups is None
            else [int(g) % len(TINTS) if g >= 0 else -1 for g in panel.groups],
            "found": self._places(panel.found),
            "right": [] if panel.right is None else [int(i) for i in np.flatnonzero(panel.right)],
        }

    def _lengths(self, lengths):
        """Whole numbers: lengths across."""
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        return np.rint(SIDE * np.asarray(lengths) / (high - low)[0]).astype(int).tolist()

    def _places(self, points):
        """Two lists of whole numbers, across and down."""
        if points is None or not len(points):
            return [[], []]
        low, high = np.asarray(self.low, dtype=float), np.asarray(self.high, dtype=float)
        share = np.clip((np.asarray(points, dtype=float) - low) / (high - low), 0, 1)
        share[:, 1] = 1 - share[:, 1]
        return np.rint(SIDE * np.nan_to_num(share, nan=0.5)).astype(int).T.tolist()
