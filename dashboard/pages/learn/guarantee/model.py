"""What the page Guarantee computes: δ in every form, and what each adversary can learn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

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
class GuaranteePicture:
    """δ of every form along τ/Δ and along S_C, and the trade-off functions of the adversaries.

    `noise` has shape (POINTS,), `colluding` (S,); `along_noise`, `along_colluding` and `here` hold an
    array, an array and a number for each form, NaN where it has no value. `setting` is that of the game.
    """

    epsilon: float
    delta: float
    sites: int
    chosen_noise: float
    chosen_colluding: int
    noise: np.ndarray
    colluding: np.ndarray
    along_noise: dict[str, np.ndarray]
    along_colluding: dict[str, np.ndarray]
    here: dict[str, float]
    alpha: np.ndarray
    onlookers: tuple[Onlooker, ...]
    setting: Setting


def delta_of(form: Form, *, epsilon, noise, sites, colluding) -> np.ndarray:
    """δ of one form at noise multiplier τ/Δ; arrays broadcast."""
    shape = np.broadcast_shapes(np.shape(noise), np.shape(colluding))
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


def _deltas(epsilon, noise, sites, colluding):
    setting = {"epsilon": epsilon, "noise": noise, "sites": sites, "colluding": colluding}
    return {form.key: delta_of(form, **setting) for form in FORMS}


@lru_cache(maxsize=64)
def _along_noise(epsilon, sites, colluding, low, high):
    """The curves against τ/Δ, which do not change when the chosen τ/Δ does."""
    noise = np.geomspace(low, high, POINTS)
    return noise, _deltas(epsilon, noise, sites, colluding)


class GuaranteeModel(Model):
    """The noise multiplier of a message."""

    noise = LogNumber(
        1.5,
        bounds=(0.1, 1e6),
        label="Noise of one message ÷ one record's effect",
        doc="τ/Δ: standard deviation τ of a message's noise, over the most by which one record can change what the site "
        "computes, its sensitivity Δ (1/Nₛ for an average of numbers in [0, 1]). More noise: smaller δ.",
    )

    def picture(self) -> GuaranteePicture:
        """Compute every form of δ for the present settings."""
        c = self.controls
        low, high = noise_range(c.epsilon, c.sites)
        low, high = min(low, self.noise), max(high, self.noise)
        noise, along_noise = _along_noise(c.epsilon, c.sites, c.colluding, low, high)
        colluding = np.arange(c.sites)

        def deltas(noise, colluding):
            return _deltas(c.epsilon, noise, c.sites, colluding)

        return GuaranteePicture(
            epsilon=c.epsilon,
            delta=c.delta,
            sites=c.sites,
            chosen_noise=self.noise,
            chosen_colluding=c.colluding,
            noise=noise,
            colluding=colluding,
            along_noise=along_noise,
            along_colluding=deltas(self.noise, colluding),
            here={key: float(value) for key, value in deltas(self.noise, c.colluding).items()},
            alpha=np.linspace(0, 1, 201),
            onlookers=self._onlookers(),
            setting=Setting(self.noise, c.sites, c.colluding, c.noise_seed),
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
