"""Secure sum: one run of secure aggregation, message by message, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from core.secure_sum import AGGREGATOR
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.trust.secure_sum.figures import SecureSumFigures
from dashboard.pages.trust.secure_sum.model import CLIP, Plan, SecureSumModel, SecureSumPicture, run_protocol
from dashboard.state.background_runs import Job
from dashboard.state.html_text import paragraph
from dashboard.state.number_text import count_text, number_text

_SILENT = {
    "keys": "before sending any keys",
    "shares": "before sharing any secrets",
    "input": "before sending an input",
    "unmask": "after sending an input",
}


class SecureSumPage(Page):
    """What is sent, what the aggregator sees, how lost sites are recovered, and the cost in bytes."""

    name, title, group, icon = "secure_sum", "Secure sum", "Trust", "lock"
    tab_of = "sites"
    heading = "Secure sum"
    lead = "Zero-sum noise needs the sum of what the sites draw. Nobody may see the terms."
    model_type = SecureSumModel
    live = False
    no_release = "Its values are made-up noise, and hidden by cryptography, which is no (ε, δ)."
    shared = ("sites", "noise_seed")
    hidden = ("step",)
    primary = "lost"
    presets = (
        Preset("Only the sum is seen", {"sites": 10, "entries": 100, "lost": 0, "threshold": 7, "step": 4}),
        Preset(
            "Two sites fall silent, the sum survives",
            {"sites": 10, "entries": 100, "lost": 2, "round": "input", "threshold": 7, "step": 4},
        ),
        Preset("Too many are lost", {"sites": 10, "entries": 100, "lost": 4, "threshold": 7, "step": 4}),
    )
    code = ("core.secure_sum.secure_sum",)
    equation = r"""
Site u rounds its clipped value at random to whole multiples of a step, an element x_u of the integers modulo 2⁶⁴,
and sends
$$y_u=x_u+\mathrm{PRG}(b_u)+\sum_{v>u}\mathrm{PRG}(s_{uv})-\sum_{v<u}\mathrm{PRG}(s_{uv})\pmod{2^{64}},$$
with a seed b_u of its own and keys s_uv that it agreed with every other site. The pairwise masks cancel in the sum.

Both secrets are split by Shamir's scheme, any t shares of which recover them:
$$p(z)=\text{secret}+a_1z+\dots+a_{t-1}z^{t-1},\qquad\text{share }v=p(v).$$
For a site whose input arrived the others hand over shares of b_u; for one that fell silent, of its mask key; never
of both. Bonawitz et al. 2017, for parties who follow the protocol; [Cape] Algorithm 1 calls it.

**Cost** ([Cape], Table 1): S + d for a site, S² + S·d for the aggregator.
"""

    def body(self):
        self._parts = SecureSumFigures(self.model)
        return self._parts.layout

    def more(self):
        return self._parts.below

    def begin(self, plan: Plan) -> list[Job] | None:
        """The run that the settings ask for; None where the present one is only painted up to another step."""
        self.said.absent = [] if plan.lost else ["round"]
        if self.picture is not None and plan == replace(self.picture.plan, step=plan.step):
            self.show(replace(self.picture, plan=plan))
            return None
        return [partial(run_protocol, plan)]

    def paint(self, results: list) -> None:
        for result in results:
            if isinstance(result, SecureSumPicture):
                self.show(result)
            else:
                # Words of an earlier run would contradict it.
                self._parts.fade(stale=True)
                earlier = "The pale picture is of the last run that came through." if self.picture else ""
                self.said.param.update(
                    problem=f"The protocol stopped: {result}.",
                    words=paragraph("The aggregator has no sum.", earlier),
                )

    def draw(self, picture: SecureSumPicture) -> None:
        self._parts.draw(picture)

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: SecureSumPicture) -> str:
        plan, run = picture.plan, picture.run
        error = np.abs(run.total - plan.values.clip(-CLIP, CLIP)[list(run.included)].sum(axis=0)).max()
        lost = ""
        if plan.lost:
            verb = "is" if plan.lost == 1 else "are"
            lost = (
                f" {count_text(plan.lost, 'site')} fell silent {_SILENT[plan.round]} and {verb} "
                f"{'still' if plan.round == 'unmask' else 'not'} in the sum."
            )
        return paragraph(
            f"The aggregator has the sum of <b>{count_text(len(run.included), 'value')}</b>, off by "
            f"{number_text(float(error))} at most (bound {number_text(run.error_bound)}), and numbers that look like "
            f"chance for each.{lost}",
            f"It took {count_text(run.traffic(AGGREGATOR)[0], 'message')} and "
            f"<b>{number_text(run.traffic(AGGREGATOR)[1] / 1e3)} kB</b> at the aggregator, "
            f"{number_text(run.traffic(0)[1] / 1e3)} kB at a site.",
        )

    def guarantee(self, picture: SecureSumPicture) -> Guarantee:
        return Guarantee(
            sentence=f"Fewer than {picture.plan.threshold} colluding sites, even with the aggregator, learn nothing of "
            "the others' values but their sum, as long as all follow the protocol and its cryptography holds.",
            unit="a site's whole value; this hides it computationally, which is no (ε, δ): the sum itself is in "
            "the open, and harmless only because it is noise",
            not_private=(
                "this picture itself: it uncovers values that in the protocol nobody sees",
                "the keys of this page, which a seed makes repeatable; real use takes them from the system",
            ),
        )

    def table(self) -> pd.DataFrame:
        if self.picture is None:
            return pd.DataFrame({"site": [], "value": [], "received": [], "bytes": []})
        return pd.DataFrame(
            {
                "site": range(1, self.picture.plan.sites + 1),
                "value": self.picture.values,
                "received": self.picture.received,
                "bytes": self.picture.bytes_sent,
            }
        )

    def script(self) -> str:
        plan = self.picture.plan if self.picture is not None else self.model.plan()
        return f'''"""A secure sum over {plan.sites} sites: each one's value, its input as it arrived, and its traffic."""
import numpy as np

from core.secure_sum import secure_sum

values = np.random.default_rng([{plan.seed}, 0]).standard_normal(({plan.sites}, {plan.entries}))
run = secure_sum(
    values,
    clip={CLIP},
    threshold={plan.threshold},
    silent={plan.silent},
    rng=np.random.default_rng([{plan.seed}, 1]),  # leave out for keys from the system
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
