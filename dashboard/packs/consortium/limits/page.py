"""When does CAPE not help? Its noise beside the alternatives, at one true guarantee."""

from __future__ import annotations

from dashboard.packs.consortium.limits.model import AMPLITUDES, LimitsModel, Plan, calls
from dashboard.packs.consortium.limits.play import SHEET, Ring
from dashboard.packs.consortium.limits.view import view
from dashboard.page.lesson import Preset
from dashboard.sheet.spec import Sheet
from dashboard.sheet.work import Calls

_OFF = {"collusion": False, "silence": False, "unequal": False, "same": True, "amplitude": 1.0, "sites": 10}
_EQUATION = r"""
S equal sites, c colluders, r sites that drop out, h = S − c. Contributions ê_s have variance D, local noise γ; the
**amplitude** is a = D/(Sγ), and a = 1 as published. The aggregator and the colluders learn
$$\frac{\mu^2}{\Delta^2}=\frac1{D+\gamma}\Big(1+\frac{D}{\gamma\,h}\Big),\qquad
\operatorname{Var}=\frac{\gamma+D\,r/S}{S-r}.$$
At one guarantee, over the variance of a trusted curator,
$$\frac{S^2}{S-r}\cdot\frac{1+aS/h}{1+aS}\cdot(1+a\,r),\qquad
a^\ast=\frac1S\Big(\sqrt{(h-1)(S-r)/r}-1\Big).$$
a = 0 is independent noise. Secure aggregation has S²/((S − c − r)(S − r)). Without dropouts a larger a is always
better, and the factor tends to S/h. No Gaussian noise that equal sites agree on before they send has a smaller factor than
a* gives.

In the other order, a secure sum reveals Σê_s over those that sent, once, after the messages. Nothing of D stays, and
$$\frac{\mu^2}{\Delta^2}=\frac1{D+\gamma}\Big(1+\frac{D}{\gamma\,(h-r)}\Big),\qquad\operatorname{Var}=\frac{\gamma}{S-r},\qquad
r\le\tfrac12(S-c-1).$$
As D grows to its cap the factor tends to that of secure aggregation. With more dropouts two sums of one run could be
revealed.

Sources: [Cape]; for given numbers of colluders and dropouts, Vithana, Cadambe, Calmon and Jeong (CorDP-DME, 2024); noise on
a graph, Sabater, Bellet and Ramon (GOPA, 2022), Allouah et al. (2024); distributed noise under secure aggregation,
Kairouz, Liu and Steinke (2021).
"""


def script(plan: Plan) -> str:
    """A program that computes the curve along the amplitude."""
    asked, levels = plan.question, ("conventional", "cape-after", "secure")
    levels = tuple(scheme for scheme in levels if asked.allows(scheme))
    terms = "terms" if asked.capped == asked.terms else f"(terms | {{'cap': {asked.cap!r}}})"
    return f'''"""CAPE's noise over a trusted curator's along the amplitude, beside the other schemes."""
import numpy as np

from core.schemes import planned_std
from core.schemes.amplitude import design, worst_dropouts

sites, dropouts, terms = {asked.sites}, {asked.dropouts}, {asked.terms!r}
std = np.array({asked.std.tolist()!r})  # what each message needs
pooled = std.max() / sites

columns = {{"amplitude": [], "cape": []}}
for amplitude in np.geomspace({AMPLITUDES[0]!r}, {AMPLITUDES[-1]!r}, {len(AMPLITUDES)}):
    noise, _ = worst_dropouts(design(std, amplitude=float(amplitude), **terms), dropouts)
    columns["amplitude"].append(float(amplitude))
    columns["cape"].append((noise / pooled) ** 2)
for scheme in {levels!r}:
    print(scheme, (planned_std(scheme, std, silent=dropouts, **{terms}) / pooled) ** 2)
for row in zip(*columns.values()):
    print("%10.4g %10.5g" % row)
'''


def _absent(plan):
    asked = plan.question
    # Old links name a seed: nothing is drawn any more.
    return [
        "noise_seed",
        *([] if asked.colluding else ["colluders"]),
        *([] if asked.dropouts else ["silent"]),
    ]


LIMITS = Sheet(
    name="limits",
    model=LimitsModel,
    view=view,
    places={"ring": 3, "noise": 3, "amplitude": 3, "counted": 3},
    charts=("amplitude", "counted"),
    live={"ring": Ring},
    shared=("sites", "noise_seed"),
    sliders=("sites", "amplitude", "cap", "same", "unequal"),
    hidden=("collusion", "colluders", "silence", "silent"),  # The ring of sites has them.
    presets=(
        Preset("All send", {**_OFF}),
        Preset("1 drops out", {**_OFF, "silence": True, "silent": 1}),
        Preset("3 collude", {**_OFF, "collusion": True, "colluders": 3}),
        Preset(
            "3 collude, 4 drop out",
            {**_OFF, "collusion": True, "colluders": 3, "silence": True, "silent": 4},
        ),
    ),
    equation=_EQUATION,
    code=("core.schemes.variance_ratio", "core.schemes.best_amplitude", "core.schemes.noise_factor"),
    script=script,
    work=Calls(calls=calls, noise_button=False),
    absent=_absent,
    sheet=SHEET,
)
