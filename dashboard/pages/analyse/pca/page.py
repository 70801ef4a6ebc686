"""PCA: private principal components of records at several sites, streamed while they are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from bokeh.models import ColumnDataSource, Line

from core import Privacy, pca, sweep
from core.schemes import PLAIN, is_private, named, presented
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL, LiveText, bokeh_pane, grid
from dashboard.components.tiles import Tiles
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs, openings
from dashboard.page.asked import HIDDEN, Asked, closest
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.lesson import Preset
from dashboard.page.own_table import OwnTable
from dashboard.page.played import Reached
from dashboard.page.sweep import Sweep
from dashboard.page.sweep_jobs import Spot as Run
from dashboard.page.sweep_plan import compared, means_text, points_of
from dashboard.pages.analyse.pca import rebuilt
from dashboard.pages.analyse.pca import text as told
from dashboard.pages.analyse.pca.images import Gallery
from dashboard.pages.analyse.pca.model import AXES, PcaModel, Plan, at_once, fits, means
from dashboard.pages.analyse.pca.steps import LECTURE
from dashboard.plotting.figure import house_figure, rule
from dashboard.plotting.guess import Measured
from dashboard.problems.setup import absent_for, axis_for, most_for
from dashboard.state.background_runs import Job
from dashboard.state.controls import Controls
from dashboard.state.html_text import paragraph, plain, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, equals, percent_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, subject

_DATA_SCALE = (
    "Not covered: the scale of the records was computed from the records. The following treats it as public."
)
_GUESSES = (0.2, 0.4, 0.6, 0.75)
_Y_LABELS = {
    "energy": "captured energy, % of non-private",
    "detail": "detail kept, % of non-private (0: a blur)",
    "variance": "variance kept, % of non-private",
}


class PcaPage(Page):
    """Captured energy of all methods along one setting; components and errors at the present settings."""

    name, title, group, icon = "pca", "Directions (PCA)", "Analyse", "scatter_plot"
    lead = "Sites find the main directions of their records together and add noise. What can still be recognised?"
    first_figure, follows = False, True
    plays_over = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # Below it no digit can be read.
    # Forty small sites: CAPE's digits can be read, those of one site cannot.
    opens: ClassVar = {"epsilon": 2.0, "k": 16, "sites": 40, "repeats": 12}
    model_type = PcaModel
    live = False
    guessable = asks = True
    calls: ClassVar = {"k": "Directions k"}
    shared, hidden, primary = compared(), ("data", "own_records"), "epsilon"
    steps = LECTURE
    first = ("sites", "samples", "k")
    presets = (
        Preset(
            "Digits are lost as ε falls",
            {"data": "digits", "axis": "epsilon", "epsilon": 0.5, "delta": 1e-5, "sites": 5, "k": 16}
            | {"samples": 1000, "calibration": "exact"},
        ),
        Preset(
            "Fifty small sites need CAPE",
            {"data": "low_rank", "axis": "sites", "epsilon": 1.0, "delta": 1e-5, "sites": 20, "k": 50}
            | {"samples": 500, "calibration": "exact", "repeats": 4},
        ),
        Preset(
            "The paper's Figure 2(a), as published",
            {"data": "low_rank", "axis": "epsilon", "epsilon": 1.0, "delta": 1e-2, "sites": 10, "k": 50}
            | {"samples": 1000, "calibration": "published", "repeats": 4, "dpdispca": True},
        ),
    )
    code = ("core.pca.fit", "core.pca.fit_about_mean", "core.pca.sensitivity", "core.pca.captured_energy")
    equation = r"""
$$A_s=\frac{1}{n_s}X_s^{\top}X_s,\qquad \hat A=\frac1S\sum_{s=1}^{S}\big(A_s+E_s+G_s\big),\quad
\sum_s E_s=0,\qquad \hat V=\text{top-}k(\hat A),\qquad
q=\frac{\operatorname{tr}(\hat V^{\top}A\hat V)}{\operatorname{tr}(V^{\top}AV)},\quad
\text{detail}=\frac{\operatorname{tr}(\hat V^{\top}A\hat V)-\lambda_1(A)}{\operatorname{tr}(V^{\top}AV)-\lambda_1(A)}$$

With $$\|x\|_2\le 1$$ replacing one record changes $$A_s$$ by at most $$\Delta=\sqrt2/n_s$$ in Frobenius norm,
and the noise of a message has standard deviation $$\tau=\Delta/\mu(\varepsilon,\delta)$$ on every entry;
averaging it with its transpose afterwards has no privacy cost. *Published* takes $$\Delta=1/n_s$$, the classical τ,
a mirrored triangle of noise, the largest *absolute* eigenvalues, and scales records by their own largest norm.

