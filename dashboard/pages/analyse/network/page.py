"""Network: a classifier trained by several sites, shown step by step, and its accuracy against ε."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import ClassVar

import pandas as pd
import panel as pn
from bokeh.models import FixedTicker, LogAxis

from core import Privacy, sweep
from core.schemes import SCHEMES, is_private
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs, observer
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_plan import compared, program
from dashboard.pages.analyse.network.figures import BOUNDARY, NetworkFigures
from dashboard.pages.analyse.network.model import (
    EPSILONS,
    NetworkModel,
    Plan,
    Watched,
    dots_step,
    fits,
    means,
    row,
)
from dashboard.pages.analyse.network.replay import Replay
from dashboard.plotting.guess import Measured
from dashboard.state.background_runs import Job
from dashboard.state.html_text import listed, paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, equals, number_text, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import label, subject

_KEY = "<p>One training each. Dots: records. Background: prediction.</p>"
_ENOUGH = 5  # Trainings whose mean is said, if not all are done.
_NAMES = {s: subject(s) for s in ("cape", "conventional")} | {"nonprivate": "training without privacy"}


class NetworkPage(Page):
    """Live trainings under all schemes from one start; then accuracy along ε, with the composed ε."""

    name, title, group, icon = "network", "Neural network", "Analyse", "share"
    lead = "Every step of the training releases a noisy gradient. Which decision boundary does each scheme learn?"
    model_type = NetworkModel
    live = False
    guessable = figure_below = True
    shared, primary = compared("k"), "epsilon"
    # At ε = 1 all boundaries but that of one site look alike; here one training is in the order of the means.
    opens: ClassVar = {"epsilon": 0.2, "sites": 20, "samples": 300}
    first = ("data", "sites", "steps")
    presets = (
        Preset(
            "At the same ε, CAPE ends with the better boundary",
            {"data": "moons", "budget": "total", "epsilon": 0.2, "delta": 1e-5, "sites": 20, "samples": 300}
            | {"steps": 100, "hidden": 16, "clip": 1.0, "learning_rate": 2.0, "batches": 1}
            | {"calibration": "exact"},
        ),
        Preset(
            "A small ε in every step adds up",
            {"data": "rings", "budget": "step", "epsilon": 0.2, "delta": 1e-5, "sites": 10, "samples": 300}
            | {"steps": 200, "hidden": 16, "clip": 1.0, "learning_rate": 2.0, "batches": 1}
            | {"calibration": "exact"},
        ),
        Preset(
            "The paper's Figure 2(b), as published",
            {"data": "classes", "budget": "step", "epsilon": 0.03, "delta": 1e-2, "sites": 4, "samples": 1750}
            | {"steps": 100, "hidden": 5, "clip": 1.0, "learning_rate": 0.5, "batches": 1}
            | {"calibration": "published"},
        ),
    )
    code = ("core.network.steps", "core.network.model.gradient")
    equation = r"""
$$\hat y=\sigma\big(w_2^{\top}\,\mathrm{ReLU}(W_1x+b_1)+b_2\big),\qquad
\theta\leftarrow\theta-\frac{\eta}{S}\sum_{s=1}^{S}\Big(\frac1{n_s}\sum_{n}\operatorname{clip}_C(\nabla\ell_n)+e_s+g_s\Big),
\quad\sum_se_s=0$$

