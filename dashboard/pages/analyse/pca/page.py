"""PCA: private principal components of records at several sites, streamed while they are computed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import panel as pn
from bokeh.models import ColumnDataSource

from core import Privacy, pca, sweep
from dashboard.components.layout import FULL, bokeh_pane, grid
from dashboard.own_table.description import Choice
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs
from dashboard.page.base import Preset, paragraph, plain
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.own_table import OwnTablePage, fewer_text
from dashboard.page.swept import SweptPage, compared
from dashboard.pages.analyse.pca.images import Gallery
from dashboard.pages.analyse.pca.model import AXES, PUBLISHED, Energies, PcaModel, Plan, crossing, spot
from dashboard.plotting.figure import house_figure
from dashboard.shell import lecture_steps
from dashboard.state.background_runs import Job
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import number_text, percent_text, spread_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label

_DATA_SCALE = (
    "Not covered: the scale of the records was taken from the records themselves. As if it were public:"
)
_ORIGIN = "Energy is not variance: records are not centred, so their mean is part of it."
ENOUGH = 90.0  # Per cent of the non-private energy that the sentence under the curve speaks of.


class PcaPage(OwnTablePage, SweptPage):
    """Captured energy of all methods along one setting; components and errors at the present settings."""

    name, title, group, icon = "pca", "Principal components", "Analyse", "scatter_plot"
    lead = "How much of the structure of the records survives when every site protects its own?"
    model_type = PcaModel
    shared = compared()
    steps = lecture_steps.PCA
    presets = (
        Preset(
            "Digits dissolve as ε falls",
            {"data": "digits", "axis": "epsilon", "epsilon": 3.0, "delta": 1e-2, "sites": 5, "k": 8}
            | {"samples": 1000, "calibration": "exact"},
        ),
        Preset(
            "Many sites: alone they drown, with CAPE they do not",
            {"data": "low_rank", "axis": "sites", "epsilon": 1.0, "delta": 1e-5, "sites": 20, "k": 50}
            | {"samples": 500, "calibration": "exact"},
        ),
        Preset(
            "The paper's Figure 2(a), as published",
            {"data": "low_rank", "axis": "epsilon", "epsilon": 1.0, "delta": 1e-2, "sites": 10, "k": 50}
            | {"samples": 1000, "calibration": "published"},
        ),
    )
    code = ("core.pca.fit", "core.pca.sensitivity", "core.pca.captured_energy")
    equation = r"""
$$A_s=\frac{1}{n_s}X_s^{\top}X_s,\qquad \hat A=\frac1S\sum_{s=1}^{S}\big(A_s+E_s+G_s\big),\quad
\sum_s E_s=0,\qquad \hat V=\text{top-}k(\hat A),\qquad
q=\frac{\operatorname{tr}(\hat V^{\top}A\hat V)}{\operatorname{tr}(V^{\top}AV)}$$

