"""Network: a classifier trained by several sites, shown step by step, and its accuracy against ε."""

from __future__ import annotations

import math
from functools import partial
from operator import attrgetter
from typing import ClassVar

import pandas as pd
from bokeh.models import FixedTicker, LogAxis, Range1d

from core import Privacy, sweep
from core.schemes import SCHEMES, is_private
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText, bokeh_pane
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs, observer, openings
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached, marks, told
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_jobs import Spot as Run
from dashboard.page.sweep_plan import compared, program
from dashboard.pages.analyse.network.figures import BOUNDARY, NetworkFigures
from dashboard.pages.analyse.network.model import (
    EPSILONS,
    NetworkModel,
    Plan,
    Watched,
    average_after,
    before,
    dots_step,
    fits,
    means,
    nearest,
    opening,
    row,
)
from dashboard.pages.analyse.network.replay import Replay
from dashboard.pages.analyse.network.still import still
from dashboard.state.background_runs import Job
from dashboard.state.controls import Controls
from dashboard.state.html_text import listed, paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import at_most_text, count_text, equals, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import pictured, subject

_SAID = ("cape", "conventional", "local")  # The heading has training without privacy.
_BELOW = 0.025  # The mark of a play is so far below the best training, rounded down to a twentieth.
_CHANCE = (
    45  # Per cent: the curve's axis begins below the 50 of a coin, and lower only for a mean that needs it.
)
_ALIKE = 3  # Points of two curves, at least, before a sentence compares them.
_NAMES = {"nonprivate": "training without privacy"}