Each record's gradient, over all parameters at once, is shortened to length C. Replacing one record then changes a
site's average by at most $$\Delta=2C/n_s$$. T steps compose exactly: $$\mu^2=\sum_t\mu_t^2=T\mu_1^2$$, and from μ
follow all pairs (ε, δ). With B batches a record is used in every B-th step only. No amplification by sampling is
claimed. In code: `core.network.train`; source: [Cape] section 5.1. Its program divided gradients by the batch
size twice, so only the ranking of its curves is comparable with ours.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.sweep = Sweep(
            self,
            means=means,
            cost=cost,
            fits=fits,
            run=row,
            measured=_measured,
            printed=attrgetter("judged_on"),
            arrived=self._keep,
        )
        self.replay = Replay(self._choose)
        self._drawn: dict[str, Watched] = {}
        self._begun: Plan | None = None

    def body(self):
        self.curve = self.sweep.build("ε", "accuracy, %", height=400, schemes=SCHEMES)
        self._other = LogAxis(
            ticker=FixedTicker(ticks=list(EPSILONS[::2])),  # Its numbers are long.
            axis_label_text_font_style="normal",
            minor_tick_line_color=None,
        )
        self.curve.figure.add_layout(self._other, "below")
        self.details = NetworkFigures(SCHEMES)
        self._key = pn.pane.HTML(_KEY, stylesheets=[css.FINE], **FULL)
        return Stack(self.details.boundaries, self._key, self.replay.view, **FULL)

    def more(self):
        self.content()
        curve = bokeh_pane(self.curve.figure), self.sweep.printed.pane
        return Stack(self.details.courses, *curve, **FULL)

    def begin(self, plan: Plan) -> list[Job]:
        if self.picture is None:
            self.details.announce(plan)
        self.replay.begin(plan)
        return self.sweep.begin(plan)

    def draw(self, picture: Plan) -> None:
        self.replay.follow()
        watched = self.replay.at()
        if self._begun is not picture and watched:
            self._begun, self._drawn = picture, {}
            self.details.begin(picture, next(iter(watched.values())).dots)
            self._label_axes(picture)
            self._key.visible = self.details.boundaries.visible
        for scheme, found in watched.items():
            if self._drawn.get(scheme) is not found:
                self._drawn[scheme] = found
                self.details.draw(found, picture.judged_on)
        if watched:  # At once: the sentence is of the step that the picture shows.
            self.said.words = self.words(picture)

    def settled(self, picture: Plan) -> bool:
        return self._begun is picture  # What the training before left is gone.

    def clear(self) -> None:
        super().clear()
        self.replay.clear()

    def _keep(self, name, found):
        self.replay.add(name, found)

    def _choose(self):
        """Show the step of the training that the user chose."""
        if self.picture is not None and not (self.said.old or self.said.pale):
            self.draw(self.picture)

    def words(self, picture: Plan) -> str:
        watched = self.replay.at()
        if not watched:
            return paragraph("Computing the first steps …")
        epsilon, total = picture.settings.epsilon, picture.budget == "total"
        far = max(found.step.number for found in watched.values())
        which = "unseen" if picture.judged_on == "test" else "training"
        after = f"Correct on {which} records after {count_text(far, 'step')}"
        one = {
            s: getattr(watched[s], picture.judged_on) for s in [s for s in _NAMES if s in watched] or watched
        }
        count, mean = self._mean(picture, one) if far == picture.steps else (0, {})
        if mean:
            drawn = listed([percent_text(right) for right in one.values()])
            first = (
                f"{after}, on average over {count_text(count, 'training')}: {_rights(mean)}. "
                f"The pictures show one of them: {drawn}."
            )
        else:
            first = f"{after}, one training each: {_rights(one)}."
        if total:
            second = _share_of_a_step(picture)
        else:
            second = (
                f"{equals('ε', epsilon)} for every step composes to <b>"
                f"{equals('ε', picture.total_epsilon(epsilon))}</b> for all {picture.steps}, at the same δ, "
                f"against {_against(picture)}."
            )
        spread = self.sweep.spread() if self.sweep.plan is picture else ""
        below = f"The last curve joins means. {spread}" if spread else ""
        return paragraph(first) + rest(second, _by_chance(one, mean), below)

    def _mean(self, picture, shown):
        """How many trainings the curve has at the present ε, and their mean accuracies; (0, {}) while these are few."""
        means = self.sweep.means if self.sweep.plan is picture else None
        if means is None:
            return 0, {}
        here = means[means[picture.axis] == picture.here[picture.axis]].set_index("scheme")
        private = [s for s in shown if is_private(s)]
        if not private or not shown.keys() <= set(here.index):
            return 0, {}
        count = int(here.loc[private, "repeats"].min())
        if count < max(2, min(_ENOUGH, picture.settings.repeats)):
            return 0, {}
        return count, {s: float(here.loc[s, "mean"]) / 100 for s in shown}

    def guarantee(self, picture: Plan) -> Guarantee:
        s = picture.settings
        asked = Privacy(s.epsilon, s.delta)
        if picture.budget == "total":
            nominal, calibration = asked, s.calibration
            lead = f"All {picture.steps} steps together:"
        else:
            # The guarantee of the whole training follows from the exact composition of its steps.
            nominal, calibration = Privacy(max(picture.total_epsilon(s.epsilon), 1e-9), s.delta), "exact"
            lead = f"Each step has {equals('ε', s.epsilon)}; all {picture.steps} together:"
        found = guarantees.exposures(
            picture.shown,
            nominal,
            sites=s.sites,
            colluding=s.colluding,
            calibration=calibration,
            terms=guarantees.terms_of(picture.here),
        )
        words = guarantees.sentence(
            nominal, found, terms=guarantees.terms_of(picture.here), colluding=s.colluding
        )
        return Guarantee(
            sentence=f"{lead} {words[0].lower()}{words[1:]}",
            nominal=nominal,
            colluding=s.colluding,
            exposures=found,
            unit=f"{picture.source.unit} at one site, features and label, replaced by any other; the number "
            "of records is public",
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        source, total = picture.source, picture.here["samples"] * picture.here["sites"]
        answer = "the non-private training; losses and accuracies, which are computed from the records"
        found = [Unprotected("answer", answer)]
        if source.note:
            found.append(Unprotected("ranges", source.note))
        if source.window is not None:
            count = count_text(len(range(0, total, dots_step(total))), "training record")
            dots = f"{count} of {source.title}, drawn as dots on the boundaries"
            found.append(Unprotected("records", dots, BOUNDARY))
        return tuple(found)

    def table(self) -> pd.DataFrame:
        means, plan = self.sweep.means, self.plan
        if means is None:
            return pd.DataFrame({"scheme": [], "epsilon": [], "mean": []})
        means.insert(2, "epsilon_total", [plan.total_epsilon(e) for e in means.epsilon])
        means.insert(2, "epsilon_step", [plan.step_epsilon(e) for e in means.epsilon])
        return means

    def script(self) -> str:
        return _script(self.plan or self.compute())

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, *self.details.figures

    def _label_axes(self, plan):
        total = plan.budget == "total"
        asked, other = (
            ("all steps together", "one step alone") if total else ("one step", "all steps together")
        )
        self.sweep.mark_here(f"ε for {asked}")
        self.curve.figure.yaxis.axis_label = (
            f"accuracy on {'unseen' if plan.judged_on == 'test' else 'training'} records, %"
        )
        self._other.axis_label = f"… which is ε for {other}, at the same δ"
        values = [plan.step_epsilon(e) if total else plan.total_epsilon(e) for e in EPSILONS]
        self._other.major_label_overrides = {
            e: number_text(v, digits=2) for e, v in zip(EPSILONS, values, strict=True)
        }


def _rights(shares):
    """Shares of correct records in words, those of private schemes in bold."""
    return listed(
        [
            f"{_NAMES.get(s, label(s))} "
            + ("<b>{}</b>" if is_private(s) else "{}").format(percent_text(right))
            for s, right in shares.items()
        ]
    )


def _by_chance(one, mean):
    """Why CAPE is ahead of training without privacy in the pictures, if it is: these are single trainings."""
    if not {"cape", "nonprivate"} <= one.keys() or one["cape"] <= one["nonprivate"]:
        return ""
    if percent_text(one["cape"]) == percent_text(one["nonprivate"]):
        return ""
    if mean and mean["cape"] <= mean["nonprivate"]:
        return "In the pictures, CAPE is ahead of training without privacy by chance."
    return "In the pictures, the noise has put CAPE ahead of training without privacy."


def _share_of_a_step(plan):
    each, epsilon = plan.step_epsilon(plan.settings.epsilon), equals("ε", plan.settings.epsilon)
    part = equals("ε", each) if each > 0 else f"less than {equals('δ', plan.settings.delta)} at ε = 0"
    return f"{epsilon} for all {plan.steps} steps, against {_against(plan)}, allows {part} for each step."


def _against(plan):
    """The observer for whom the privacy target is meant."""
    return observer.name(plan.settings.adversary, plan.settings.colluding)


def _measured(plan: Plan) -> Measured:
    return Measured("how many per cent of the records does {} classify correctly?", 0, 100, unit=" %")


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, a whole training, for the ledger."""
    # A target for every step is spent once for each use of a record.
    wide = 1.0 if plan.budget == "total" else math.sqrt(plan.visits)
    data = ledger_costs.data_name(plan.source, job)
    return ledger_costs.of_job(job, data=data, calibration=plan.settings.calibration, understated=wide)


def _script(plan: Plan) -> str:
    p = plan.problem
    options = (
        f"data_settings={p.data_settings!r},\n    options={p.options!r},\n    start_seed={p.start_seed},"
    )
    return program(
        plan,
        title=f"Accuracy of a privately trained network along ε: {plan.source.title}.",
        imports="from core import network, sweep\nfrom data.catalogue.labelled import load_classes",
        problem=f"network.Problem(\n    load_classes,\n    {options}\n)",
        measure=plan.judged_on,
        factor=100,
    )
