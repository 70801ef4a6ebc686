"""How far released averages spread: drawn in a worker process, and shown as a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core import Privacy, release
from core.sweep.workers import Call
from dashboard.page.model import Model
from dashboard.sheet.spec import Sheet, Shown, View
from dashboard.sheet.work import Calls
from dashboard.state.number_text import number_text

RUNS = 1000


@dataclass(frozen=True)
class Plan:
    """Number of sites, ε, and the seed of the noise."""

    sites: int
    epsilon: float
    seed: int


class SpreadModel(Model):
    """The shared controls alone."""

    def plan(self) -> Plan:
        """Freeze them."""
        return Plan(self.controls.sites, self.controls.epsilon, self.controls.noise_seed)


def spread(plan: Plan, cancelled=None) -> float:
    """The standard deviation of 1000 averages of sites that all hold 0, under CAPE."""
    rng = np.random.default_rng(plan.seed)
    drawn = release(np.zeros((plan.sites, RUNS)), 1e-3, Privacy(plan.epsilon, 1e-5), scheme="cape", rng=rng)
    return float(np.std(drawn.value))


def view(plan: Plan, shown: Shown) -> View:
    """The number, as soon as it is there."""
    found = shown.results.get(plan)
    said = "computing …" if found is None else f"standard deviation {number_text(found)}"
    table = {"sites": [plan.sites], "std": [np.nan if found is None else found]}
    return View(headline=f"{plan.sites} sites: {said}", sections={"number": f"<p>{said}</p>"}, table=table)


SPREAD = Sheet(
    name="spread",
    model=SpreadModel,
    view=view,
    places={"number": 6},
    shared=("sites", "epsilon", "noise_seed"),
    sliders=("sites", "epsilon"),
    code=("core.schemes.release",),
    work=Calls(calls=lambda plan: [Call(spread, (plan,), key=plan)]),
)
