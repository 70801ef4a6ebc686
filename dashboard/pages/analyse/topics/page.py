"""Topics: private spectral LDA on documents that stay at several sites."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import ClassVar

import panel as pn

from core import sweep
from core.schemes import PLAIN, is_private
from core.sweep import workers
from core.topics.problem import METHODS
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.fold import unfolding
from dashboard.components.layout import FULL, LiveText, bokeh_pane, grid
from dashboard.components.live_picture import LivePicture
from dashboard.page import openings
from dashboard.page.base import Page
from dashboard.page.fit import Fit, fit_of
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.played import Reached
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_jobs import Spot as Run
from dashboard.page.sweep_plan import compared, typical
from dashboard.pages.analyse.topics import text as told
from dashboard.pages.analyse.topics.figures import MOMENT_WORDS, MomentFigures, configurations_table
from dashboard.pages.analyse.topics.flow_graph import SHEET as FLOW_SHEET
from dashboard.pages.analyse.topics.flow_graph import flow_graph
from dashboard.pages.analyse.topics.model import (
    EPSILONS,
    MEASURES,
    SLOW,
    Background,
    Plan,
    Spot,
    TopicsModel,
    at_once,
    found_on_average,
    means,
    opening,
    read,
    row,
    spot,
)
from dashboard.pages.analyse.topics.own_text import OwnText, own_text_bar
from dashboard.pages.analyse.topics.words import SHEET as WORDS_SHEET
from dashboard.pages.analyse.topics.words import words_table
from dashboard.plotting.figure import rule
from dashboard.problems.topics import problem
from dashboard.state.background_runs import Job
from dashboard.state.controls import Controls
from dashboard.state.html_text import paragraph, plain
from dashboard.state.number_text import count_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, pictured, subject
from data.catalogue import corpora

_INNER = "How topics follow from averages, and where the noise enters"
_DOCUMENTS = "documents"  # The key of the documents among the results at the present settings.


class TopicsPage(Page):
    """Top words of every method at the present ε, and the number of topics found along ε."""

    name = "topics"
    model_type = TopicsModel
    live = False
    figure_below = follows = True
    # Of the notes, CAPE finds the topics from ε = 0.2 on, the conventional scheme from 1 on, one site alone at 5.
    plays_over = tuple(e for e in EPSILONS if e <= 5)
    opens: ClassVar = {"epsilon": 0.2, "sites": 20, "repeats": 6}
    shared, primary = compared("samples", "k"), "epsilon"
    protects = "one document"
    run_settings: ClassVar = {"limit": 600.0}
    first = ("data", "topics", "sites")
    presets = (
        Preset(
            "Real texts: help of Python programs",
            {"data": "docstrings", "compare": "schemes", "epsilon": 2.0, "delta": 1e-5, "sites": 20}
            | {"topics": 5, "vocabulary": 200, "alpha0": 0.1, "measure": "found", "repeats": 6},
        ),
        Preset(
            "Where to add the noise",
            {"data": "synthetic", "compare": "configurations", "epsilon": 1.0, "delta": 1e-6, "repeats": 3}
            | {"topics": 5, "vocabulary": 200, "documents": 10_000, "alpha0": 0.1, "measure": "error"},
        ),
        Preset(
            "Mixed topics are hard to separate",
            {"data": "synthetic", "compare": "schemes", "epsilon": 3.0, "delta": 1e-6, "sites": 5}
            | {
                "topics": 5,
                "vocabulary": 200,
                "documents": 10_000,
                "alpha0": 5.0,
                "measure": "error",
                "repeats": 5,
            },
        ),
    )
    code = ("core.topics.configuration_e.fit", "core.topics.fit")
    equation = r"""
$$E_r=\frac1N\sum_p w_{r,p}D_{r,p},\qquad w_{r,p}=\min\!\Big(1,\frac{B_r}{\|D_{r,p}\|_F}\Big),\quad
B_1=\frac{\varphi}{\sqrt L},\; B_2=\frac{\varphi}{\sqrt{L(L-1)}}$$

