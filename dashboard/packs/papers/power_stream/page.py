"""Stream: the power method on records that are read once and not stored, corrected and as printed."""

from __future__ import annotations

from dashboard.algorithms.power.patterns import SHEET
from dashboard.packs.papers.power_stream.model import MOST, Plan, StreamModel, awaited, calls
from dashboard.packs.papers.power_stream.view import view
from dashboard.page.lesson import Preset
from dashboard.problems.patterns import RULE
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls

_EQUATION = (
    r"""
Each step reads n new records and averages, for L vectors at once,
$$\tilde u_{t+1}=\frac1n\sum_{\ell=1}^{n}(x_\ell^{\top}u_t)^2\,x_\ell\;-\;\sum_{j<i}\hat\lambda_j\,\xi_j^2\,\hat v_j,
\qquad \xi_j=\hat v_j^{\top}u_t,$$
which is an unbiased T(I,u,u) of the deflated moment T = E[x⊗x⊗x]. The paper prints instead
$$\xi_j=\hat v_j^{\top}\tilde u_{t+1},$$
the image before normalisation. It is too small or too large, depending on the scale of T, so that deflation does not
remove the components found; and it reports λ̂ of the vector before the last. Corrected, one more step of n records
measures λ̂ at v̂ itself.

Memory is O(d(k + L)), independent of the length of the stream; time is O(n k d L R).
In code: `core.power.online`; source: [Power] Algorithm 2.
"""
    + RULE
)


def script(plan: Plan) -> str:
    """A program that reads the whole stream with both forms."""
    s = plan.settings
    return f'''"""Distance to the nearest component not found yet, along a stream of records."""
import numpy as np

from core import power
from data.synthetic.tensors import skewed_stream, tensor_components

truth = tensor_components(
    {plan.components}, dimension={plan.d}, strength={plan.scale!r}, rng=np.random.default_rng({s.data_seed})
)
columns = {{"deflation": [], "component": [], "seen": [], "error": []}}
for deflation in ("corrected", "published"):
    stream = skewed_stream(
        truth, batch={plan.batch}, spread={plan.spread!r}, rng=np.random.default_rng([{s.data_seed}, {s.noise_seed}])
    )
    rest = list(range({plan.components}))

    def note(state):
        finished = state.step == 0
        vector = state.pairs.vectors[-1] if finished else state.leader
        gaps = [min(np.linalg.norm(truth.vectors[i] - sign * vector) for sign in (1, -1)) for i in rest]
        row = (deflation, state.found - finished, state.seen, min(gaps))
        for column, value in zip(columns.values(), row):
            column.append(value)
        if finished:
            rest.pop(int(np.argmin(gaps)))

    found = power.online(
        stream, {plan.components}, samples={plan.per_step}, restarts={plan.restarts}, iterations={plan.iterations},
        deflation=deflation, rng=np.random.default_rng([{s.noise_seed}, 1]), progress=note,
    )
    print(deflation, "eigenvalues", found.values, "of", truth.values)
for row in zip(*columns.values()):
    print("%-10s component %d after %9d records: %.4f" % row)
'''


STREAM = Sheet(
    name="power_stream",
    model=StreamModel,
    view=view,
    places={"found": 3, "errors": 3, "often": 3, "memory": 3},
    charts=("errors", "memory"),
    shared=("data_seed", "noise_seed"),
    sliders=("read", "per_step", "components", "spread"),
    work=Calls(calls=calls, awaited=awaited),
    most=lambda plan: {"read": plan.whole},
    play={"begins": 0.0, "stays": True},  # Its end answers which search finds all.
    presets=(
        Preset(
            "As printed, two are lost",
            {
                "per_step": 500,
                "d": 64,
                "components": 3,
                "scale": 10.0,
                "spread": 0.7,
                "restarts": 2,
                "read": MOST,
            },
        ),
        Preset(
            "At weight 1 both work",
            {
                "per_step": 1000,
                "d": 64,
                "components": 3,
                "scale": 1.0,
                "spread": 0.05,
                "restarts": 10,
                "read": MOST,
            },
        ),
        Preset(
            "Too large for a stored tensor",
            {"per_step": 1500, "d": 3000, "components": 2, "scale": 10.0, "spread": 0.02, "restarts": 10}
            | {"read": MOST},
        ),
    ),
    equation=_EQUATION,
    code=("core.power.online",),
    script=script,
    sheet=SHEET,
)
