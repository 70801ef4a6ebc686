"""The settings of the page Findings: which of them are listed, and which one is open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core.findings import FINDINGS, KINDS, PAPERS, Finding, Shown
from dashboard.page.model import Model
from data.published import experiments

ALL = "all"


class Key(param.String):
    """The key of a finding; empty: none."""

    def _validate_value(self, val, allow_None):
        super()._validate_value(val, allow_None)
        if val and val not in FINDINGS:
            raise ValueError("must be the name of a finding")


@dataclass(frozen=True)
class FindingsPlan:
    """What the page shows.

    Attributes
    ----------
    listed : tuple of str
        Keys of the findings that pass the filters.
    opened : Finding or None
    seed : int
        Seed of the demonstration.
    """

    listed: tuple[str, ...]
    opened: Finding | None
    seed: int


class FindingsModel(Model):
    """The filters of the list, and the open finding."""

    paper = param.Selector(
        default=ALL,
        objects={"all papers": ALL, **{experiments.papers()[key].authors: key for key in PAPERS}},
        label="Paper",
        doc="The page lists the findings on this paper.",
    )
    kind = param.Selector(
        default=ALL,
        objects={"everything": ALL, **{text: kind for kind, text in KINDS.items()}},
        label="About",
        doc="The page lists findings on this: less privacy than stated, more privacy than stated, the accuracy of"
        " an answer, a sign in a formula, or what is no error.",
    )
    finding = Key("", label="Open")

    def plan(self) -> FindingsPlan:
        """Freeze the present settings; an open finding is listed even if the filters exclude it."""
        listed = tuple(
            key
            for key, found in FINDINGS.items()
            if key == self.finding or (self.paper in (ALL, *found.papers) and self.kind in (ALL, found.kind))
        )
        return FindingsPlan(listed, FINDINGS.get(self.finding), self.controls.noise_seed)


@lru_cache(maxsize=64)
def demonstrated(key: str, seed: int) -> Shown:
    """Run the demonstration of a finding."""
    return FINDINGS[key].demonstrate(np.random.default_rng(seed))


def demonstrate(key: str, seed: int, cancelled=None) -> Shown:
    """The same in a worker."""
    return demonstrated(key, seed)
