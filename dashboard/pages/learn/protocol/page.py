"""Protocol: one run of the protocol, played, and the averages of many runs under every scheme."""

from __future__ import annotations

from dashboard.page.lesson import Preset
from dashboard.pages.learn.protocol.model import ProtocolModel, ProtocolPlan
from dashboard.pages.learn.protocol.play import Playing
from dashboard.pages.learn.protocol.releases import releases
from dashboard.pages.learn.protocol.view import SHEET, view
from dashboard.problems.protocol import BATCH, STREAM, STREAM_TOGETHER, WHOLE, streams
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Work

_ONE = {"samples": 100, "adversary": "message", "share": WHOLE, "together": False}
_EQUATION = r"""
Site s holds
$$f(x_s)=\tfrac1{N_s}\sum_n x_{s,n},\qquad \Delta=\tfrac1{N_s},$$
and needs noise of standard deviation τ for its (ε, δ). Together the sites draw noise that sums to zero, and
each adds a small independent part:

$$\hat f_s = f(x_s)+e_s+g_s,\qquad \sum_{s=1}^S e_s=0,\qquad
\operatorname{Var} e_s=\Big(1-\tfrac1S\Big)\tau^2,\qquad \operatorname{Var} g_s=\tfrac{\tau^2}{S}.$$

Each message carries variance τ², and only the local parts remain in the average:
$$\frac1S\sum_s \hat f_s=\frac1S\sum_s f(x_s)+\frac1S\sum_s g_s,\qquad
\operatorname{Var}=\frac{\tau^2}{S^2}\quad\text{instead of}\quad\frac{\tau^2}{S}.$$

The slider goes from the conventional scheme, f = 0, to CAPE, f = 1. It is the standard deviation of $$e_s$$ in parts of
CAPE's, the length of the blue bars. At equal noise of a message,
$$\operatorname{Var} e_s=f^2\Big(1-\tfrac1S\Big)\tau^2,\qquad
\operatorname{Var}\Big(\frac1S\sum_s g_s\Big)=\frac{\tau^2}{S}\Big(1-f^2\Big(1-\tfrac1S\Big)\Big).$$

To draw
$$e_s=\hat e_s-\tfrac1S\sum_j\hat e_j,\qquad \hat e_s\sim\mathcal N(0,\tau^2),$$
the sites need only the sum of their draws ê. Secure aggregation computes this sum without revealing any single draw.

If the target must hold against the aggregator, who sees all messages, CAPE's τ² is larger by $$2S/(S+1)$$, and with $$S_C$$
colluding sites by $$\tfrac{S}{S+1}\big(1+\tfrac{S}{S-S_C}\big)$$. The conventional scheme's τ stays.
"""


def script(plan: ProtocolPlan) -> str:
    """A program that draws all runs again, under each of the chosen schemes."""
    c = plan.settings
    terms = "".join(f", {name}={value!r}" for name, value in plan.terms)
    last = streams(plan.draws, together=plan.together)[-1][0][0]
    drawn = f"[([0, {STREAM}], 1), *(([batch, {STREAM}], {BATCH}) for batch in range(1, {last + 1}))]"
    if plan.together:
        drawn = f"[([{STREAM_TOGETHER}], {plan.draws})]"
    return f'''"""Averages of numbers of {c.sites} sites in {plan.draws} runs of the protocol under each scheme."""
import numpy as np

from core import SCHEMES, Privacy, release
from core.schemes import named

site_averages = np.array({plan.run.values.tolist()})  # of {c.samples} numbers in [0, 1] each
privacy = Privacy(epsilon={c.epsilon!r}, delta={c.delta!r})
streams = {drawn}  # of noise, with the number of runs that each draws

columns = {{"scheme": [], "predicted_std": [], "measured_std": [], "first_error": []}}
for scheme in {plan.chosen}:
    averages = []
    for stream, runs in streams:
        # Noise is independent over the entries of a statistic, so columns are independent runs.
        statistics = np.repeat(site_averages[:, None], runs, axis=1)
        rng = np.random.default_rng([{c.noise_seed}, SCHEMES.index(scheme), *stream])
        released = release(
            statistics, 1 / {c.samples}, privacy, scheme=scheme, rng=rng, calibration={c.calibration!r}{terms}
        )
        averages += released.value.tolist()
    errors = np.array(averages) - site_averages.mean()
    columns["scheme"].append(scheme)
    columns["predicted_std"].append(float(np.max(released.std)))
    bias = site_averages[0] - site_averages.mean() if named(scheme).one_site else 0.0
    columns["measured_std"].append(float(np.sqrt(np.mean((errors - bias) ** 2))))
    columns["first_error"].append(float(errors[0]))

for row in zip(*columns.values()):
    print("%-12s %12.6g %12.6g %12.6g" % row)
'''


def _absent(plan: ProtocolPlan) -> tuple[str, ...]:
    """The order has an effect only if a site drops out, and so few sites as have one order alone have no choice."""
    return () if plan.dropout is not None and plan.dropout.after is not None else ("order",)


PROTOCOL = Sheet(
    name="protocol",
    model=ProtocolModel,
    view=view,
    places={"play": 6, "averages": 3, "learned": 3, "dropout": 6},
    live={"play": Playing},
    shared=(
        "epsilon",
        "sites",
        "samples",
        "delta",
        "adversary",
        "colluding",
        "schemes",
        "calibration",
        "data_seed",
        "noise_seed",
    ),
    opens={"samples": 100, "sites": 5},  # So few that noise and differences between sites are of one size.
    absent=_absent,
    hidden=("step", "batches", "data_seed", "together"),
    sliders=("share", "epsilon", "sites", "samples", "colluding", "adversary"),
    presets=(
        # Noise seeds whose first run is typical: both averages are off by about a standard deviation.
        Preset("Five sites", _ONE | {"sites": 5, "epsilon": 1.0, "noise_seed": 1}),
        Preset("Two: the fewest", _ONE | {"sites": 2, "epsilon": 1.0, "noise_seed": 1}),
        Preset("A consortium of twenty", _ONE | {"sites": 20, "epsilon": 1.0, "noise_seed": 25}),
    ),
    equation=_EQUATION,
    code=("core.schemes.noise_design.design", "core.schemes.release"),
    script=script,
    work=Work(releases, noise_button=False),  # The play has a button, which plays again.
    sheet=SHEET,
)
