"""Secure sum: one run of secure aggregation, message by message, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from core.secure_sum import AGGREGATOR
from core.sweep.workers import Call
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.trust.secure_sum import exchange
from dashboard.pages.trust.secure_sum.figures import SHEET, SecureSumFigures
from dashboard.pages.trust.secure_sum.model import CLIP, Plan, SecureSumModel, SecureSumPicture, run_protocol
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import count_text, number_text

_SILENT = {
    "keys": "before sending any keys",
    "shares": "before sharing any secrets",
    "input": "before sending an input",
    "unmask": "after sending an input",
}

_ALONE = rest(
    "Why not add up the sites' results like this, without CAPE? Their exact sum can reveal a patient, so noise is needed "
    "anyway, and cryptography alone would hide each result. CAPE adds up noise alone, before any result is sent: each "
    "result then has enough noise of its own for whoever sees it alone.",
    "<a href='?page=limits'>Compare the noise of both</a>",
)


class SecureSumPage(Page):
    """The messages, the aggregator's view, the recovery after dropouts, and the cost in bytes."""

    name = "secure_sum"
    model_type = SecureSumModel
    live = False
    first_figure = False
    shared = ("sites", "noise_seed")
    opens = {"sites": 6}  # noqa: RUF012 – rows and masks that can be told apart from a hall's last row and on a phone.
    hidden = ("step",)
    primary = "lost"
    first, at_once = ("sites", "threshold"), 2
    presets = (
        Preset(
            "Everybody sends",
            {"sites": 6, "entries": 1, "lost": 0, "threshold": 4, "step": 4},
        ),
        Preset(
            "Two sites drop out",
            {"sites": 6, "entries": 1, "lost": 2, "round": "input", "threshold": 4, "step": 4},
        ),
        Preset("Too many sites drop out", {"sites": 6, "entries": 1, "lost": 3, "threshold": 4, "step": 4}),
    )
    code = ("core.secure_sum.secure_sum",)
    equation = r"""
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

    def __init__(self, controls):
        super().__init__(controls)
        self.model.follow()

    def body(self):
        self._parts = SecureSumFigures(self.model, self._choose)
        return self._parts.drawn

    def _choose(self, name: str, number: int) -> None:
        """The button of the picture: the same run from its beginning."""
        if name == "play" and self._parts.play():
            self.show(self.picture)

    def more(self):
        return self._parts.below

    def still(self) -> str:
        return f"<style>{SHEET}</style>{self._parts.drawn.picture}"

    def begin(self, plan: Plan) -> list[Call] | None:
        """The run of these settings; None where only the number of steps shown changes."""
        self.said.param.update(absent=[] if plan.lost else ["round"], most=self.model.most)
        if self.picture is not None and plan == replace(self.picture.plan, step=plan.step):
            self.show(replace(self.picture, plan=plan))
            return None
        if self.picture is None:
            self._parts.wait(plan)
        return [Call(run_protocol, (plan,))]

    def paint(self, results: list) -> None:
        for result in results:
            if isinstance(result, SecureSumPicture):
                self.show(result)
            else:
                # The text of an earlier run would contradict the settings.
                self._parts.stop(self.plan, result)
                self.said.param.update(
                    problem="",
                    words=paragraph("The aggregator did not obtain a sum."),
                    pale=False,
                )

    def draw(self, picture: SecureSumPicture) -> None:
        self._parts.draw(picture)

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: SecureSumPicture) -> str:
        if not self._parts.plays:
            return _ALONE  # How it ends follows Play.
        plan, run = picture.plan, picture.run
        lost = ""
        if plan.lost:
            drop, be = ("drops", "is") if plan.lost == 1 else ("drop", "are")
            lost = (
                f" {count_text(plan.lost, 'site')} {drop} out {_SILENT[plan.round]} and {be} "
                f"{'still' if plan.round == 'unmask' else 'not'} in the sum."
            )
        # The picture's sentence is the one to read first, and both come with the sum.
        told = rest(
            f"Each single input looks random to the aggregator.{lost}",
            f"A share is a part of a site's secret key that another site holds; any {plan.threshold} shares restore it.",
            f"The aggregator sent and received {count_text(run.traffic(AGGREGATOR)[0], 'message')}, "
            f"{number_text(run.traffic(AGGREGATOR)[1] / 1e3)} kB; a site {number_text(run.traffic(0)[1] / 1e3)} kB.",
        )
        return _ALONE + told.replace(
            "class='rest'", f"class='rest after-play' style='animation-duration:{exchange.COMES}s'"
        )

    def guarantee(self, picture: SecureSumPicture) -> Guarantee:
        fewer = exchange.safe(picture)
        who = f"Fewer than {fewer} colluding sites, even with the aggregator, learn"
        if fewer < 2:
            who = "While no site colludes, the aggregator learns"
        return Guarantee(
            sentence=f"{who} nothing of the others' values but their sum, as long as all follow the protocol and its "
            "cryptography holds.",
            unit="a site's whole value. The protection is computational and not an (ε, δ) guarantee: the sum itself is "
            "public, and harmless only because it is noise",
            not_private=(
                "this figure: it shows values that nobody sees in the protocol",
                "the keys of this page, which come from a seed; real use takes them from the operating system",
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
