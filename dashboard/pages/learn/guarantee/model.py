"""What the page Guarantee computes: δ in every form, and what each adversary can learn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import param

from core import cape
from core.privacy import gdp_delta
from dashboard.page.model import Model
from dashboard.pages.learn.guarantee.game import Setting
from dashboard.state.controls import LogNumber
from dashboard.state.number_text import count_text

POINTS = 140
FLOOR = 1e-30
NEARLY = 1.05  # Two δ whose ratio is smaller are called nearly equal.


@dataclass(frozen=True)
class Form:
    """One form of δ: its scheme, its name in `core.cape`, its label and the dash of its line."""

    key: str
    scheme: str
    form: str
    label: str
    dash: str


FORMS = (
    Form("cape_exact", "cape", "exact", "CAPE, exact", "solid"),
    Form("cape_theorem", "cape", "theorem", "CAPE, theorem", "dashed"),
    Form("cape_plotted", "cape", "plotted", "CAPE, as plotted", "dotted"),
    Form("conventional_exact", "conventional", "exact", "conventional, equally accurate", "solid"),
    Form(
        "conventional_published",
        "conventional",
        "published",
        "conventional, equally accurate, as published",
        "dashed",
    ),
)


@dataclass(frozen=True)
class Onlooker:
    """An adversary: its name, what it sees, μ of that view, and δ at the chosen ε."""

    name: str
    sees: str
    mu: float
    delta: float


@dataclass(frozen=True)
class GuaranteePlan:
    """δ of every form along τ/Δ, ε and S_C, and what the adversaries see.

    `along_noise` holds POINTS numbers for each form, `along_colluding` S, `along_epsilon` as many as `epsilons` for
    CAPE's published forms and the conventional scheme, `here` one; NaN where a form has no value. `setting` is that
    of the game; `published` says whether published forms are shown beside the exact ones.
    """

    epsilon: float
    delta: float
    sites: int
    chosen_noise: float
    chosen_colluding: int
    noise: tuple[float, ...]
    colluding: tuple[int, ...]
    epsilons: tuple[float, ...]
    along_noise: dict[str, tuple[float, ...]]
    along_colluding: dict[str, tuple[float, ...]]
    along_epsilon: dict[str, tuple[float, ...]]
    here: dict[str, float]
    onlookers: tuple[Onlooker, ...]
    setting: Setting
    published: bool = False


def delta_of(form: Form, *, epsilon, noise, sites, colluding) -> np.ndarray:
    """δ of one form at noise multiplier τ/Δ; arrays broadcast."""
    shape = np.broadcast_shapes(np.shape(epsilon), np.shape(noise), np.shape(colluding))
    arguments = {"tau": noise, "samples": None, "sensitivity": 1.0, "sites": sites, "form": form.form}
    if form.scheme == "cape":
        arguments["colluding"] = colluding
        return np.broadcast_to(cape.delta(epsilon, **arguments), shape)
    return np.broadcast_to(cape.conventional_delta(epsilon, **arguments), shape)


def noise_range(epsilon: float, sites: int) -> tuple[float, float]:
    """The range of noise multipliers over which the conventional δ falls from near 1 to 1e-30."""
    root = math.sqrt(sites)
    # δ(ε) is near Φ(μ/2 − ε/μ): at the upper end the argument is −11.6, at the lower +1.
    return root / _mu_where(epsilon, 1.0), root / _mu_where(epsilon, -11.6)


def _mu_where(epsilon, z):
    """μ at which μ/2 − ε/μ = z, in the form without numerical cancellation."""
    root = math.sqrt(z * z + 2 * epsilon)
    return z + root if z >= 0 else 2 * epsilon / (root - z)


def _deltas(epsilon, noise, sites, colluding, forms=FORMS):
    setting = {"epsilon": epsilon, "noise": noise, "sites": sites, "colluding": colluding}
    return {form.key: tuple(np.ravel(delta_of(form, **setting)).tolist()) for form in forms}


@lru_cache(maxsize=64)
def _along_noise(epsilon, sites, colluding, low, high):
    """The curves against τ/Δ, which do not change when the chosen τ/Δ does."""
    noise = np.geomspace(low, high, POINTS)
    return tuple(noise.tolist()), _deltas(epsilon, noise, sites, colluding)


def _epsilons(epsilon):
    """Points of the axis of ε, which reaches beyond the chosen one."""
    end = next((e for e in (1, 2, 3, 5, 8, 12, 20, 30) if e >= 2.2 * epsilon), 30)
    return np.linspace(end / 120, end, 120)


class GuaranteeModel(Model):
    """The noise multiplier of a message."""

    noise = LogNumber(
        1.5,
        bounds=(0.1, 1e6),
        label="Noise of one message ÷ one record's effect",
        doc="τ/Δ is the standard deviation τ of a message's noise over the sensitivity Δ: the most by which one "
        "record can change what the site computes (1/Nₛ for an average of numbers in [0, 1]). More noise "
        "gives a smaller δ.",
    )

    published = param.Boolean(
        False,
        label="Published forms",
        doc="The page also shows what the papers state: the theorem's δ, the one that they plot, and the "
        "conventional bound. They are uncorrected, and shown where they are at most 1.",
    )

    def plan(self) -> GuaranteePlan:
        """Compute every form of δ for the present settings."""
        c = self.controls
        low, high = noise_range(c.epsilon, c.sites)
        low, high = min(low, self.noise), max(high, self.noise)
        noise, along_noise = _along_noise(c.epsilon, c.sites, c.colluding, low, high)
        colluding, epsilons = np.arange(c.sites), _epsilons(c.epsilon)
        here = _deltas(c.epsilon, self.noise, c.sites, c.colluding)
        return GuaranteePlan(
            epsilon=c.epsilon,
            delta=c.delta,
            sites=c.sites,
            chosen_noise=self.noise,
            chosen_colluding=c.colluding,
            noise=noise,
            colluding=tuple(colluding.tolist()),
            epsilons=tuple(epsilons.tolist()),
            along_noise=along_noise,
            along_colluding=_deltas(c.epsilon, self.noise, c.sites, colluding),
            along_epsilon=_deltas(epsilons, self.noise, c.sites, c.colluding, FORMS[1:4]),
            here={key: value for key, (value,) in here.items()},
            onlookers=self._onlookers(),
            setting=Setting(self.noise, c.sites, c.colluding, c.noise_seed),
            published=self.published,
        )

    def _onlookers(self):
        c = self.controls
        aggregator = math.sqrt(cape.leakage(c.sites)) / self.noise
        colluders = math.sqrt(cape.leakage(c.sites, c.colluding)) / self.noise
        rows = [
            ("the public", "the released average", 1 / self.noise),
            ("the aggregator", "every message and the broadcast sum", aggregator),
            (
                f"with {count_text(c.colluding, 'colluding site')}",
                "all that and the colluders' own noise",
                colluders,
            ),
            (
                "conventional",
                "messages whose average has the same variance as CAPE's",
                math.sqrt(c.sites) / self.noise,
            ),
        ]
        return tuple(Onlooker(name, sees, mu, float(gdp_delta(c.epsilon, mu))) for name, sees, mu in rows)


def conventional(epsilon: float, message: float, sites: int) -> tuple[float, ...]:
    """δ of conventional messages for the public (sees the average), aggregator, colluders, and one message alone."""
    return tuple(
        float(gdp_delta(epsilon, mu)) for mu in (message / math.sqrt(sites), message, message, message)
    )
