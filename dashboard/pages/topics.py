"""Topics: what private spectral LDA still reads in documents that stay at several sites."""

from __future__ import annotations

import threading
from functools import partial

import pandas as pd
import panel as pn
from bokeh.models import Span

from core import sweep
from core.topics.problem import METHODS, Problem
from dashboard import styles
from dashboard.curve import Curve, band
from dashboard.guarantees import Guarantee
from dashboard.layouts import FULL, bokeh_pane, grid
from dashboard.looks import LOOKS, QUIET, ink
from dashboard.page import Page, Preset, paragraph, plain
from dashboard.pages import topics_told as told
from dashboard.pages.topics_figures import MOMENT_WORDS, MomentFigures, configurations_table
from dashboard.pages.topics_flow import SHEET as FLOW_SHEET
from dashboard.pages.topics_flow import flow_graph
from dashboard.pages.topics_model import (
    DATA_SETTINGS,
    MEASURES,
    Background,
    Plan,
    Spot,
    TopicsModel,
    background,
    spot,
)
from dashboard.pages.topics_own import OwnText, own_text_bar
from dashboard.pages.topics_words import SHEET as WORDS_SHEET
from dashboard.pages.topics_words import words_table
from dashboard.runs import WORKER, Runs
from data import corpora, text

_SLOW = ("variational", "configuration-1-pure", "configuration-1")