*Variance* is judged by the covariance $$C=A-mm^{\top}$$ in place of A. Each site then sends the mean $$m_s$$ of its
records with $$A_s$$, as one release, with a share t of the budget for the mean: at t = 0.1 its joint sensitivity is 0.975
of what two releases would need, and $$\hat V=\text{top-}k(\hat A-\hat m\hat m^{\top})$$.
In code: `core.pca.fit`, `core.pca.fit_about_mean`; source: [Fact] Algorithm 2.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self._drawn: Any = None  # What the pictures are of.
        self._of: Plan | None = None
        self.own_table = OwnTable(self, suited=self._suited)
        self.sweep = Sweep(
            self,
            means=means,
            cost=cost,
            fits=self._fits,
            together=rebuilt.asked,
            measured=_measured,
            printed=_measure,
            relative=True,
        )
        self.said.param.watch(self._tell_again, "step")

    def _tell_again(self, event):
        """A step of the lecture that shows the images alone has no words about the curve."""
        if self.picture is not None:
            self.said.words = self.words(self.picture)

    def _fits(self, plan):
        if not self.sweep.spots:
            self.sweep.add({}, [Run(fit, fit.make(None)) for fit in at_once(plan)])
        return fits(plan)

    @classmethod
    def warm(cls) -> None:
        for fit in at_once(cls(Controls(**cls.opens)).compute()):
            fit.make(None)
        openings.prepare_later(cls)

    def above_settings(self):
        return self.own_table.bar()

    def before(self):
        return self.own_table.place

    def body(self):
        self.curve = self.sweep.build(AXES["epsilon"].label, _Y_LABELS["energy"], schemes=pca.METHODS)
        figure = self.curve.figure
        self._enough = rule(figure, "width", location=90)
        self._rings = ColumnDataSource({"x": [], "energy": [], "colour": []})
        figure.scatter(
            "x", "energy", size=14, fill_alpha=0, line_width=2.5, line_color="colour", source=self._rings
        )
        figure.y_range.update(start=0, end=104)
        self.gallery = Gallery()
        self._build_scree()
        self._table = LiveText(css.FINE)
        self.needs = LiveText(css.FINE)
        self.tiles = Tiles()
        return self.tiles

    def more(self):
        self.content()
        curve = bokeh_pane(self.curve.figure), self.sweep.printed.pane, self.needs.pane
        figures = grid(bokeh_pane(self._scree), self._table.pane, least=380)
        return Stack(*curve, bokeh_pane(self.gallery.figure), figures, **FULL)

    def begin(self, plan: Plan) -> Sequence[Job]:
        jobs = super().begin(plan)
        if not self.tiles.spec:
            self._draw_tiles(plan)
        return jobs

    def absent(self, plan: Plan) -> list[str]:
        absent = ["dpdispca"] if plan.problem.measure == "variance" else ["share"]
        absent += ["judged"] if plan.settings.calibration == "published" else []
        return absent + absent_for(plan.source)

    def most(self, plan: Plan) -> dict[str, int]:
        return most_for(plan.source, plan.here)

    def draw(self, picture: Plan) -> None:
        here = picture.here[picture.axis]
        self.sweep.mark_here(AXES[picture.axis].label)
        self.curve.figure.yaxis.axis_label = _Y_LABELS[picture.problem.measure]
        self._enough.location = told.enough(picture)
        spots = self.sweep.shown()
        self._rings.data = {
            "x": [here] * len(spots),
            "energy": [100 * s.energy for s in spots],
            "colour": [LOOKS[s.method].colour for s in spots],
        }
        self._draw_tiles(picture)
        self.gallery.show(spots, picture.source, dark=self.dark)
        for method, (source, line) in self._lines.items():
            found = self.sweep.spots.get(method)
            line.visible = found is not None
            source.data = (
                {"i": np.arange(1, len(found.values) + 1), "value": found.values}
                if found
                else {"i": [], "value": []}
            )
        self._table.show(told.table(spots, picture))

    def _draw_tiles(self, picture):
        known = rebuilt.complete(self.sweep.spots, picture)
        # Until all are known, the pictures of the settings before stay, unless they are of other records.
        of = _alike(picture)
        if known or of != self._drawn:
            self._drawn, self._of = of, picture
            hidden = HIDDEN if self.asking else None
            self.tiles.show(**rebuilt.tiles(self.sweep.spots, picture, hidden))

    def settled(self, picture: Plan) -> bool:
        return self._of is picture

    def still(self) -> str:
        return self.tiles.still()

    def asked(self, picture: Plan) -> Asked | None:
        known = self.sweep.spots
        cape, other = (known[m].energy if m in known else None for m in ("cape", "conventional"))
        keeps = (
            "" if cape is None else f"CAPE's directions keep {percent_text(cape, digits=2)} of the detail. "
        )
        return Asked(
            f"{keeps}<b>How much do the conventional ones?</b>",
            tuple(f"≈\u00a0{100 * share:.0f}\u00a0%" for share in _GUESSES),
            closest(_GUESSES, other),
        )

    def words(self, picture: Plan) -> str:
        self._explain_curve(picture)
        if _alike(picture) == self._drawn and not rebuilt.complete(self.sweep.spots, picture):
            return self.said.words  # The pictures of the settings before stay, and so does their sentence.
        kept, step = self._kept(picture), self.said.step
        if step is not None and not step.more:  # The lecture shows the images alone.
            return paragraph(kept) + rest(self._origin(picture)) if kept else ""
        kept = kept if {"cape", "conventional"} <= {*picture.methods} else ""
        if kept and step is None:
            return paragraph(kept) + rest(self._origin(picture))
        found = self._needed(picture) or kept
        return paragraph(found) if found else self._sought(picture)

    def reached(self, picture: Plan) -> Reached | None:
        spots = {m: s for m, s in self.sweep.spots.items() if m in rebuilt.methods(picture) and is_private(m)}
        level = told.enough(picture)
        what = f"at least {level:g} % of the {picture.problem.measure} was kept by"
        who = {subject(m): 100 * round(spots[m].energy, 2) >= level for m in presented(spots)}
        return Reached(what, who, short=f"{level:g} % kept".replace(" %", "\u00a0%"))

    def _sought(self, picture):
        """Before the schemes' rows: what there is to keep."""
        if picture.problem.measure != "detail" or PLAIN not in self.sweep.spots:
            return paragraph("Computing the first points …")
        many = count_text(picture.here["k"], "direction")
        return paragraph(
            f"Without noise, {many} rebuild the non-private row.",
            f"How much of its detail does each scheme keep at {equals('ε', picture.settings.epsilon)}?",
        )

    def _explain_curve(self, picture):
        """What the curve says, below it; a slide leaves the answer to the room."""
        said = " ".join(filter(None, (self._needed(picture), _detail(picture), self.sweep.spread())))
        said = said if self.said.step is None else ""
        self.needs.show(f"<p>{said}</p>" if said else "")

    def _needed(self, picture):
        """The ε that the schemes need, or how to read a curve along another setting; "" while it is not known."""
        axis = picture.axis
        known = [m for m in presented(picture.methods) if not named(m).curator]
        if self.sweep.whole and known and axis == "epsilon":
            level = told.enough(picture)
            needs = ", ".join(told.needed(points_of(self.sweep.means, m, axis), m, level) for m in known)
            what = f"the non-private {picture.problem.measure} of {plain(picture.source.title)}"
            return f"{level:g} % of {what} needs {needs}."
        if not self.sweep.whole or axis == "epsilon":
            return ""
        return f"Along {AXES[axis].label} the methods differ significantly where their bands do not overlap."

    def _origin(self, picture):
        """Of what the numbers are means, and what they count; of synthetic records energy is variance."""
        best, measure = self.sweep.spots.get(PLAIN), picture.problem.measure
        own = picture.source.name == "own"
        many = means_text(picture.settings.repeats, drawn="the pictures show", own=own)
        if best is None or picture.source.name == "low_rank" or measure == "variance":
            return many
        if measure == "detail":
            return f"{many} 0 %: a blur, the first direction alone. 100 %: the non-private row."
        what = "pixel " if picture.source.image_shape else ""
        share = percent_text(float(best.values[0] / best.values.sum()))
        return f"{many} Energy: the sum of squared {what}values, mean included. One direction alone keeps {share}."

    def _kept(self, picture):
        """How much the directions of the schemes keep at the present ε, of one site where it stands alone."""
        spots, measure = self.sweep.spots, picture.problem.measure
        where = guarantees.where(picture.settings, picture.here)
        three = ("cape", "conventional", "local")
        text = {subject(m): rebuilt.kept_text(spots[m], picture) for m in three if m in spots}
        than = "" if measure == "detail" else " that directions without noise keep"
        if {"cape", "conventional"} <= spots.keys():
            return f"{where} {told.keep(text, f'{measure}{than}')}."
        if "local" in spots and "cape" not in picture.methods:
            return f"{where} {told.keep(text, measure)}."
        return ""

    def guarantee(self, picture: Plan) -> Guarantee:
        s = picture.settings
        privacy = Privacy(s.epsilon, s.delta)
        published = s.calibration == "published"
        # Weighted by their shares n_s/N, sites of unequal size reveal exactly what equal ones do.
        sites = picture.here["sites"]
        colluding = min(s.colluding, sites - 1)
        found = guarantees.exposures(
            picture.methods,
            privacy,
            sites=sites,
            colluding=colluding,
            calibration=s.calibration,
            understated=_understated(published),
            terms=guarantees.terms_of(picture.here),
        )
        if "dpdispca" in picture.methods:
            found += (_square_roots(privacy, sites, s.calibration, _understated(published)),)
        own, open_points = self.model.table, []
        if published:
            open_points.append(
                "the published sensitivity 1/nₛ is too small by √2; the exact δ below account for this"
            )
        sentence = guarantees.sentence(
            privacy, found, terms=guarantees.terms_of(picture.here), colluding=colluding
        )
        if found and (published if own is None else not own.public_bounds):
            sentence = f"{_DATA_SCALE} {sentence}"
        return Guarantee(
            sentence=sentence,
            nominal=privacy,
            colluding=colluding,
            exposures=found,
            unit=f"{picture.source.unit} at one site, replaced by any other; the number of records is public",
            not_private=tuple(open_points),
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        answer = "the non-private answer, and all energies and errors, which are computed from it"
        found = [Unprotected("answer", answer), *self.own_table.unprotected()]
        if picture.settings.calibration == "published" and self.model.table is None:
            taken = "centre and scale, which were computed from the records"
            found.append(Unprotected("centres", taken))
        if picture.source.image_shape:
            images = f"one image of each class of {picture.source.title}, and the same images rebuilt"
            found.append(Unprotected("records", images))
        figure, own = f"the {picture.problem.measure} kept", picture.source.name == "own"
        found += guarantees.chosen(picture.settings.repeats, figure, own=own)
        return tuple(found)

    def clear(self) -> None:
        super().clear()
        self._drawn = self._of = None
        if self._body is not None:
            self.tiles.spec = {}

    def script(self) -> str:
        return told.script(self.plan or self.compute(), self.own_table.chosen)

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, self.gallery.figure, self._scree

    def exhibits(self) -> tuple:
        return self.content(), *self.figures(), self._table.pane

    def _suited(self, table):
        width = table.source.width
        changes = {"k": max(1, width // 2)} if self.controls.k >= width else {}
        return changes | axis_for(table.source, self.model.axis)

    def set_dark(self, dark: bool) -> None:
        super().set_dark(dark)
        if self.plan is not None:
            self.draw(self.plan)

    def _build_scree(self):
        plot = self._scree = house_figure(
            "direction", "eigenvalue", height=280, title="Spectrum of the released second moment"
        )
        self._lines = {}
        for method in pca.METHODS:
            look, source = LOOKS[method], ColumnDataSource({"i": [], "value": []})
            style = {"line_color": look.colour, "line_dash": look.dash, "line_width": 2.5}
            tags = [] if is_private(method) else ["ink"]
            line = plot.add_glyph(source, Line(x="i", y="value", tags=tags, **style))
            self._lines[method] = source, line


def _detail(plan: Plan) -> str:
    """What detail is, beside the curve that counts it."""
    if plan.problem.measure != "detail":
        return ""
    others = count_text(plan.here["k"] - 1, "further direction")
    added = "adds" if plan.here["k"] == 2 else "add"
    return f"Detail: what {others} {added} to the first, a blur, in squared pixel values."


def _alike(plan: Plan) -> tuple:
    """What two plans have in common if the pictures of one may stand until those of the other are known."""
    return plan.source.name, plan.settings.calibration, tuple(rebuilt.methods(plan))


def _measure(plan: Plan) -> str:
    return plan.problem.measure


def _measured(plan: Plan) -> Measured:
    measure = plan.problem.measure
    whole = "detail beyond a blur" if measure == "detail" else f"{measure} of the best directions"
    words = f"how much of the {whole} does {{}} keep?"
    return Measured(words, 0, 100, unit=" %")


def cost(plan: Plan, job: sweep.Job) -> Drawn | None:
    """Privacy cost of one run, for the ledger."""
    published = dict(job.settings)["published"]
    options = {
        "data": ledger_costs.data_name(plan.source, job),
        "calibration": "published" if published else "exact",
        "understated": _understated(published),
    }
    if job.scheme != "dpdispca":
        return ledger_costs.of_job(job, **options)
    # Its result depends on the single messages, not only on their average.
    sent = ledger_costs.of_job(replace(job, scheme="conventional"), **options)
    return replace(sent, method=job.scheme, public=sent.aggregator)


def _understated(published):
    """Factor by which the true μ exceeds the nominal one: true over assumed sensitivity."""
    return pca.sensitivity(1) / pca.sensitivity(1, form="published" if published else "exact")


def _square_roots(privacy, sites, calibration, understated):
    """Exposure of DPdisPCA, whose result depends on the single conventional messages, not only on their average."""
    (messages,) = guarantees.exposures(
        ("conventional",),
        privacy,
        sites=sites,
        colluding=0,
        calibration=calibration,
        understated=understated,
    )
    return guarantees.Exposure("dpdispca", *(messages.aggregator,) * 4)
