"""The parameters that pages share, as one Parameterized, and their frozen snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from core.privacy import Calibration
from core.schemes import SCHEMES
from dashboard.state import seeds
from dashboard.state.seeds import SEED_LIMIT
from dashboard.theme.scheme_style import label


class LogNumber(param.Number):
    """A positive number that is chosen on a logarithmic scale.

    Whole numbers become floats: runs are told apart by the text of their settings, and 1 is 1.0.
    """

    def __set__(self, obj, val):
        super().__set__(obj, float(val) if isinstance(val, int) and not isinstance(val, bool) else val)


class LogInteger(param.Integer):
    """A positive whole number that is chosen on a logarithmic scale."""


class Controls(param.Parameterized):
    """What pages share. Every session owns one; a page shows the part that means something there."""

    epsilon = LogNumber(
        1.0,
        bounds=(1e-3, 10.0),
        label="Privacy ε",
        doc="Bound on what one record can reveal. Larger ε: less noise, less privacy.",
    )
    delta = LogNumber(
        1e-5,
        bounds=(1e-12, 0.1),
        label="Failure probability δ",
        doc="Probability mass on which ε may fail. Larger δ: less noise, less privacy.",
    )
    sites = param.Integer(
        10,
        bounds=(2, 50),
        label="Sites S",
        doc="How many sites hold records. More sites: conventional noise falls by √S, CAPE's by S.",
    )
    samples = LogInteger(
        1000,
        bounds=(10, 100_000),
        label="Records a site Nₛ",
        doc="How many records each site holds. More records: smaller sensitivity, less noise.",
    )
    k = param.Integer(
        10,
        bounds=(1, 100),
        label="Components k",
        doc="Dimension of the subspace, or number of components or topics, that is sought.",
    )
    colluding = param.Integer(
        0,
        bounds=(0, 49),
        label="Colluding sites S_C",
        doc="How many sites pool what they know with the aggregator. More: the others are protected less.",
    )
    schemes = param.ListSelector(
        list(SCHEMES),
        objects={label(scheme): scheme for scheme in SCHEMES},
        label="Schemes",
        doc="Which ways of releasing the average are compared.",
    )
    calibration: Any = param.Selector(
        default="exact",
        objects=["exact", "published"],
        label="Calibration",
        doc="Exact: the least Gaussian noise that keeps (ε, δ). Published: the classical formula "
        "of the papers, proved only for ε ≤ 1.",
    )
    repeats = param.Integer(
        10,
        bounds=(1, 200),
        label="Repeats",
        doc="How often every point is run with fresh noise; the bands show the spread. More: slower.",
    )
    data_seed = param.Integer(1, bounds=(0, SEED_LIMIT), label="Data seed", doc="Seed of synthetic records.")
    noise_seed = param.Integer(
        1, bounds=(0, SEED_LIMIT), label="Noise seed", doc="Seed of the privacy noise."
    )

    def __init__(self, **values):
        self._offer_schemes()
        super().__init__(**values)
        self.param.noise_seed.bounds = (0, seeds.limit())
        self.noise_seed = seeds.first_seed(self.noise_seed)

    @classmethod
    def _offer_schemes(cls):
        """Offer the schemes that are registered by now, which may be others than when this module was imported."""
        if list(cls.param.schemes.objects) != list(SCHEMES):
            cls.param.schemes.objects = {label(scheme): scheme for scheme in SCHEMES}
            cls.param.schemes.default = list(SCHEMES)

    @param.depends("sites", watch=True, on_init=True)
    def _keep_one_honest(self):
        most = self.sites - 1
        if self.colluding > most:
            self.colluding = most
        self.param.colluding.bounds = (0, most)

    def take(self, values) -> None:
        """Set several parameters at once; colluding sites are counted against the new number of sites."""
        self.param.colluding.bounds = (0, Controls.param.colluding.bounds[1])
        try:
            self.param.update(**values)
        finally:
            self._keep_one_honest()

    def snapshot(self) -> Settings:
        """The present values, frozen and hashable."""
        values = self.param.values()
        values["schemes"] = tuple(scheme for scheme in SCHEMES if scheme in self.schemes)
        return Settings(**{name: values[name] for name in Settings.__dataclass_fields__})


@dataclass(frozen=True)
class Settings:
    """A frozen copy of `Controls`: what a picture was computed from."""

    epsilon: float
    delta: float
    sites: int
    samples: int
    k: int
    colluding: int
    schemes: tuple[str, ...]
    calibration: Calibration
    repeats: int
    data_seed: int
    noise_seed: int