class TopicsPage(Page):
    """Top words of every method at the present ε, and how fast they go along ε."""

    name, title, group, icon = "topics", "Topics", "Analyse", "article"
    lead = "Which topics can still be read when no single document may show through?"
    model_type = TopicsModel
    shared = (
        "epsilon",
        "delta",
        "sites",
        "schemes",
        "colluding",
        "calibration",
        "repeats",
        "data_seed",
        "noise_seed",
    )
    hidden = ("noise_seed",)
    primary = "epsilon"
    live = False
    presets = (
        Preset(
            "Real text: topics fall apart without CAPE",
            {"data": "docstrings", "compare": "schemes", "epsilon": 3.0, "delta": 1e-6, "sites": 5}
            | {"topics": 5, "vocabulary": 200, "alpha0": 0.1, "measure": "overlap", "repeats": 3},
        ),
        Preset(
            "Where to put the noise",
            {"data": "synthetic", "compare": "configurations", "epsilon": 1.0, "delta": 1e-6, "repeats": 3}
            | {"topics": 5, "vocabulary": 200, "documents": 10_000, "alpha0": 0.1, "measure": "error"},
        ),
        Preset(
            "Mixed topics are hard to tell apart",
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
    equation = r"""
$$E_r=\frac1N\sum_p w_{r,p}D_{r,p},\qquad w_{r,p}=\min\!\Big(1,\frac{B_r}{\|D_{r,p}\|_F}\Big),\quad
B_1=\frac{\varphi}{\sqrt L},\; B_2=\frac{\varphi}{\sqrt{L(L-1)}}$$

$$M_2=E_2-\tfrac{\alpha_0}{\alpha_0+1}E_1\!\otimes\!E_1=\sum_i\tfrac{\alpha_i}{\alpha_0(\alpha_0+1)}\mu_i\!\otimes\!\mu_i,
\qquad W^{\top}\hat M_2W=I,\qquad T=M_3(W,W,W)$$

$$D_1=\frac cl,\quad D_2=\frac{cc^{\top}-\operatorname{diag}c}{l(l-1)}$$ for a document with counts $$c$$ and $$l$$ words.
Replacing a document moves $$E_r$$ by at most $$\sqrt2B_r/N$$ and the clipped third moment by $$2C/N$$; Gaussian
noise on the weights, $$E_1$$, $$E_2$$ and $$T$$ adds up to $$\mu^2=\sum\mu_i^2$$ exactly. The decomposition
$$T=\sum\lambda_iv_i^{\otimes3}$$ gives each topic's direction $$(W^{\top})^{\dagger}v_i$$, and its entries sum to one.
In code: `core.topics.fit`; sources: [Lda], and configuration E of ours.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.runs = Runs(limit=600.0)
        self._plan: Plan | None = None
        self._key = None
        self._rows: dict[sweep.Job, dict] = {}
        self._spots: dict[sweep.Job, Spot] = {}
        self._known: Background | None = None
        self._reading = ""
        self.own_text = OwnText()
        self.own_text.param.watch(self._take_own, "used")
        if _live():
            pn.state.on_session_destroyed(lambda context: self.end())

    def body(self):
        self._words = pn.pane.HTML("", stylesheets=[WORDS_SHEET], **FULL)
        self._status = pn.pane.HTML("", stylesheets=[styles.FINE], visible=False, **FULL)
        self.curve = Curve("Privacy ε", MEASURES["overlap"], x_log=True, height=380, schemes=METHODS)
        quiet = {"line_color": ink(dark=False, quiet=True), "tags": [QUIET], "line_width": 1.5}
        self._here = Span(dimension="height", line_dash="dotted", **quiet)
        self._trivial = Span(dimension="width", line_dash="dashed", **quiet)
        self.curve.figure.add_layout(self._here)
        self.curve.figure.add_layout(self._trivial)
        return pn.Column(self._status, self._words, bokeh_pane(self.curve.figure), **FULL)

    def more(self):
        self._build_more()
        figures = grid(bokeh_pane(self._moments.spectrum), bokeh_pane(self._moments.gaps))
        notes = pn.pane.HTML(MOMENT_WORDS, stylesheets=[styles.FINE], **FULL)
        return pn.Column(self._flow, self._table, figures, notes, **FULL)

    def before(self):
        return own_text_bar(self.own_text)

    def compute(self) -> Plan:
        return self.model.plan()

    def refresh(self) -> None:
        """Start the runs that the settings ask for; what was computed under the same settings is kept."""
        self.content()
        try:
            plan = self.compute()
        except ValueError as error:
            self.runs.stop()
            self.said.problem = str(error)
            return
        self._plan = plan
        if plan.sweep_key != self._key:
            self._key, self._rows, self._known = plan.sweep_key, {}, None
            self.curve.start(plan.methods, plan.label)
            self._words.object = ""
        self.said.param.update(problem="", guarantee=self.guarantee(plan))
        self._build_more()
        self._moments.draw(plan)
        self._draw_flow(plan, self._shown(plan))
        self._spots = {job: s for job, s in self._spots.items() if job in self._wanted(plan)}
        spots = [partial(_spot, plan, job) for job in self._wanted(plan) if job not in self._spots]
        rest = [partial(_row, plan, job) for job in sorted(plan.jobs, key=_late) if job not in self._rows]
        known = [] if self._known else [partial(self._background, plan)]
        self.runs.start([*known, *spots, *rest], paint=self._paint)
        self._watch_reading()
        if self._known and not (spots or rest):
            self.show(plan)

    def draw(self, picture: Plan) -> None:
        self._build_more()
        self._here.location = picture.settings.epsilon
        self.curve.figure.yaxis.axis_label = MEASURES[picture.here["measure"]]
        self._trivial.visible = self._known is not None
        if self._known is None:
            return
        self._trivial.location = self._known.trivial
        spots = self._shown(picture)
        self._words.object = words_table(spots, self._known)
        method = (
            "cape" if picture.methods == picture.settings.schemes else f"configuration-{picture.cut.lower()}"
        )
        found = next((s.found for s in spots if s.method == method), None)
        self._flow.object = flow_graph(picture.cut, found)
        configurations = picture.methods != picture.settings.schemes
        self._table.visible = configurations
        self._table.object = configurations_table(picture, self._known, spots) if configurations else ""

    def words(self, picture: Plan) -> str:
        if self._known is None:
            return paragraph("Looking at the documents …")
        return told.words(picture, self._known, self._shown(picture), self._points())

    def guarantee(self, picture: Plan) -> Guarantee:
        return told.guarantee(picture)

    def table(self) -> pd.DataFrame:
        rows = [(scheme, *point) for scheme, points in self._points().items() for point in points]
        return pd.DataFrame(rows, columns=["scheme", "epsilon", "mean", "low", "high", "repeats"])

    def script(self) -> str:
        return told.script(self._plan or self.compute(), self.model.own_text)

    def figures(self) -> tuple:
        self.content()
        self._build_more()
        return self.curve.figure, self._moments.spectrum, self._moments.gaps

    def closed(self) -> None:
        """Other pages have the worker; coming back goes on where this stopped."""
        super().closed()
        if self.runs.state == "running":
            self.runs.stop()
            self._due = True

    def _build_more(self):
        if not hasattr(self, "_flow"):
            self._flow = pn.pane.HTML("", stylesheets=[FLOW_SHEET], **FULL)
            self._table = pn.pane.HTML("", stylesheets=[styles.FINE], visible=False, **FULL)
            self._moments = MomentFigures()

    def _draw_flow(self, picture, spots):
        wanted = [f"configuration-{picture.cut.lower()}"] if picture.by_configuration else ["cape", "pooled"]
        fits = {s.method: s.found for s in spots}
        shown = picture.by_configuration or picture.cut == "E"
        found = next((fits[m] for m in wanted if m in fits), None) if shown else None
        self._flow.object = flow_graph(picture.cut, found)

    def _wanted(self, plan):
        order = sorted({"nonprivate", *plan.methods}, key=lambda m: (m in _SLOW, m != "nonprivate", _rank(m)))
        return [plan.spot_job(method) for method in order]

    def _shown(self, plan):
        """Spots in the order of the legend, the non-private answer first."""
        found = [self._spots[job] for job in self._wanted(plan) if job in self._spots]
        return sorted(found, key=lambda s: _rank(s.method))

    def _background(self, plan, cancelled):
        if plan.source.name == "docstrings":
            text.docstrings(on_progress=partial(self._scanning, cancelled))
        self._reading = "Counting words …"
        known = background(plan)
        self._reading = ""
        return plan, None, known

    def _scanning(self, cancelled: threading.Event, done: int, files: int):
        self._reading = f"Reading the docstrings of the installed packages, once: {done} of {files} files"
        if cancelled.is_set():
            raise ValueError("reading the docstrings was stopped")

    def _watch_reading(self):
        """Say how far the reading of documents is, twice a second, until the first results come."""
        if not _live():
            return

        def look():
            waiting = self._known is None and self.runs.state == "running"
            self._status.object = f"<p role='status'>{plain(self._reading)}</p>" if self._reading else ""
            self._status.visible = waiting and bool(self._reading)
            if not waiting:
                callback.stop()

        callback = pn.state.add_periodic_callback(look, period=500)

    def end(self) -> None:
        """The session is over: nothing of the user's text stays."""
        self.closed()
        self.own_text.end()
        self._release()

    def _take_own(self, event):
        self._release()
        self.model.own_text = event.new
        if event.new is not None and self.model.measure == "error":
            self.model.measure = "overlap"
        self._changed()

    def _release(self):
        text, self.model.own_text = self.model.own_text, None
        if text is None:
            return
        self.runs.clear()
        self._plan, self._key, self._known, self._rows, self._spots = None, None, None, {}, {}
        problem = Problem(text, DATA_SETTINGS)
        for forget in (partial(sweep.forget, problem), corpora.forget):
            forget()
            WORKER.submit(forget)  # A job in flight may remember once more.

    def _points(self):
        """Mean and band of every method along ε: name to rows (epsilon, mean, low, high, repeats)."""
        values: dict[str, dict[float, list]] = {}
        for row in self._rows.values():
            values.setdefault(row["scheme"], {}).setdefault(row["epsilon"], []).append(row["value"])
        return {
            scheme: [(x, *band(found[x]), len(found[x])) for x in sorted(found)]
            for scheme, found in sorted(values.items())
        }

    def _paint(self, results):
        fresh = set()
        for plan, job, result in results:
            if isinstance(result, Background):
                self._known = result
            elif isinstance(result, Spot):
                self._spots[job] = result
            elif plan.sweep_key == self._key:
                self._rows[job] = result
                fresh.add(job.scheme)
        for method, points in self._points().items() if fresh else ():
            if method in fresh and method in self._plan.methods:
                x, mean, low, high, _ = zip(*points, strict=True)
                self.curve.update(method, x, mean, low, high)
        if any(not isinstance(result, dict) for _, _, result in results):
            self.show(self._plan)
        elif self._known is not None:
            self.said.words = self.words(self._plan)


def _live():
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


def _rank(method):
    return list(LOOKS).index(method)


def _late(job):
    """First repeats first, slow methods last among them."""
    return job.repeat, job.scheme in _SLOW


def _spot(plan, job, cancelled):
    return plan, job, spot(job)


def _row(plan, job, cancelled):
    return plan, job, job.run()