class NetworkPage(Page):
    """Live trainings under all schemes from one start; then accuracy along ε, with the composed ε."""

    name = "network"
    model_type = NetworkModel
    live = False
    figure_below = True
    shared, primary = compared("k"), "epsilon"
    # At ε = 1 all boundaries but that of one site look alike; here one training is in the order of the means.
    opens: ClassVar = {"epsilon": 0.2, "sites": 20, "samples": 300}
    first = ("data", "sites", "steps")
    presets = (
        Preset(
            "CAPE learns the better border",
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
            fits=self._fits,
            run=row,
            scale=_scale,
            printed=attrgetter("judged_on"),
            arrived=self._keep,
            marks=self._note,
        )
        self.replay = Replay(self._choose)
        self.replay.view.param.watch(self._played, "answered")
        self.said.param.watch(self._forget_play, ["shown", "pale"])
        self.runs.param.watch(self._ended, "state")
        self._bands = LiveText(css.FINE)
        self._drawn: dict[str, Watched] = {}
        self._begun: Plan | None = None  # Whose records are drawn.
        self._labelled: Plan | None = None  # Whose axes the curve has.
        self._nearest = False  # Whether the trainings shown are those nearest to the means.

    @classmethod
    def warm(cls) -> None:
        plan = cls(Controls(**cls.opens)).compute()

        def keep(found):
            rows, watched = found
            openings.keep_rows(rows)
            openings.keep(_opening(plan), lambda: watched)

        openings.later(partial(opening, plan), keep)

    def _fits(self, plan):
        """The trainings to show: those nearest to the means where these are known, else the first ones."""
        drawn = nearest(self.sweep.rows, plan)
        self._nearest = bool(drawn)
        known = openings.kept(_opening(plan)) if drawn and self.picture is None else None
        if known is None:
            return fits(plan, drawn)
        every = fits(plan, drawn, same="opening")
        self.sweep.add({}, [Run(fit, found) for fit, found in zip(every, known, strict=True)])
        for found in known:
            self.replay.add(found.scheme, found)
        return every

    def body(self):
        self.curve = self.sweep.build("ε", "accuracy, %", height=400, schemes=SCHEMES)
        # Fixed: what chance finds stands at the foot of every curve, and no point moves the others.
        self.curve.figure.y_range = Range1d(_CHANCE, 101)
        self._other = LogAxis(
            ticker=FixedTicker(ticks=list(EPSILONS[::2])),  # Its numbers are long.
            axis_label_text_font_style="normal",
            minor_tick_line_color=None,
        )
        self.curve.figure.add_layout(self._other, "below")
        self.details = NetworkFigures(SCHEMES)
        return Stack(self.replay.view, self.details.boundaries, **FULL)

    def more(self):
        self.content()
        curve = bokeh_pane(self.curve.figure), self._bands.pane, self.sweep.printed.pane
        return Stack(*curve, self.details.further, self.details.courses, **FULL)

    def begin(self, plan: Plan) -> list[Job]:
        opens = self.picture is None
        if opens:
            self.details.announce(plan)
        self.replay.begin(plan, before(plan))
        jobs = self.sweep.begin(plan)
        if opens:
            self.draw(plan)  # Before the first step comes, the picture shows where all schemes begin.
        return jobs

    def still(self) -> str:
        shown = self.details.above
        replay = self.replay
        return (
            still(replay.step, replay.param.step.bounds[1], shown)
            if shown and self.details.boundaries.visible
            else ""
        )

    def draw(self, picture: Plan) -> None:
        self.replay.follow()
        watched = self.replay.at()
        if self._begun is not picture and watched:
            self._begun, self._drawn = picture, {}
            self.details.begin(picture, next(iter(watched.values())).dots)
        if watched and self._labelled is not self.picture:  # At the opening it waits for the first training.
            self._labelled = self.picture
            self._label_axes(picture)
        for scheme, found in watched.items():
            if self._drawn.get(scheme) is not found:
                self._drawn[scheme] = found
                self.details.draw(found)
        if watched:  # At once: the sentence is of the step that the picture shows.
            self._head(picture)
            self.said.words = self.words(picture)

    def settled(self, picture: Plan) -> bool:
        return self._begun is picture  # What the training before left is gone.

    def clear(self) -> None:
        super().clear()
        self.replay.clear()

    def _keep(self, name, found):
        self.replay.add(name, found)

    def _ended(self, event):
        if event.new != "running":
            self.replay.ended()

    def _played(self, event):
        """Say at the end of a play when each scheme reached the mark, and stayed there."""
        picture = self.picture
        if self.replay.view.stop < 0 and picture is not None:
            stops = _stops(picture, self.replay.states)
            self.said.played, self.replay.view.marks = told(stops), marks(stops)

    def _forget_play(self, *events):
        self.said.played, self.replay.view.marks = "", {}

    def _choose(self):
        """Show the step of the training that the user chose."""
        if self.picture is not None and not (self.said.old or self.said.pale):
            self.draw(self.picture)

    def words(self, picture: Plan) -> str:
        watched = self.replay.at()
        if not watched:
            return paragraph("Computing the first steps …")
        mean, far = self._means(picture, watched), _far(watched)
        one = {s: getattr(found, picture.judged_on) for s, found in watched.items()}
        if not far:
            return _untrained(picture, next(iter(one.values())))
        shown = {s: (mean or one)[s] for s in _SAID if s in one} or mean or one
        about = "about " if mean and len(picture.around) > 1 else ""
        rights = _rights(shown, _judged(picture), about, mean=bool(mean))
        first = f"{_where(picture)}, {_after(picture, far)}{rights}."
        means = _said_of_means(picture, mean, far, self._nearest)
        ahead = _ahead(mean or one, mean=bool(mean))
        return paragraph(first) + rest(means, _composed(picture), _against(picture), ahead)

    def _means(self, picture, watched):
        """Mean accuracies at the present ε and step, by scheme; {} before their trainings are done.

        Between two ε of the curve they are interpolated, along ln ε, and whole per cents.
        """
        if self.sweep.plan is not picture or picture.settings.repeats < 2:
            return {}
        found = average_after(self.sweep.rows.values(), picture, _far(watched))
        if not found.keys() >= {s for s in watched if is_private(s)}:
            return {}
        return {s: found.get(s, getattr(one, picture.judged_on)) for s, one in watched.items()}

    def _head(self, picture):
        """Write above every boundary the number that the sentence has for its scheme."""
        watched = self.replay.at()
        mean, about = self._means(picture, watched), "≈ " if len(picture.around) > 1 else ""
        for s, found in watched.items():
            one = _percent(getattr(found, picture.judged_on))
            if not found.step.number:
                self.details.head(s, "not trained yet")
            elif not is_private(s):
                self.details.head(s, f"{one} right")
            elif mean:
                self.details.head(s, f"{about}{_percent(mean[s])} right on average")
            else:
                self.details.head(s, f"{one}, one training")

    def _note(self, means=None):
        """What follows from the runs of the curve: means above the boundaries, and what its bands are."""
        if self.picture is not None and self._begun is self.picture:
            self._head(self.picture)
        if means is not None:
            least, range_ = 5 * math.floor(means["mean"].min() / 5 - 0.5), self.curve.figure.y_range
            range_.start = min(range_.start, least)
        said = " ".join(filter(None, (self.sweep.spread(), _alike(self.sweep.means, self.sweep.plan.axis))))
        self._bands.show(f"<p>{said or '&#160;'}</p>")

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
            earlier=float(picture.steps > 1),
        )
        words = guarantees.sentence(
            nominal,
            found,
            terms=guarantees.terms_of(picture.here),
            colluding=s.colluding,
            several=picture.steps > 1,
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
        if self._nearest:
            found += guarantees.chosen(picture.settings.repeats, "an accuracy", own=False)
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
        self.curve.figure.yaxis.axis_label = f"accuracy on {_judged(plan)} records, %"
        self._other.axis_label = f"… which is ε for {other}, at the same δ"
        values = [plan.step_epsilon(e) if total else plan.total_epsilon(e) for e in EPSILONS]
        self._other.major_label_overrides = {
            e: at_most_text(v, digits=2) for e, v in zip(EPSILONS, values, strict=True)
        }


def _opening(plan):
    """What the trainings depend on with which the page opens."""
    return plan.key, plan.here["epsilon"], plan.judged_on


def _where(plan):
    """ε, for all steps or for a single one."""
    nominal = "a nominal " if plan.settings.calibration == "published" else ""
    step = " for every step" if plan.budget == "step" else f" for all {plan.steps} steps"
    return f"At {nominal}{equals('ε', plan.settings.epsilon)}{step}"


def _after(plan, far):
    """After how many steps, if ε is for more: only a whole training has spent it."""
    if far >= plan.steps:
        return ""
    return f"after {far} of {plan.steps} " if plan.budget == "step" else f"after {far} of them "


def _untrained(plan, share):
    """What is known before the first step."""
    return paragraph(
        f"Before step 1 all schemes have the same random network, right on {_percent(share)} of "
        f"{_judged(plan)} records."
    ) + rest(
        f"In each of {count_text(plan.steps, 'step')} the sites average how the network should change, and add noise."
    )


def _against(plan):
    """Who the observer is."""
    s = plan.settings
    published = s.calibration == "published"
    if s.adversary != "message" or plan.budget == "step" or published:
        holds = "is claimed" if published else "holds"
        return f"This ε {holds} against {observer.name(s.adversary, s.colluding)}."
    return "This ε holds if only the released networks, or one message, are seen."


def _far(watched):
    """The step that is shown."""
    return max((found.step.number for found in watched.values()), default=0)


def _stops(plan, states):
    """For each step shown, which schemes are right from there on as often as the mark asks for."""
    shares = {
        s: {one.step.number: getattr(one, plan.judged_on) for one in seen} for s, seen in states.items()
    }
    steps = sorted(set.intersection(*(set(found) for found in shares.values()))) if shares else []
    if not steps:
        return {}
    best = max(found[steps[-1]] for found in shares.values())
    mark = math.floor(20 * (best - _BELOW)) / 20
    what = (
        f"at least {percent_text(mark)} of {_judged(plan)} records were classified right, and stayed so, with"
    )
    shown = [s for s in (*_SAID, *shares) if s in pictured(shares) and is_private(s)]
    return {
        at: Reached(
            what,
            {subject(s): all(shares[s][later] >= mark for later in steps if later >= at) for s in shown},
            "step",
            " ",
            short=f"{percent_text(mark)} right",
        )
        for at in steps
    }


def _judged(plan):
    """Which records the accuracy is on."""
    return "unseen" if plan.judged_on == "test" else "training"


def _rights(shares, records, about, *, mean):
    """Shares of right records in words; means of the first two private schemes are bold."""
    first, *others = shares
    marked = [s for s in shares if is_private(s)][:2] if mean else []
    said = [f"{_name(s)} {_share(shares[s], s in marked)}" for s in others]
    how, whose = ("on average ", "") if mean else ("", " in one training")
    share = f"{about}{_share(shares[first], first in marked)}"
    return listed([f"{_name(first)} is {how}right on {share} of {records} records{whose}", *said])


def _name(scheme):
    return _NAMES.get(scheme) or subject(scheme)


def _percent(share):
    """A share in whole per cents: a mean of ten trainings is not known better."""
    return percent_text(share, digits=2)


def _share(share, bold):
    return f"<b>{_percent(share)}</b>" if bold else _percent(share)


def _said_of_means(plan, mean, far, nearest):
    """What the numbers of the sentence and of the headings are of, after so many steps."""
    repeats = plan.settings.repeats
    after = (
        "" if far == plan.steps else f" after {count_text(far, 'step')}"
    )  # The first sentence has them all.
    if not mean:
        known = plan.judged_on == "test" or far == plan.steps
        follow = f"; means of {repeats} follow" if known and repeats > 1 and plan.around else ""
        return f"One training each{after}{follow}."
    ends = " and ".join(equals("ε", epsilon) for epsilon in plan.around)
    between = f", interpolated between {ends}" if len(plan.around) > 1 else ""
    close = "those nearest to them" if far == plan.steps else "those nearest at the end"
    which = "one training" if between else close if nearest else "the first"
    return f"Means of {count_text(repeats, 'training')}{after}{between}; the pictures show {which}."


def _composed(plan):
    """What an ε for every step is for all; that of one step is on the curve's second axis."""
    if plan.budget == "total":
        return ""
    whole = equals("ε", plan.total_epsilon(plan.settings.epsilon))
    return (
        "This ε is for what an observer learns from one step. "
        f"It composes to <b>{whole}</b> for all {plan.steps}, at the same δ."
    )


def _ahead(shown, *, mean):
    """Why CAPE is ahead of training without privacy, if it is."""
    if not {"cape", "nonprivate"} <= shown.keys() or shown["cape"] <= shown["nonprivate"]:
        return ""
    if _percent(shown["cape"]) == _percent(shown["nonprivate"]):
        return ""
    return (
        f"{'Here' if mean else 'In this training'} the noise has put CAPE ahead of training without privacy."
    )


def _alike(means, axis):
    """That the curves of CAPE and of one curator cannot be told apart, if so: one may lie above the other by chance."""
    if means is None:
        return ""
    one, other = (means[means.scheme == s].set_index(axis) for s in ("cape", "pooled"))
    both = one.index.intersection(other.index)
    if len(both) < _ALIKE:
        return ""
    one, other = one.loc[both], other.loc[both]
    overlap = (one.low <= other.high) & (other.low <= one.high)
    return "CAPE and pooled agree within their bands." if overlap.all() else ""


def _scale(plan: Plan) -> tuple[float, float]:
    return 0, 100


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
