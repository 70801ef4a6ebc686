"""The parameters that all pages share, and their frozen snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from core.privacy import Calibration
from core.schemes import OFFERED, SCHEMES, Adversary
from dashboard.state import seeds
from dashboard.state.seeds import Seed
from dashboard.theme.scheme_style import label

SOME_SITES = ("colluding", "dropouts")  # Controls that count some of the sites.


class LogNumber(param.Number):
    """A positive number that the user chooses on a logarithmic scale.

    Integers become floats: a run is identified by the text of its settings, so 1 and 1.0 must have the same text.
    `percent` says that the number is a share, which is shown as a percentage; set it before a new label.
    """

    __slots__ = ["percent"]
    _slot_defaults = dict(param.Number._slot_defaults, percent=False)  # noqa: RUF012

    def __init__(self, default=param.parameterized.Undefined, *, percent=False, **options):
        super().__init__(default=default, **options)
        self.percent = percent

    def __set__(self, obj, val):
        super().__set__(obj, float(val) if isinstance(val, int) and not isinstance(val, bool) else val)


class LogInteger(param.Integer):
    """A positive integer that the user chooses on a logarithmic scale."""


class Menu(param.Selector):
    """A choice by a menu, however few it offers: what it offers may change."""


class NamedPlace(param.Integer):
    """The place of something in a list, from 1, that the user chooses by its name; a link holds the place.

    `names` are the texts of the present list, which may be foreign; setting them tells watchers of "names".
    """

    __slots__ = ["names"]
    _slot_defaults = dict(param.Integer._slot_defaults, names=())  # noqa: RUF012

    def __init__(self, default=param.parameterized.Undefined, *, names=(), **options):
        super().__init__(default=default, **options)
        self.names = names


class Controls(param.Parameterized):
    """The shared parameters. Every session has one instance; a page shows the controls that apply to it."""

    epsilon = LogNumber(
        1.0,
        bounds=(1e-3, 10.0),
        label="Privacy ε",
        doc="ε bounds how much one record can change the odds of any result. A larger ε means less noise and less privacy.",
    )
    delta = LogNumber(
        1e-5,
        bounds=(1e-12, 0.1),
        label="Privacy δ",
        doc="δ is a small probability that is added to the bound. If one record is replaced by another, every set of "
        "outcomes becomes at most e^ε times as probable, plus δ. A larger δ means less noise and less privacy.",
    )
    sites = param.Integer(
        10,
        bounds=(2, 50),
        label="Sites S",
        doc="S sites hold records. At equal noise on a message, the noise of the conventional average falls as 1/√S, CAPE's "
        "as 1/S.",
    )
    samples = LogInteger(
        1000,
        bounds=(10, 100_000),
        label="Records a site Nₛ",
        doc="Each site holds so many records; unequal sites hold so many on average. More records need less noise.",
    )
    imbalance = LogNumber(
        1.0,
        bounds=(1.0, 100_000.0),
        label="Imbalance",
        doc="The largest site has so many times the records of the smallest. Unless another shape is chosen, sizes are "
        "geometric: each site in between has fewer than the one before, by one factor. At 1 all sites hold equally"
        " many. The number of all records stays the same.",
    )
    k = param.Integer(
        10,
        bounds=(1, 100),
        label="Components k",
        doc="The algorithm finds so many components or clusters.",
    )
    colluding = param.Integer(
        0,
        bounds=(0, 49),
        label="Colluding sites",
        doc="These sites share what they know with the aggregator. The more there are, the less the others are protected.",
    )
    adversary: Any = param.Selector(
        default="message",
        objects={
            "result or one message": "message",
            "all messages": "aggregator",
            "and colluders": "colluders",
        },
        label="Target holds against",
        doc="This observer must not learn more than (ε, δ) allows. In the papers it sees the result or one "
        "message. The aggregator sees all messages, and colluding sites tell it what they know: CAPE then "
        "needs more noise.",
    )
    dropouts = param.Integer(
        0,
        bounds=(0, 49),
        label="Sites that drop out",
        doc="These sites agree on noise and then send nothing. The schemes are planned for it.",
    )
    schemes = param.ListSelector(
        list(OFFERED),
        objects={label(scheme): scheme for scheme in SCHEMES},
        label="Schemes",
        doc="The page compares these schemes of releasing the average.",
    )
    calibration: Any = param.Selector(
        default="exact",
        objects=["exact", "published"],
        label="Calibration",
        doc="Exact: the smallest Gaussian noise that meets (ε, δ). Published: the classical formula "
        "of the papers, proved only for ε ≤ 1.",
    )
    repeats = param.Integer(
        10,
        bounds=(1, 200),
        label="Repeats",
        doc="Every point has so many runs, each with new noise. Bands are 95 % intervals of the mean. More runs make them "
        "narrower and take longer.",
    )
    data_seed = Seed(1, label="Data seed", doc="This whole number below 2¹²⁸ fixes the synthetic records.")
    noise_seed = Seed(1, label="Noise seed", doc="This whole number fixes the privacy noise.")

    def __init__(self, **values):
        self._offer_schemes()
        super().__init__(**values)
        self.noise_seed = seeds.first_seed(self.noise_seed)

    @classmethod
    def _offer_schemes(cls):
        """Offer all registered schemes, including those registered after this module was imported."""
        if list(cls.param.schemes.objects) != list(SCHEMES):
            cls.param.schemes.objects = {label(scheme): scheme for scheme in SCHEMES}
            cls.param.schemes.default = list(OFFERED)

    @param.depends("sites", watch=True, on_init=True)
    def _keep_one_honest(self):
        most = self.sites - 1
        for name in SOME_SITES:
            if getattr(self, name) > most:
                setattr(self, name, most)
            if self.param[name].bounds != (0, most):
                self.param[name].bounds = (0, most)

    def take(self, values) -> None:
        """Set several parameters at once; numbers of colluding and lost sites are checked against the new sites."""
        # Numbers of colluding and lost sites end at the present sites: others become the most that there can be.
        if values.keys().isdisjoint(("sites", *SOME_SITES)):
            self.param.update(**values)
            return
        for name in SOME_SITES:
            self.param[name].bounds = (0, Controls.param[name].bounds[1])
        try:
            self.param.update(**values)
        finally:
            self._keep_one_honest()

    def snapshot(self) -> Settings:
        """Return the current values, frozen and hashable."""
        values = self.param.values()
        values["schemes"] = tuple(scheme for scheme in SCHEMES if scheme in self.schemes)
        return Settings(**{name: values[name] for name in Settings.__dataclass_fields__})


@dataclass(frozen=True)
class Settings:
    """A frozen copy of `Controls`: the settings from which a picture was computed."""

    epsilon: float
    delta: float
    sites: int
    samples: int
    imbalance: float
    k: int
    colluding: int
    adversary: Adversary
    dropouts: int
    schemes: tuple[str, ...]
    calibration: Calibration
    repeats: int
    data_seed: int
    noise_seed: int

    def terms(self, sites: int) -> dict[str, Any]:
        """What the noise of a release is planned for, as `core.schemes.release` takes it; {} for the papers' own terms.

        The settings are for so many sites, of which at least one is honest and sends. "dropouts" may fall silent: a
        promise covers 0 to so many, see `core.schemes.promise`.
        """
        if self.adversary == "message":
            return {}
        found: dict[str, Any] = {"against": self.adversary}
        if self.adversary == "colluders":
            found["colluding"] = min(self.colluding, sites - 1)
        if lost := min(self.dropouts, sites - 1 - found.get("colluding", 0)):
            found["dropouts"] = lost
        return found

    def run_terms(self, sites: int) -> dict[str, Any]:
        """`terms`, and in "dropped" what happens in a run that a page shows: all who may fall silent do.

        This is the case of most noise, so that what is shown of accuracy holds in the other cases, too.
        """
        found = self.terms(sites)
        return found | ({"dropped": found["dropouts"]} if "dropouts" in found else {})
