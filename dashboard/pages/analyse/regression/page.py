"""Regression: the functional mechanism under every scheme, beside other methods, streamed while it is computed."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
from bokeh.models import Label

from core import Privacy, functional, sweep
from core.functional.losses import named
from core.schemes import is_private
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.dot_panels import DotPanels, still
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.own_table.description import Choice
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs, openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.own_table import OwnTable
from dashboard.page.played import Reached
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_plan import compared, means_text, program
from dashboard.pages.analyse.regression.figures import PREDICTION, RegressionFigures
from dashboard.pages.analyse.regression.model import (
    AXES,
    MEASURES,
    PERCENT,
    Plan,
    RegressionModel,
    drawn_rows,
    fits,
    means,
)
from dashboard.pages.analyse.regression.predictions import (
    kept,
    kept_text,
    predictions,
    rival,
)
from dashboard.plotting.figure import rule
from dashboard.problems.setup import absent_for, axis_for, fewer_text, most_for
from dashboard.state.background_runs import Job
from dashboard.state.html_text import listed, paragraph, plain, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, equals, number_text, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import QUIET, ink, label, pictured, subject
from data.upload.table import shown

_MOST = 0.9  # Of the gain without noise, for the sentence after a play.
_DATA_BOUNDS = "Not covered: bounds were computed from the records. The following treats them as public."


class RegressionPage(Page):
    """Predictions of every scheme's released model, and their loss along one setting."""

    name, title, group, icon = "regression", "Regression", "Compare", "show_chart"
    tab_of = "pca"
    lead = "Sites fit one model together and add noise to what they share. How well does it still predict?"
    model_type = RegressionModel
    live = False
    figure_below = follows = True
    plays_over = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # Below ε = 0.15 every scheme predicts about the mean.
    shared, hidden, primary = compared("k"), ("data", "own_records"), "epsilon"
    first = ("sites", "samples", "dimension")
    presets = (
        Preset(
            "Five hospitals fit as well as one curator",
            {"data": "linear", "axis": "epsilon", "measure": "lost", "epsilon": 1.0, "delta": 1e-5}
            | {"sites": 5, "samples": 2000, "dimension": 20, "noise": 0.05, "repair": "shrink"}
            | {"calibration": "exact"},
        ),
        Preset(
            "442 patients are too few",
            {"data": "diabetes", "axis": "epsilon", "measure": "loss", "epsilon": 2.0, "delta": 1e-3}
            | {"sites": 4, "samples": 110, "repair": "shrink", "calibration": "exact"},
        ),
        Preset(
            "The paper's Figure 7(b), as published",
            {"data": "linear", "axis": "epsilon", "measure": "error", "epsilon": 1.0, "delta": 1e-5}
            | {"sites": 5, "samples": 4000, "dimension": 20, "noise": 0.0, "calibration": "published"}
            | {"curators": ["dpfm", "objpert"]},
        ),
    )
    code = ("core.functional.fit", "core.functional.losses.MarginLoss")
    equation = r"""
$$f_D(w)=\Lambda_0+\Lambda_1^{\top}w+w^{\top}\Lambda_2w,\qquad
\hat\Lambda_j=\frac1S\sum_{s=1}^{S}\big(\Lambda_j^{s}+E_j^{s}+G_j^{s}\big),\quad \sum_sE_j^s=0,\qquad
\hat w=\arg\min_{\|w\|_\infty\le B}\hat f_D(w)$$

Linear: $$\Lambda_1=-\tfrac2NX^{\top}y,\ \Lambda_2=\tfrac1NX^{\top}X$$. Logistic, by Taylor to degree two:
$$\Lambda_1=\tfrac1NX^{\top}(\tfrac12-y),\ \Lambda_2=\tfrac1{8N}X^{\top}X$$. For $$\|x\|_2\le1$$ one replaced
record changes $$\big(\Lambda_1/\Delta_1,\ \Lambda_2/\Delta_2\big)$$ together by at most $$1.25/n_s$$, with
$$\Delta_1=4,\ \Delta_2=\sqrt2$$ (linear) or $$1,\ \sqrt2/8$$ (logistic): one release, one budget. *Published*
gives each of $$\Lambda_0,\Lambda_1,\Lambda_2$$ the whole $$(\varepsilon,\delta)$$, so that the true μ is 1.5
(1.25) times larger, uses the classical τ, and minimises over the box as it is. *Shrink* divides by
$$a+\kappa^2/a$$ instead of an eigenvalue a of $$\hat\Lambda_2$$, where κ is the public noise level.
In code: `core.functional.fit`; source: [Cape] section 4 and appendix H.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.own_table = OwnTable(self, suited=self._suited)
        self.sweep = Sweep(
            self,
            means=means,
            cost=cost,
            fits=fits,
            together=lambda plan: pictured(plan.shown),
            scale=_scale,
            printed=attrgetter("measure"),
        )

    @classmethod
    def warm(cls) -> None:
        openings.prepare(cls)

    def above_settings(self):
        return self.own_table.bar()

    def before(self):
        return self.own_table.place

    def body(self):
        self.curve = self.sweep.build(
            AXES["epsilon"].label, MEASURES["loss"], y_log=True, schemes=functional.MECHANISMS
        )
        figure = self.curve.figure
        self._zero = rule(figure, "width", visible=False)
        self._zero_text = Label(
            x=1,
            y=1,
            text_align="right",
            text="",
            text_font_size="12px",
            text_color=ink(dark=False, quiet=True),
            text_baseline="bottom",
            tags=[QUIET],
            visible=False,
        )
        figure.add_layout(self._zero_text)
        self.details = RegressionFigures(functional.MECHANISMS)
        self.panels = DotPanels()
        self.counted = LiveText(css.FINE)
        return Stack(self.panels, **FULL)

    def still(self) -> str:
        return still(self.panels.state)

    def more(self):
        self.content()
        curve = bokeh_pane(self.curve.figure), self.sweep.printed.pane, self.counted.pane
        return Stack(*curve, self.details.view, **FULL)

    def begin(self, plan: Plan) -> list[Job]:
        jobs = self.sweep.begin(plan)
        if self.said.old or not self.panels.state:
            self.panels.begin(predictions(plan, self.sweep.spots))
            self.counted.show("")
        return jobs

    def clear(self) -> None:
        super().clear()
        if self._body is not None:
            self.panels.state = {}

    def absent(self, plan: Plan) -> list[str]:
        absent = [] if plan.source.synthetic else ["dimension"]
        absent += ["response", "labels", "dots"] if plan.source.name != "own" else _settled(plan)
        absent += absent_for(plan.source)
        absent += [] if plan.source.name == "linear" else ["noise"]
        return absent + (["repair"] if plan.settings.calibration == "published" else [])

    def most(self, plan: Plan) -> dict[str, int]:
        return most_for(plan.source, plan.here)

    def draw(self, picture: Plan) -> None:
        figure = self.curve.figure
        self.sweep.mark_here(AXES[picture.axis].label)
        figure.yaxis.axis_label = MEASURES[picture.measure]
        if not self.sweep.spots:
            return
        found = next(iter(self.sweep.spots.values())).records
        # The line to beat: a prediction that knows no record, or one that knows no feature.
        constant = picture.measure in ("loss", "lost")
        level = {"loss": found.base, "error": found.zero["error"]}.get(picture.measure, 100.0)
        whose = rival(picture) if constant else "predicting with w = 0"
        self._zero.update(location=level, visible=True)
        self._zero_text.update(x=max(AXES[picture.axis].values), y=level, text=whose, visible=True)
        self.panels.show(predictions(picture, self.sweep.spots))
        # While the slider moves only the panels follow; the figures below come with the last fit.
        if len(self.sweep.spots) == len(picture.shown) or self.said.old:
            self.details.draw(picture, found, self.sweep.spots)

    def words(self, picture: Plan) -> str:
        if not self.sweep.spots:
            return self.sweep.meanwhile(picture, paragraph("Computing the first answers …"))
        spots = {m: s for m, s in self.sweep.spots.items() if is_private(m)}
        self.counted.show(self._fine(picture))
        if not spots:
            at = equals("ε", picture.settings.epsilon)
            return paragraph(
                f"At {at}{_predicted(picture)}, only the non-private fit is shown. The others are compared with it."
            )
        spots = {m: s for m, s in spots.items() if m in pictured(picture.shown)} or spots
        where = guarantees.where(picture.settings, picture.here, about=_predicted(picture))
        own = not picture.common
        many = means_text(picture.settings.repeats, drawn="the dots show", own=own)
        return paragraph(f"{where} {_kept(spots, rival(picture))}.") + rest(_shrinks(picture), many)

    def reached(self, picture: Plan) -> Reached | None:
        spots = {m: s for m, s in self.sweep.spots.items() if m in pictured(picture.shown) and is_private(m)}
        who = {subject(m): round(kept(spot), 2) >= _MOST for m, spot in spots.items()}
        most = f"{_MOST:.0%}".replace("%", "\u00a0%")
        return Reached(f"at least {most} as good as the fit without noise:", who, short=f"{most} as good")

    def _fine(self, picture):
        """How the kept share is computed, and what else a reader needs who computes it again."""
        found = self.sweep.spots
        method = next((m for m in ("cape", "conventional", *found) if m in found and is_private(m)), None)
        counted = "" if method is None else _counted(picture, label(method), found[method])
        about, fewer = f"Records: {plain(picture.source.title)}.", ""
        if picture.axis != "samples":
            fewer = fewer_text(picture.here["samples"], picture.settings.samples)
        return f"<p>{' '.join(filter(None, (counted, about, fewer, self.sweep.spread())))}</p>"

    def guarantee(self, picture: Plan) -> Guarantee:
        s, loss = picture.settings, named(picture.source.response)
        privacy = Privacy(s.epsilon, s.delta)
        published = s.calibration == "published"
        # Weighted by their shares n_s/N, sites of unequal size reveal exactly what equal ones do.
        sites = picture.here["sites"]
        colluding = min(s.colluding, sites - 1)
        found = guarantees.exposures(
            picture.shown,
            privacy,
            sites=sites,
            colluding=colluding,
            calibration=s.calibration,
            understated=loss.joint_all if published else 1.0,
            terms=guarantees.terms_of(picture.here),
        )
        pure = [label(m) for m in ("dpfm", "objpert") if m in picture.shown]
        sentence = (
            guarantees.sentence(privacy, found, terms=guarantees.terms_of(picture.here), colluding=colluding)
            if found
            else ""
        )
        if pure:
            one = f"{listed(pure)}: pure {equals('ε', s.epsilon)}, but one curator holds all records."
            sentence = f"{sentence} {one}".strip()
        table = self.model.table
        if sentence and (picture.source.note if table is None else not table.public_bounds):
            sentence = f"{_DATA_BOUNDS} {sentence}"
        open_points = []
        if published:
            open_points.append(
                f"the published form gives each coefficient the whole budget: μ is {number_text(loss.joint_all)} "
                "times the promised one; the exact δ below account for this"
            )
        return Guarantee(
            sentence=sentence or "Nothing private is shown.",
            nominal=privacy,
            colluding=colluding,
            exposures=found,
            unit=f"{picture.source.unit} at one site, features and response, replaced by any other; "
            "the number of records is public",
            not_private=tuple(open_points),
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        source = picture.source
        answer = "the non-private answer; all losses and errors, which are computed from the records"
        found = [Unprotected("answer", answer), *self.own_table.unprotected()]
        if source.note:
            found.append(Unprotected("ranges", source.note))
        found += guarantees.chosen(picture.settings.repeats, "a loss", own=not picture.common)
        if picture.dots:
            total = int(np.sum(picture.here["samples"])) * (1 if source.sizes else picture.here["sites"])
            count = len(range(total)[drawn_rows(total, own=not picture.common)])
            dots = f"{count_text(count, 'record')} of {source.title}, drawn as dots with their predictions"
            found.append(Unprotected("records", dots, PREDICTION))
        return tuple(found)

    def script(self) -> str:
        return _script(self.plan or self.compute(), self.own_table.chosen)

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, *self.details.figures

    def _suited(self, table):
        return (
            self.model.suited_response(table)
            | axis_for(table.source, self.model.axis)
            | {"measure": "lost", "feature": 1}
        )


def _kept(spots, rival):
    """How good the schemes are, in the order of the pictures, and which of them are no better than the `rival`."""
    subjects = {scheme: subject(scheme) for scheme in ("cape", "conventional", "local")}
    if not subjects.keys() & spots:
        subjects = {method: label(method) for method in spots}
    parts, good = [], [m for m in subjects if m in spots and kept(spots[m])]
    for method in good:
        share = kept_text(kept(spots[method]))
        share = share if method == "local" and parts else f"<b>{share}</b>"
        who = subjects[method]
        parts.append(f"{who} {share}" if parts else f"{who} is {share} as good as the fit without noise")
    for worse, than in ((False, "no better"), (True, "worse")):
        none = [subjects[m] for m in subjects if m in spots and m not in good and spots[m].worse == worse]
        if none:
            parts.append(f"{listed(none)} {'are' if len(none) > 1 else 'is'} {than} than {rival}")
    return "; ".join([", ".join(parts[: len(good)])] * bool(good) + parts[len(good) :])


def _counted(plan, who, spot):
    """The kept share of one scheme from its average losses."""
    records = spot.records
    zero, best, loss = (number_text(x, digits=4) for x in (records.base, records.best, spot.figures["loss"]))
    share = kept(spot)
    result = (
        f"= {kept_text(share) if share >= 0.005 else percent_text(share, digits=2)}" if share else "&lt; 0"
    )
    return (
        f"Average loss: {zero} by {rival(plan)}, {best} without noise, {loss} with {who}, the mean of "
        f"{count_text(len(spot.coefficients), 'release')}. {who}: "
        f"({zero} − {loss}) / ({zero} − {best}) {result}."
    )


def _shrinks(picture):
    """Why predictions under noise are flat."""
    if dict(picture.problem.options).get("repair") != "shrink":
        return ""
    return (
        "Where noise dominates, the fit shrinks and predicts nearly the same for everyone; stretched, its noise would "
        "grow as much."
    )


def _scale(plan: Plan) -> tuple[float, float]:
    if plan.measure in PERCENT:
        return 0.01, 1000
    return 1e-6 if plan.measure == "error" else 1e-4, 10


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    source, s = plan.source, plan.settings
    data = ledger_costs.data_name(source, job)
    if job.scheme in ("dpfm", "objpert"):
        return ledger_costs.of_curator(job, data=data, pure=dict(job.settings)["epsilon"])
    wide = named(source.response).joint_all if s.calibration == "published" else 1.0
    return ledger_costs.of_job(job, data=data, calibration=s.calibration, understated=wide)


def _settled(plan):
    """Controls that the column to predict leaves no choice of."""
    found = plan.problem.load
    return ["labels"] if found.table.parts[found.response].two_valued else []


def _predicted(plan):
    """The name of the response column of a user's own table, escaped."""
    if plan.source.name != "own":
        return ""
    found = plan.problem.load
    return f", predicting <b>{plain(shown(found.table.parts[found.response].column))}</b>"


def _script(plan: Plan, own: Choice | None) -> str:
    title, paths, load = f": {plan.source.title}", "", "from data.catalogue.labelled import load"
    if own is not None:
        found = plan.problem.load
        column = f"response={found.response}, labels={found.labels}, boxed={found.boxed}"
        title, paths = " of your own table", own.standard
        load = (
            f"from data.catalogue.labelled import LabelledTable\n{own.imports}\n\n"
            f"{own.code()}\nload = LabelledTable(load, {column})"
        )
    p = plan.problem
    options = f"data_settings={p.data_settings!r},\n    loss={p.loss!r},\n    options={p.options!r},"
    return program(
        plan,
        title=f"{MEASURES[plan.measure]} of private regression along {plan.axis}{title}.",
        imports=f"{paths}from core import functional, sweep\n{load}",
        problem=f"functional.Problem(\n    load,\n    {options}\n)",
        measure=plan.measure,
        factor=100 if plan.measure in PERCENT else 1,
    )
