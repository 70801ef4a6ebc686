"""Secure sum: one run of secure aggregation, message by message, and what it costs."""

from __future__ import annotations

from core.sweep.workers import Call
from dashboard.components.live_picture import faces
from dashboard.packs.trust.secure_sum.model import CLIP, Plan, SecureSumModel, limits, run_protocol
from dashboard.packs.trust.secure_sum.view import view
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls
from dashboard.theme import colours
from dashboard.theme.assets import beside
from dashboard.theme.scheme_style import LOOKS

_SHEET = (
    # Values in no colour that means a kind of noise elsewhere.
    f".secure {{ --value: var(--quiet); --sent: {colours.AGGREGATOR}; --mask: {LOOKS['secure'].colour}; "
    "--paper: var(--mui-palette-background-paper, Canvas) }" + faces.SHEET + beside(__file__, "exchange.css")
)
_QUICK = 12, 2_000  # Sites and numbers of a run that takes about a tenth of a second.
_EQUATION = r"""
Site u rounds its clipped value at random to whole multiples of a step, an element x_u of the integers modulo 2⁶⁴,
and sends
$$y_u=x_u+\mathrm{PRG}(b_u)+\sum_{v>u}\mathrm{PRG}(s_{uv})-\sum_{v<u}\mathrm{PRG}(s_{uv})\pmod{2^{64}},$$
with a seed b_u of its own and a key s_uv that it agreed with each other site v. The pairwise masks cancel in the sum.

Shamir's scheme splits both secrets into shares, and any t shares recover a secret:
$$p(z)=\text{secret}+a_1z+\dots+a_{t-1}z^{t-1},\qquad\text{share }v=p(v).$$
For a site whose input arrived, the others send shares of b_u. For a site that dropped out, they send shares of its
mask key. They never send both.
Source: Bonawitz et al. 2017, for parties who follow the protocol; [Cape] Algorithm 1 uses it.

**Cost** ([Cape], Table 1): S + d for a site, S² + S·d for the aggregator.
"""


def script(plan: Plan) -> str:
    """A program that runs the protocol with the page's seeds."""
    return f'''"""A secure sum over {plan.sites} sites: each one's value, its input as it arrived, and its traffic."""
import numpy as np

from core.secure_sum import secure_sum

values = np.random.default_rng([{plan.seed}, 0]).standard_normal(({plan.sites}, {plan.entries}))
run = secure_sum(
    values,
    clip={CLIP},
    threshold={plan.threshold},
    silent={plan.silent},
    rng=np.random.default_rng([{plan.seed}, 1]),  # leave out to take keys from the operating system
)
inputs = {{m.sender: m.content[m.sender] for m in run.aggregator_view if m.round == "input"}}
columns = {{
    "site": list(range(1, {plan.sites} + 1)),
    "value": values[:, 0].tolist(),
    "received": [float(inputs[s][0]) / 2**64 if s in inputs else float("nan") for s in range({plan.sites})],
    "bytes": [run.traffic(s)[1] for s in range({plan.sites})],
}}

print("sum", run.total[0], "over", run.included, "error at most", run.error_bound)
for row in zip(*columns.values()):
    print("%3d %9.4f %9.6f %9d" % row)
'''


def _calls(plan):
    return [Call(run_protocol, (plan.whole,), key=plan.whole)]


SECURE_SUM = Sheet(
    name="secure_sum",
    model=SecureSumModel,
    view=view,
    places={"exchange": 4, "parties": 2, "sites": 3, "entries": 3, "orders": 6, "messages": 6},
    charts=("sites", "entries"),
    shared=("sites", "noise_seed"),
    opens={"sites": 6},  # Rows and masks that can be told apart from a hall's last row and on a phone.
    sliders=("lost", "sites", "threshold", "round"),
    presets=(
        Preset(
            "Everybody sends",
            {"sites": 6, "entries": 1, "lost": 0, "threshold": 4, "step": 4},
        ),
        Preset(
            "Two sites drop out",
            {"sites": 6, "entries": 1, "lost": 2, "round": "input", "threshold": 4, "step": 4},
        ),
        Preset("Too many sites drop out", {"sites": 6, "entries": 1, "lost": 3, "threshold": 4, "step": 4}),
    ),
    equation=_EQUATION,
    code=("core.secure_sum.secure_sum",),
    script=script,
    work=Calls(
        calls=_calls,
        awaited=lambda plan: (plan.whole,),
        at_once=lambda plan: plan.sites <= _QUICK[0] and plan.entries <= _QUICK[1],
    ),
    absent=lambda plan: () if plan.lost else ("round",),
    most=lambda plan: limits(plan.sites),
    sheet=_SHEET,
)
