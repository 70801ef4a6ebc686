"""Power method under disturbances of four kinds: the largest size of each at which random starts succeed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import panel as pn
from bokeh.models import Span

from core import power
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.analyse.power_noise.model import (
    FOUND,
    NoiseModel,
    Plan,
    Trial,
    share,
    threshold_text,
    thresholds,
    tried,
)
from dashboard.plotting.comparison_curve import Curve
from dashboard.state.background_runs import Job
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import count_text, equals, number_text, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label

_LEAST = 5  # Runs: with fewer, bands would cover the curves of all kinds.
_LABELS = {"size": "‖E‖ / λ (operator norm)", "d": "width d"}
_ORDERS = {"adversarial": "1/d", "round": "1/√d", "weak": "1/√k", "quiet": "1/√k"}


class NoisePage(Page):
    """Success of Algorithm 1 against the size of disturbances of four kinds, with the orders that [Power] states."""

    name, title, group, icon = "power_noise", "Noise", "Analyse", "grain"
    tab_of = "power"
    heading = "Power method: noise"
    lead = "Noise is added to a cube of numbers. How large may noise of each kind be before the hidden directions are lost?"
    model_type = NoiseModel
    live = False
    no_release = "No record is used: the disturbances represent any noise."
    shared = ("repeats", "data_seed", "noise_seed")
    primary = "restarts"
    presets = (
        Preset(
            "Wide tensors tolerate quiet noise, not loud noise",
            {"axis": "d", "size": 0.3, "components": 1, "restarts": 4, "iterations": 15},
        ),
        Preset(
            "Round noise does the least harm",
            {"axis": "size", "d": 60, "components": 2, "restarts": 4, "iterations": 20},
        ),
        Preset(
            "More random starts help a little",
            {"axis": "size", "d": 40, "components": 2, "restarts": 20, "iterations": 20},
        ),
    )
    code = ("core.power.disturbance", "core.tensors.robust")
    equation = r"""
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
on whenever it is *loud* at random vectors. This order is no less than the first stated one and equals the second.
It contradicts the third: Gaussian noise with E(v_i, I, I) = 0 is loud. The method tolerates *quiet* disturbances, such
as other components, up to a size that falls no faster than 1/√ln d.
In code: `core.power.disturbances`, `core.tensors.robust`.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self._found: dict[tuple[str, int, float], list[bool]] = {}

    def body(self):
        self.curve = Curve(
            _LABELS["size"],
            "all components found, share of runs",
            x_log=True,
            height=400,
            schemes=power.KINDS,
        )
        self.pins = self.curve.pins
        self.curve.figure.y_range.update(start=-0.03, end=1.03)
        self._promises = {
            kind: Span(dimension="height", line_color=LOOKS[kind].colour, line_dash="dotted", line_width=2)
            for kind in ("adversarial", "round", "weak")
        }
        for span in self._promises.values():
            self.curve.figure.add_layout(span)
        self._table = pn.pane.HTML("", stylesheets=[css.FINE], **FULL)
        return bokeh_pane(self.curve.figure)

    def more(self):
        return self._table

    def begin(self, plan: Plan) -> list[Job] | None:
        self.said.absent = [plan.axis]
        if plan == self.picture and self.runs.state in ("running", "finished"):
            return None  # The changed setting has no effect along this axis.
        self._found = {}
        fixed = f"‖E‖ = {number_text(plan.size)} λ" if plan.axis == "d" else f"d = {plan.d}"
        text = f"{fixed}, k = {plan.components}, L = {plan.restarts}, R = {plan.iterations}"
        grid = {trial.d if plan.axis == "d" else trial.size for trial in plan.trials}
        self.curve.start(power.KINDS, text, grid=tuple(grid))
        self.curve.figure.xaxis.axis_label = _LABELS[plan.axis]
        self.show(plan)
        return [partial(tried, plan, trial) for trial in plan.trials]

    def draw(self, picture: Plan) -> None:
        for kind, span in self._promises.items():
            span.location = power.promised(kind, picture.d, picture.components)
            span.visible = picture.axis == "size"
        if picture.axis == "d":
            self._table.object = ""
            return
        reached = thresholds(self._found)
        rows = "".join(
            f"<tr><th scope='row'>{label(kind)}</th>"
            f"<td>{_ORDERS[kind]} = {number_text(power.promised(kind, picture.d, picture.components), digits=2)}</td>"
            f"<td>{threshold_text(reached.get(kind))}</td></tr>"
            for kind in power.KINDS
        )
        self._table.object = (
            "<div class='scroll'><table><thead><tr><th>disturbance</th><th scope='col'>stated order"
            "</th><th scope='col'>half of the runs succeed up to</th></tr></thead>"
            f"<tbody>{rows}</tbody></table></div><p>Dotted lines in the figure: the stated orders, "
            "with constant 1.</p>"
        )

    def words(self, picture: Plan) -> str:
        runs = picture.settings.repeats
        bands = f"from {_LEAST} on, bands: 95 %" if runs >= _LEAST else "too few for bands"
        repeats = f"({count_text(runs, 'run')} a point; {bands}.)"
        if picture.axis == "d":
            return self._words_along_width(picture, repeats)
        reached = thresholds(self._found)
        if len(reached) < len(power.KINDS):
            return paragraph("Computing the first runs …")
        texts = {kind: f"{threshold_text(value)} λ" for kind, value in reached.items()}
        return paragraph(
            f"At {equals('d', picture.d)} half of the runs succeed with <b>{texts['round']}</b> of round noise, "
            f"and with <b>{texts['adversarial']}</b> of noise along one direction."
        ) + rest(
            f"With Gaussian noise off the components it is {texts['weak']}, with quiet disturbances {texts['quiet']}. "
            "The curve along d shows that only this last threshold hardly depends on the width.",
            repeats,
        )

    def _words_along_width(self, picture, repeats):
        ends = {}
        for kind in ("adversarial", "weak", "quiet"):
            rates = [(d, np.mean(found)) for (k, d, _), found in sorted(self._found.items()) if k == kind]
            if len(rates) < len({trial.d for trial in picture.trials if trial.kind == kind}):
                return paragraph("Computing the first runs …")
            (narrow, first), (wide, last) = rates[0], rates[-1]
            ends[kind] = (
                f"from {percent_text(first)} at {equals('d', narrow)} to <b>{percent_text(last)}</b> at {equals('d', wide)}"
            )
        return paragraph(
            f"At the same norm, {number_text(picture.size)} λ, the success rate changes {ends['adversarial']} "
            f"with noise along one direction, and {ends['weak']} with Gaussian noise off the components."
        ) + rest(
            f"With quiet disturbances it changes {ends['quiet']}. "
            "The stated order 1/√k for weakly correlated noise holds for "
            "quiet noise, but not for noise that is loud at a random start.",
            repeats,
        )

    def guarantee(self, picture: Plan) -> Guarantee:
        return Guarantee(
            sentence="No record is used on this page and no privacy is promised: the disturbances represent any noise, "
            "including private noise (input perturbation is of the round kind).",
            unit="none",
            not_private=("the success rate, which is computed from the true components",),
        )

    def table(self) -> pd.DataFrame:
        rows = [(*point, float(np.mean(found)), len(found)) for point, found in sorted(self._found.items())]
        return pd.DataFrame(rows, columns=["kind", "d", "size", "success", "runs"])

    def script(self) -> str:
        return _script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return (self.curve.figure,)

    def paint(self, results: list[tuple[Trial, bool]]) -> None:
        for trial, found in results:
            self._found.setdefault((trial.kind, trial.d, trial.size), []).append(found)
        for kind in power.KINDS:
            found = sorted((d, size) for k, d, size in self._found if k == kind)
            points = [
                (d if self.plan.axis == "d" else size, *_banded(self._found[kind, d, size]))
                for d, size in found
            ]
            if points:
                self.curve.update(kind, *zip(*points, strict=True))
        self.show(self.plan)


def _banded(found):
    """The share of successes with the ends of its band, which has no width while the runs are few."""
    p, low, high = share(found)
    return (p, low, high) if len(found) >= _LEAST else (p, p, p)


def _script(plan: Plan) -> str:
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
        ).min() > {FOUND}
        for repeat in range({s.repeats})
    ]
    for name, value in zip(columns, (kind, d, size, float(np.mean(found)))):
        columns[name].append(value)
    print("%-12s d = %4d, size %6g: %.2f" % (kind, d, size, np.mean(found)))
'''
