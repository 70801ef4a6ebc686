"""Noise: what the power method finds under disturbances of four kinds, up to which size of each."""

from __future__ import annotations

from dashboard.algorithms.power.patterns import SHEET
from dashboard.packs.papers.power_noise.model import NoiseModel, Plan, calls
from dashboard.packs.papers.power_noise.view import reached, view
from dashboard.page.lesson import Preset
from dashboard.problems.patterns import RULE
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls

_EQUATION = (
    r"""
$$\tilde T=\sum_{i=1}^k\lambda_i\,v_i\otimes v_i\otimes v_i+E,\qquad
u_{t+1}=\frac{\tilde T(I,u_t,u_t)}{\|\tilde T(I,u_t,u_t)\|}$$

[Power] Section 2 states recovery up to
$$\|E\|_{\rm op}=O(\lambda_{\min}/d)$$
for any E, up to
$$O(\lambda_{\min}/\sqrt d)$$
where E is round, and up to
$$O(\lambda_{\min}/\sqrt k)$$
where E is weakly correlated with the components,
$$\|E(v_i,I,I)\|=O(\lambda_{\min}/d).$$
The constants are not known. A random start has
$$(v_i^{\top}u_0)^2\approx 1/d.$$
The first step leaves about
$$a=\frac{\lambda}{d}\Big/\|E(I,u_0,u_0)\|$$
along a component, and the second is lost if λa² is below what E adds. So E wins from about
$$\|E\|_{\rm op}\approx\lambda/\sqrt d$$
on whenever it is large at random vectors. This order is no less than the first stated one and equals the second.
It contradicts the third: Gaussian noise with E(v_i, I, I) = 0 is large there.
The method tolerates disturbances that are small there, such as other components, up to a size that falls no faster
than 1/√ln d.
In code: `core.power.disturbances`, `core.tensors.robust`.
"""
    + RULE
)


def script(plan: Plan) -> str:
    """A program that repeats the runs of the curve."""
    s = plan.settings
    points = list(dict.fromkeys((t.kind, t.d, t.size) for t in plan.trials))
    return f'''"""Share of runs in which Algorithm 1 finds every component, by kind, width and size of the disturbance."""
import numpy as np

from core import power
from data.synthetic.tensors import tensor_components

columns = {{"kind": [], "d": [], "size": [], "success": []}}
for kind, d, size in {points}:
    truth = tensor_components(
        {plan.components}, dimension=d, strength=1.0, least=1.0, rng=np.random.default_rng({s.data_seed})
    )
    tensor = power.ComponentTensor(truth.values, truth.vectors)
    found = [
        power.recovered(
            tensor, kind, size, rng=np.random.default_rng([{s.noise_seed}, power.KINDS.index(kind), repeat]),
            restarts={plan.restarts}, iterations={plan.iterations},
        ).min() > power.FOUND
        for repeat in range({s.repeats})
    ]
    for name, value in zip(columns, (kind, d, size, float(np.mean(found)))):
        columns[name].append(value)
    print("%-12s d = %4d, size %6g: %.2f" % (kind, d, size, np.mean(found)))
'''


NOISE = Sheet(
    name="power_noise",
    model=NoiseModel,
    view=view,
    places={"found": 3, "curve": 3, "steps": 3, "orders": 3},
    charts=("curve",),
    shared=("repeats", "data_seed", "noise_seed"),
    sliders=("size", "d", "components", "restarts"),
    work=Calls(calls=calls, awaited=lambda plan: (plan.pictured,)),
    play={"over": [0.3, 0.5, 0.7, 0.9, 1.2]},  # Where the kinds part.
    reached=reached,
    presets=(
        Preset(
            "A larger tensor",
            {"axis": "d", "size": 0.9, "d": 100, "components": 3, "restarts": 4, "iterations": 12},
        ),
        Preset(
            "Two patterns, d = 60",
            {"axis": "size", "size": 0.8, "d": 60, "components": 2, "restarts": 4, "iterations": 20},
        ),
        Preset(
            "More random starts",
            {"axis": "size", "size": 0.5, "d": 40, "components": 2, "restarts": 20, "iterations": 20},
        ),
    ),
    equation=_EQUATION,
    code=("core.power.disturbance", "core.tensors.robust"),
    script=script,
    sheet=SHEET,
)