$$M_2=E_2-\tfrac{\alpha_0}{\alpha_0+1}E_1\!\otimes\!E_1=\sum_i\tfrac{\alpha_i}{\alpha_0(\alpha_0+1)}\mu_i\!\otimes\!\mu_i,
\qquad W^{\top}\hat M_2W=I,\qquad T=M_3(W,W,W)$$

$$D_1=\frac cl,\quad D_2=\frac{cc^{\top}-\operatorname{diag}c}{l(l-1)}$$ for a document with counts $$c$$ and $$l$$ words.
Replacing a document changes $$E_r$$ by at most $$\sqrt2B_r/N$$ and the clipped third moment by $$2C/N$$; Gaussian
noise on the weights, $$E_1$$, $$E_2$$ and $$T$$ adds up to $$\mu^2=\sum\mu_i^2$$ exactly. The decomposition
$$T=\sum\lambda_iv_i^{\otimes3}$$ gives each topic's direction $$(W^{\top})^{\dagger}v_i$$, and its entries sum to one.
In code: `core.topics.fit`; sources: [Lda], and our configuration E.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.sweep = Sweep(
            self,
            means=means,
            cost=told.cost,
            fits=self._fits,
            run=row,
            scale=_scale,
            together=self._together,
            marks=self._mark,
        )
        self._opens = True
        self.own_text = OwnText()
        self.own_files = (self.own_text,)
        self.own_text.param.watch(self._take_own, "used")
        if _live():
            pn.state.on_session_destroyed(lambda context: self.end())

    @classmethod
    def warm(cls) -> None:
        page = cls(Controls())
        page.controls.param.update(**cls.opens)
        plan = page.compute()
        at_once(plan)
        openings.later(partial(opening, plan), openings.keep_rows)

    def body(self):
        self._words = LivePicture(sheet=WORDS_SHEET)
        self._status = pn.pane.HTML("", stylesheets=[css.FINE], visible=False, **FULL)
        self.curve = self.sweep.build("Privacy ε", MEASURES["found"], height=380, schemes=METHODS)
        self._trivial = rule(self.curve.figure, "width", dash="dashed")
        return Stack(self._status, self._words, **FULL)

    def still(self) -> str:
        return f"<style>{WORDS_SHEET}</style>{self._words.picture}"

    def more(self):
        self._build_more()
        return Stack(
            bokeh_pane(self.curve.figure), self._notes.pane, self._flow, self._table, self._inner, **FULL
        )

    def below_settings(self):
        return own_text_bar(self.own_text)

    def begin(self, plan: Plan) -> list[Job]:
        self._build_more()
        others = plan.key != self.sweep.key
        self._opens = self.sweep.plan is None
        jobs = self.sweep.begin(plan)
        if others:
            self._draw_words(plan)
            self._draw_flow(plan, self._shown(plan))
        self._moments.draw(plan)
        self._note()
        self._watch_reading()
        return jobs

    def absent(self, plan: Plan) -> list[str]:
        absent = [] if plan.source.synthetic else ["documents", "data_seed"]
        absent += ["data"] if self.model.own_text is not None else []
        return absent + (
            ["sites", "schemes", "adversary", "colluding", "dropouts"] if plan.by_configuration else []
        )

    def draw(self, picture: Plan) -> None:
        self._build_more()
        self.sweep.mark_here("Privacy ε")
        self.curve.figure.yaxis.axis_label = MEASURES[picture.here["measure"]]
        # None is found by one distribution for all texts: at 0 the line would be the axis.
        self._trivial.visible = self._known is not None and self._known.trivial > 0
        if self._known is None:
            return
        self._trivial.location = self._known.trivial
        spots = self._shown(picture)
        self._draw_words(picture)
        self._note()
        self._draw_flow(picture, spots)
        self._table.visible = picture.by_configuration
        self._table.object = (
            configurations_table(picture, self._known, spots) if picture.by_configuration else ""
        )

    def settled(self, picture: Plan) -> bool:
        return True  # The table holds no row of earlier settings.

    def words(self, picture: Plan) -> str:
        if self._known is None:
            return paragraph("Reading the documents …")
        return told.words(
            picture,
            self._known,
            self._shown(picture),
            self._average(picture),
            nearest=bool(self._typical(picture)),
        ) or self.sweep.meanwhile(picture, told.sought(picture, self._known))

    def _average(self, picture):
        """How many topics each method finds on average; {} until that is known of all that are counted."""
        if self.sweep.plan is not picture or picture.settings.repeats == 1:
            return {}
        known = found_on_average(self.sweep.rows.values(), picture)
        return known if known.keys() >= set(told.counted(picture, self._first(picture))) else {}

    def reached(self, picture: Plan) -> Reached | None:
        if picture.by_configuration or picture.key != self.sweep.key:
            return None
        found, total = found_on_average(self.sweep.rows.values(), picture), picture.here["k"]
        least = math.ceil(told.ENOUGH * total)
        shown = [m for m in pictured(picture.shown) if is_private(m)]
        who = {subject(m): found[m] >= least for m in shown} if found.keys() >= {*shown} else {}
        return (
            Reached(
                f"at least {least} of {count_text(total, 'topic')} were found on average by",
                who,
                short=f"{least} of {total} found",
            )
            if who
            else None
        )

    def _typical(self, plan) -> dict[str, Spot]:
        """Of each method the release whose number of topics is nearest to the mean, once that is said; see `typical`."""
        if plan.source.name == "own" or len(plan.around) != 1:
            return {}
        found = {}
        for method in self._average(plan):
            rows = [self.sweep.rows[job] for job in plan.jobs_here(method)]
            drawn = rows[typical([one["found"] for one in rows])]
            if "spot" in drawn:
                found[method] = drawn["spot"]
        return found

    def _mark(self, means):
        self._note()
        if (
            self.picture is self.sweep.plan and self._known is not None
        ):  # Its headings are means of these runs.
            self._draw_words(self.picture)

    def draw_more(self, picture: Plan) -> None:
        self._note()

    def _note(self, means=None):
        """Below the curve: exact shares, the ε that is needed, and the forecast."""
        if self._known is None:
            self._notes.show("")  # What stood there was of other documents.
            return
        if self.picture is not self.sweep.plan:
            return  # It changes with the picture, not before.
        table = self.table()
        points = table[table.scheme.map(self.sweep.covers).astype(bool)]
        plan = self.sweep.plan
        spread = f"<p>{self.sweep.spread()}</p>"
        self._notes.show(told.notes(plan, self._known, self._shown(plan), points) + spread)

    def _draw_words(self, plan):
        # Of few schemes the table shows those that have pictures; of configurations it shows all.
        methods = plan.methods if plan.by_configuration else pictured(plan.shown)
        rows = sorted({PLAIN, *methods}, key=_rank)
        shown, here = self._shown(plan), plan.here
        self._words.picture = words_table(
            shown,
            self._known,
            rows,
            topics=here["k"],
            measure=here["measure"],
            data=plan.source.name,
            average=self._average(plan),
        )

    def guarantee(self, picture: Plan) -> Guarantee:
        return told.guarantee(picture)

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        return told.unprotected(picture)

    def script(self) -> str:
        return told.script(self.plan or self.compute(), self.model.own_text)

    def figures(self) -> tuple:
        self.content()
        self._build_more()
        return self.curve.figure, self._moments.spectrum, self._moments.gaps

    def exhibits(self) -> tuple:
        return *self.figures(), self._words, self._inner, self._notes.pane

    def _build_more(self):
        if not hasattr(self, "_flow"):
            self._flow, self._graph = (pn.pane.HTML("", stylesheets=[FLOW_SHEET], **FULL) for _ in range(2))
            self._table = pn.pane.HTML("", stylesheets=[css.FINE], visible=False, **FULL)
            self._notes = LiveText(css.FINE, margin=(0, 0, 12, 0))
            self._moments = MomentFigures()
            figures = grid(bokeh_pane(self._moments.spectrum), bokeh_pane(self._moments.gaps))
            notes = pn.pane.HTML(MOMENT_WORDS, stylesheets=[css.FINE], **FULL)
            self._inner = unfolding(_INNER, self._graph, figures, notes)

    def _draw_flow(self, picture, spots):
        wanted = [f"configuration-{picture.cut.lower()}"] if picture.by_configuration else ["cape", "pooled"]
        fits = {s.method: s.found for s in spots}
        shown = picture.by_configuration or picture.cut == "E"
        found = next((fits[m] for m in wanted if m in fits), None) if shown else None
        self._graph.object = flow_graph(picture.cut, found)
        # Where configurations are compared, the graph is what they differ in.
        self._flow.param.update(
            object=self._graph.object if picture.by_configuration else "", visible=picture.by_configuration
        )

    @property
    def _known(self) -> Background | None:
        """Reference values of the documents, after they are read."""
        return self.sweep.spots.get(_DOCUMENTS)

    def _fits(self, plan):
        """The documents, and a fit of every method: those that the table shows first, the slow ones last."""
        seen = (PLAIN, *pictured(plan.methods))
        order = sorted(
            {*seen, *plan.methods}, key=lambda m: (m in SLOW, is_private(m), m not in seen, _rank(m))
        )
        # What is known of the documents stays, whichever schemes are shown and how often they are run.
        documents = Fit(_DOCUMENTS, partial(read, plan), same=(plan.problem, plan.documents_here))
        fits = [replace(fit_of(plan.job_here(m), spot), each=is_private(m)) for m in order]
        if self._known is None and (known := at_once(plan)) is not None:
            plain_fit = next(fit for fit in fits if fit.name == PLAIN)
            self.sweep.add({}, [Run(documents, known[0]), Run(plain_fit, known[1])])
        # At an ε of the curve its first run is the picture's release: it is shown without a further fit.
        rows = {fit.name: self.sweep.rows.get(fit.runs[0], {}) for fit in fits}
        self.sweep.add({}, [Run(fit, rows[fit.name]["spot"]) for fit in fits if "spot" in rows[fit.name]])
        return [documents, *fits]

    def _together(self, plan):
        """Fits that come at once while the slider moves; the first time each is shown as it comes, if none was prepared."""
        prepared = self._known is not None and {*pictured(plan.methods)} <= self.sweep.spots.keys()
        opens = (self._known is None or self._opens) and not prepared
        waits = opens or plan.by_configuration
        return () if waits else pictured(plan.methods)

    def _shown(self, plan) -> list[Spot]:
        """What is drawn: of releases whose mean is said the typical one, else the first."""
        typical = self._typical(plan)
        return [typical.get(one.method, one) for one in self._first(plan)]

    def _first(self, plan) -> list[Spot]:
        """Spots in the order of the legend, the non-private answer first."""
        found = [self.sweep.spots.get(method) for method in (PLAIN, *plan.methods)]
        return sorted({s.method: s for s in found if s is not None}.values(), key=lambda s: _rank(s.method))

    def _watch_reading(self):
        """Show the progress of reading documents, twice a second, until the first results arrive."""
        if not _live():
            return

        def look():
            waiting = self._known is None and self.runs.state == "running"
            reading = self.runs.told
            self._status.object = f"<p role='status'>{plain(reading)}</p>" if reading else ""
            self._status.visible = waiting and bool(reading)
            if not waiting:
                callback.stop()

        callback = pn.state.add_periodic_callback(look, period=500)

    def end(self) -> None:
        """Delete the user's text at the end of the session."""
        self.closed()
        self.own_text.end()
        self._release()

    def _take_own(self, event):
        self._release()
        self.model.own_text = event.new
        if event.new is not None and self.model.measure in ("error", "found", "overlap"):
            # Of a short vocabulary the ten top words hold rare ones, whose order is chance.
            self.model.measure = "mass"
        self.life.changed()

    def _release(self):
        text, self.model.own_text = self.model.own_text, None
        if text is None:
            return
        self.runs.clear()
        self.clear()
        sweep.forget(problem(text))
        corpora.forget()
        if (shared := workers.existing()) is not None:
            shared.everywhere(corpora.forget)


def _scale(plan: Plan) -> tuple[float, float]:
    ends = {"error": (0, 2), "perplexity": (10, 1000), "mass": (0, 1), "overlap": (0, 1)}
    return ends.get(plan.here["measure"], (0, plan.here["k"]))


def _live():
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


def _rank(method):
    return list(LOOKS).index(method)