With $$\|x\|_2\le 1$$ replacing one record moves $$A_s$$ by at most $$\Delta=\sqrt2/n_s$$ in Frobenius norm,
and the noise of a message has standard deviation $$\tau=\Delta/\mu(\varepsilon,\delta)$$ on every entry;
averaging it with its transpose afterwards costs nothing. *Published* takes $$\Delta=1/n_s$$, the classical τ,
a copied triangle of noise, the largest *absolute* eigenvalues, and scales records by their own largest norm.
In code: `core.pca.fit`; source: [Fact] Algorithm 2.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self._energies = Energies("epsilon")

    def body(self):
        figure = self.build_curve(
            AXES["epsilon"][0], "captured energy, % of non-private", schemes=pca.METHODS
        )
        self._rings = ColumnDataSource({"x": [], "energy": [], "colour": []})
        figure.scatter(
            "x", "energy", size=14, fill_alpha=0, line_width=2.5, line_color="colour", source=self._rings
        )
        figure.y_range.end = 104
        self.gallery = Gallery()
        self._build_scree()
        self._table = pn.pane.HTML("", stylesheets=[css.FINE], **FULL)
        return pn.Column(bokeh_pane(figure), **FULL)

    def more(self):
        self.content()
        figures = grid(bokeh_pane(self._scree), self._table, least=380)
        return pn.Column(bokeh_pane(self.gallery.figure), figures, **FULL)

    def restart(self, plan: Plan) -> None:
        super().restart(plan)
        self._energies = Energies(plan.axis)

    def absent(self, plan: Plan) -> list[str]:
        return ["sites", "samples", "data_seed"] if plan.source.sizes else []

    def spot_jobs(self, plan: Plan) -> list[Job]:
        self._spots = {}
        return [lambda stop, method=method: spot(plan.spot_job(method)) for method in _order(plan)]

    def take_rows(self, rows: dict) -> None:
        for row in rows.values():
            self._energies.add(row)
        super().take_rows(dict.fromkeys(rows))  # What matters of them is kept.

    def means(self) -> pd.DataFrame:
        return self._energies.table()

    def draw(self, picture: Plan) -> None:
        here = picture.here[picture.axis]
        self._here.location = here
        self.curve.figure.xaxis.axis_label = AXES[picture.axis][0]
        spots = [self._spots[m] for m in picture.shown if m in self._spots]
        self._rings.data = {
            "x": [here] * len(spots),
            "energy": [100 * s.energy for s in spots],
            "colour": [LOOKS[s.method].colour for s in spots],
        }
        self.gallery.show(spots, picture.source)
        for method, (source, line) in self._lines.items():
            found = self._spots.get(method)
            line.visible = found is not None
            source.data = (
                {"i": np.arange(1, len(found.values) + 1), "value": found.values}
                if found
                else {"i": [], "value": []}
            )
        self._table.object = _table(spots, picture)

    def words(self, picture: Plan) -> str:
        if not self._rows:
            return paragraph("Computing the first points …")
        axis, best = picture.axis, []
        for method in ("cape", "conventional", "local"):
            if method in picture.methods and axis == "epsilon":
                best.append(_needed(self._energies.points(method), method))
        source = plain(picture.source.title)
        spread = spread_text(picture.settings.repeats)
        if best:
            needs = ", ".join(best)
            first = f"To keep {ENOUGH:g} % of the non-private energy of {source} takes {needs}."
        else:
            first = f"Along {AXES[axis][0]} the methods differ most where the bands part."
        shown = self._spots.get("cape"), self._spots.get("conventional")
        second = ""
        if all(shown):
            second = (
                f"At the present settings CAPE keeps <b>{percent_text(shown[0].energy)}</b>, "
                f"the conventional scheme <b>{percent_text(shown[1].energy)}</b> (one draw)."
            )
        # Only the law of synthetic records has mean zero.
        origin = "" if picture.source.name == "low_rank" else _ORIGIN
        fewer = "" if axis == "samples" else fewer_text(picture.here["samples"], picture.settings.samples)
        return paragraph(*filter(None, (first, second, origin, fewer, spread)))

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
        )
        if "dpdispca" in picture.methods:
            found += (_square_roots(privacy, sites, s.calibration, _understated(published)),)
        own, open_points = self.model.table, []
        if published:
            open_points.append(
                "the published sensitivity 1/nₛ is too small by √2; the exact δ below count it"
            )
        sentence = guarantees.sentence(privacy, found)
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
        answer = "the non-private answer and all energies and errors, which compare with it"
        found = [Unprotected("answer", answer), *self.table_unprotected()]
        if picture.settings.calibration == "published" and self.model.table is None:
            taken = "centre and scale of the records, taken from the records themselves"
            found.append(Unprotected("centres", taken))
        return tuple(found)

    def cost(self, job: sweep.Job) -> Drawn | None:
        published = dict(job.settings)["published"]
        data = ledger_costs.data_name(self._plan.source, job)
        wide = _understated(published)
        calibration = "published" if published else "exact"
        if job.scheme != "dpdispca":
            return ledger_costs.of_job(job, data=data, calibration=calibration, understated=wide)
        # Its result is made of conventional messages, not of their average.
        sent = ledger_costs.of_job(
            replace(job, scheme="conventional"), data=data, calibration=calibration, understated=wide
        )
        return replace(sent, method=job.scheme, public=sent.aggregator)

    def table(self) -> pd.DataFrame:
        return self.means()

    def script(self) -> str:
        plan = self._plan or self.compute()
        return _script(plan, self.own_data.chosen if plan.source.name == "own" else None)

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, self.gallery.figure, self._scree

    def exhibits(self) -> tuple:
        return *self.figures(), self._table

    def suited(self, table):
        changes, width = {}, table.source.width
        if self.controls.k >= width:
            changes["k"] = max(1, width // 2)
        if table.sizes and self.model.axis in ("samples", "sites"):
            changes["axis"] = "epsilon"
        return changes

    def let_go(self) -> None:
        super().let_go()
        self._energies = Energies("epsilon")

    def set_dark(self, dark: bool) -> None:
        super().set_dark(dark)
        if self._plan is not None:
            self.draw(self._plan)

    def _build_scree(self):
        plot = self._scree = house_figure(
            "component", "eigenvalue", height=280, title="Spectrum of the released second moment"
        )
        self._lines = {}
        for method in pca.METHODS:
            look, source = LOOKS[method], ColumnDataSource({"i": [], "value": []})
            line = plot.line(
                "i", "value", source=source, color=look.colour, line_dash=look.dash, line_width=2.5
            )
            line.glyph.tags = ["ink"] if method == "nonprivate" else []
            self._lines[method] = source, line


def _understated(published):
    """By how much the noise takes the sensitivity too small."""
    return pca.sensitivity(1) / pca.sensitivity(1, form="published" if published else "exact")


def _square_roots(privacy, sites, calibration, understated):
    """What DPdisPCA gives away: its result is made of conventional messages, not of their average."""
    (messages,) = guarantees.exposures(
        ("conventional",),
        privacy,
        sites=sites,
        colluding=0,
        calibration=calibration,
        understated=understated,
    )
    return guarantees.Exposure("dpdispca", *(messages.aggregator,) * 3)


def _order(plan):
    """Methods as their fits are wanted: the costly one last, so that the others need not wait for it."""
    return sorted(plan.methods, key=lambda m: (m == "dpdispca", m != "nonprivate"))


def _needed(points, method):
    x = points["x"]
    at = crossing(x, points["mean"], ENOUGH)
    if math.isnan(at):
        return f"more than ε = {number_text(float(max(x, default=0)))} ({label(method)})"
    least, most = crossing(x, points["high"], ENOUGH), crossing(x, points["low"], ENOUGH)
    known = least < most < math.inf  # One run has no spread.
    span = f", {number_text(least, digits=2)} to {number_text(most, digits=2)}" if known else ""
    return f"<b>ε ≈ {number_text(at, digits=2)}</b> ({label(method)}{span})"


def _table(spots, plan):
    """Energy, distance and error of every method in one draw: [Fact] section IV's three guarantees."""
    sent = {
        m: pca.communication(
            m,
            sites=plan.here["sites"],
            width=plan.source.width,
            rank=2 * plan.here["k"],
            samples=plan.here["samples"],
        )
        for m in plan.methods
    }
    rows = "".join(
        f"<tr><th scope='row'>{label(s.method)}</th><td>{percent_text(s.energy)}</td>"
        f"<td>{s.distance:.3f}</td>"
        f"<td>{s.rank_error:.3f}</td><td>{number_text(sent[s.method])}</td></tr>"
        for s in spots
    )
    return (
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>energy</th>"
        "<th scope='col'>‖VVᵀ − V̂V̂ᵀ‖₂</th><th scope='col'>‖A − Âₖ‖₂ / λ₁</th>"
        f"<th scope='col'>numbers<br>sent</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _script(plan: Plan, own: Choice | None) -> str:
    s = plan.settings
    flags = PUBLISHED if s.calibration == "published" else {}
    conventions = "".join(f", {name}={value!r}" for name, value in flags.items())
    if own is None:
        title, paths, load = f": {plan.source.title}", "", "from data.catalogue.tables import load"
    else:
        title, paths = " of your own table", "from pathlib import Path\n\n"
        load = f"from data import upload\nfrom data.upload.own_table import own_table\n\n{own.code()}"
    return f'''"""Captured energy of private PCA along {plan.axis}{title}."""
{paths}from core import pca, sweep
{load}

problem = pca.Problem(load, data_settings={plan.problem.data_settings!r}{conventions})
cells = {list(plan.cells)!r}
rows = sweep.run(problem, cells, schemes={plan.methods!r}, repeats={s.repeats}, seed={s.noise_seed})

best = rows[rows.scheme == "nonprivate"].set_index("{plan.axis}").energy
rows["share"] = rows.energy / rows["{plan.axis}"].map(best)
mean = 100 * rows.groupby(["scheme", "{plan.axis}"]).share.mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.2f"))
'''
