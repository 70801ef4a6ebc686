"""Components: private tensor decomposition of mixtures, streamed while it is computed."""

from __future__ import annotations

import inspect

import pandas as pd
import panel as pn
from bokeh.models import ColumnDataSource

from core import Privacy, decomposition, sweep
from dashboard.components.layout import FULL, bokeh_pane
from dashboard.own_table.description import Choice
from dashboard.page import guarantee as guarantees
from dashboard.page import ledger_costs
from dashboard.page.base import Preset, paragraph
from dashboard.page.guarantee import Guarantee, Unprotected
from dashboard.page.own_table import OwnTablePage
from dashboard.page.swept import SweptPage, compared, summary
from dashboard.pages.analyse.components.figures import ComponentsFigures
from dashboard.pages.analyse.components.model import (
    AXES,
    LOGARITHMIC,
    MEASURES,
    ComponentsModel,
    Plan,
    Spot,
    avn_delta,
    avn_mu,
    leak,
    load,
    spot,
    understated,
)
from dashboard.pages.analyse.components.own_records import own_code
from dashboard.plotting.figure import scale_x
from dashboard.state.background_runs import Job
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, equals, number_text, spread_text
from dashboard.theme.scheme_style import LOOKS, label

_DATA_SCALE = "Not covered: bounds or σ² were taken from the records themselves. As if they were public:"
_LOADING = """import numpy as np

from core import decomposition, moments, sweep
from data import synthetic


{load}"""


class ComponentsPage(OwnTablePage, SweptPage):
    """Recovery error of all methods along one setting, and what the noise does to components."""

    name, title, group, icon = "components", "Components", "Analyse", "category"
    lead = "Find the topics of documents, or the centres of clouds, from two noisy moments of many sites."
    model_type = ComponentsModel
    shared = compared()
    records, hidden = "model", ("model", "own_records")
    presets = (
        Preset(
            "Topics dissolve as ε falls",
            {"model": "topics", "dimension": 50, "length": 3, "axis": "epsilon", "measure": "matched"}
            | {"epsilon": 1.0, "delta": 1e-5, "sites": 5, "samples": 20_000, "k": 5, "share": 0.5}
            | {"calibration": "exact", "repeats": 6},
        ),
        Preset(
            "Starve either release, and both are lost",
            {"model": "gaussians", "dimension": 10, "axis": "share", "measure": "matched", "epsilon": 1.0}
            | {"delta": 1e-5, "sites": 5, "samples": 5000, "k": 3, "share": 0.5, "calibration": "exact"}
            | {"repeats": 8},
        ),
        Preset(
            "The paper's Figure 4(c), as published",
            {"model": "topics", "dimension": 50, "length": 3, "axis": "epsilon", "measure": "error"}
            | {"epsilon": 1.0, "delta": 1e-2, "sites": 5, "samples": 20_000, "k": 10, "share": 0.5}
            | {"calibration": "published", "repeats": 6},
        ),
    )
    code = ("core.decomposition.fit", "core.moments.whitening.whiten")
    equation = r"""
$$M_2=\sum_{i=1}^{k}w_i\,a_ia_i^{\top},\qquad M_3=\sum_{i=1}^{k}w_i\,a_i\otimes a_i\otimes a_i,\qquad
W^{\top}\hat M_2W=I,\qquad \hat T=\hat M_3(W,W,W)=\sum_i w_i^{-1/2}\,v_i\otimes v_i\otimes v_i+\text{noise}$$

One topic a document: $$M_2=\mathbb E[t_1t_2^{\top}]$$, $$M_3=\mathbb E[t_1\otimes t_2\otimes t_3]$$ over its words,
averaged over their order; replacing a document moves each by at most $$\Delta=\sqrt2/n_s$$. Gaussians of variance
σ² subtract $$\sigma^2I$$, and $$\sigma^2\sum_d(\mathbb E t\otimes e_d\otimes e_d+\cdots)$$:
$$\Delta_2=\sqrt2/n_s$$, $$\Delta_3=\tfrac2{n_s}\sqrt{1-6\sigma^2+(3d+6)\sigma^4}$$. Both releases go through the
scheme, $$\mu^2=\mu_2^2+\mu_3^2$$, and the tensor's noise is drawn as $$W$$ sees it: $$k^3$$ numbers, never $$d^3$$.
*Published* halves ε and δ, copies a triangle of noise, takes singular values for eigenvalues and one random start.
In code: `core.decomposition.fit`; source: [Fact] Algorithm 3 and appendix E.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self._fresh = False
        self._logarithmic = True

    def body(self):
        figure = self.build_curve(AXES["epsilon"][0], MEASURES["matched"], schemes=decomposition.METHODS)
        figure.y_range.start = 0
        self._best = ColumnDataSource({"x": [], "y": [], "colour": []})
        figure.scatter(
            "x", "y", size=17, fill_alpha=0, line_width=2.5, line_color="colour", source=self._best
        )
        self.details = ComponentsFigures()
        return pn.Column(bokeh_pane(figure), **FULL)

    def more(self):
        self.content()
        return self.details.view

    def absent(self, plan: Plan) -> list[str]:
        if plan.own is None:
            return ["deviation", *(["length"] if plan.here["model"] == "gaussians" else [])]
        sizes = ["sites", "samples", "data_seed"] if plan.own.table.sizes else []
        return ["dimension", "length", *sizes]

    def spot_jobs(self, plan: Plan) -> list[Job]:
        self._spots = {}
        return [lambda stop, method=method: spot(plan, method) for method in plan.shown]

    def draw(self, picture: Plan) -> None:
        figure = self.curve.figure
        self._here.location = picture.here[picture.axis]
        if self._logarithmic != (picture.axis in LOGARITHMIC):
            self._logarithmic = not self._logarithmic
            scale_x(figure, log=self._logarithmic)
        figure.xaxis.axis_label = AXES[picture.axis][0]
        figure.yaxis.axis_label = MEASURES[picture.measure].replace("true", _known(picture))
        self._mark_best()
        if self._fresh and self._spots:
            self._fresh = False
            self.details.draw(picture, [self._spots[m] for m in picture.shown if m in self._spots])
            self.details.draw_leak(_leak(picture.settings))

    def words(self, picture: Plan) -> str:
        spread = spread_text(picture.settings.repeats)
        shown = [self._spots[m] for m in ("cape", "conventional") if m in self._spots]
        first = " ".join(
            f"{label(s.method)} tells <b>{s.above_noise} of {len(s.values)}</b> components from noise and errs by "
            f"<b>{number_text(s.figures[picture.measure], digits=2)}</b>{'.' if s is shown[-1] else ';'}"
            for s in shown
        )
        where = f"At {equals('ε', picture.settings.epsilon)}, in one draw, " if shown else ""
        level = [
            f"{label(m)} {number_text(self._spots[m].figures[picture.measure], digits=2)}"
            for m in ("nonprivate", "random")
            if m in self._spots and (m == "random" or picture.own is None)
        ]
        second = f"For comparison: {', '.join(level)}." if level else ""
        if picture.axis == "share" and (best := self._best_shares()):
            second = (
                "The least error so far stands at a share of "
                + ", ".join(
                    f"<b>{number_text(x)}</b> ({label(m)})"
                    for m, (x, _) in best.items()
                    if m in ("cape", "conventional", "avn")
                )
                + "; the published split is 0.5."
            )
        return paragraph(where + first, second, spread)

    def guarantee(self, picture: Plan) -> Guarantee | None:
        if not self._spots:
            return None
        s = picture.settings
        privacy = Privacy(s.epsilon, s.delta)
        found = guarantees.exposures(
            picture.shown,
            privacy,
            sites=picture.here["sites"],
            colluding=min(s.colluding, picture.here["sites"] - 1),
            calibration=s.calibration,
            understated=understated(picture, self._variance(), picture.here) if picture.published else 1.0,
        )
        sentence = guarantees.sentence(privacy, found) if found else "Nothing private is shown."
        if "avn" in picture.shown:
            # The classical formula, and the published sensitivity of Gaussians, may keep less than is asked.
            kept = avn_delta(picture)
            sentence += (
                f" AVN: ({equals('ε', s.epsilon)}, {equals('δ', kept)}), but one curator holds all records."
            )
        record = "one document" if picture.here["model"] == "topics" else "one point"
        open_points = []
        if picture.own is not None:
            record = picture.own.table.source.unit
            if picture.own.variance is not None:
                open_points.append("σ², which is public")
            if not (picture.own.table.public_bounds and picture.own.variance):
                sentence = f"{_DATA_SCALE} {sentence}"
        elif picture.here["model"] == "topics":
            open_points.append("the vocabulary, which is public")
        else:
            open_points.append("σ² and the bound ζ on norms, which are public here")
        return Guarantee(
            sentence=sentence,
            nominal=privacy,
            colluding=min(s.colluding, picture.here["sites"] - 1),
            exposures=found,
            unit=f"{record} at one site, replaced by any other; the number of records is public",
            not_private=tuple(open_points),
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        answer = f"the non-private answer and all errors, which compare with the {_known(picture)} components"
        found = [Unprotected("answer", answer)]
        if picture.own is not None:
            order = (
                "order and signs of the components, matched with the non-private ones, and their colour scale"
            )
            found += [Unprotected("choice", order), *self.table_unprotected()]
            if picture.own.variance is None:
                found.append(Unprotected("centres", "σ², taken from the records"))
        elif picture.here["model"] == "gaussians":
            clipped = max((spot.clipped for spot in self._spots.values()), default=0)
            shortened = f"that {count_text(clipped, 'record')} exceeded the bound and were shortened"
            found.append(Unprotected("counts", shortened))
        return tuple(found)

    def releases(self, picture: Plan) -> list[Drawn]:
        """The two releases that show the leak; those of the curve and the spots are entered as they come."""
        if not self._spots:
            return []
        s, found = picture.settings, _leak(picture.settings)
        words = ledger_costs.settings_words(s.epsilon, s.delta, 2, found.documents // 2)
        identity = "leak", s.epsilon, s.delta, s.data_seed, s.noise_seed
        data = f"{found.documents} short documents that show the leak, data seed {s.data_seed}"
        return [
            Drawn((*identity, law), data, "cape", f"{words}, {law} noise", 1, *mus)
            for law, mus in zip(("copied", "its own"), found.seen, strict=True)
        ]

    def cost(self, job: sweep.Job) -> Drawn | None:
        plan, here = self._plan, dict(job.settings)
        kind = (
            "Documents of one topic each" if here["model"] == "topics" else "Points of a mixture of Gaussians"
        )
        data = ledger_costs.seeded(kind, job) if plan.own is None else plan.own.table.name
        if job.scheme == "avn":
            pure = (1 - here["share"]) * here["epsilon"]
            return ledger_costs.of_curator(job, data=data, mu=avn_mu(plan, here), pure=pure)
        wide = understated(plan, self._variance(), here) if plan.published else 1.0
        return ledger_costs.of_job(job, data=data, calibration=plan.settings.calibration, understated=wide)

    def _variance(self):
        return next((spot.variance for spot in self._spots.values()), None)

    def script(self) -> str:
        plan = self._plan or self.compute()
        return _script(plan, self.own_data.chosen if plan.own is not None else None)

    def suited(self, table):
        width = table.source.width
        changes = {"k": max(1, width // 2)} if self.controls.k >= width else {}
        return changes | (
            {"axis": "epsilon"} if table.sizes and self.model.axis in ("samples", "sites") else {}
        )

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, *self.details.figures

    def means(self) -> pd.DataFrame | None:
        rows = pd.DataFrame(self._rows.values())
        return summary(rows, self._plan.axis, self._plan.measure) if len(rows) else None

    def paint_curve(self) -> None:
        super().paint_curve()
        self._mark_best()

    def _best_shares(self):
        """The share of least mean error of every method, and that error; NaN-free, private methods only."""
        means = self.means()
        if means is None:
            return {}
        private = means[~means.scheme.isin(["nonprivate", "random"])]
        rows = private.loc[private.groupby("scheme")["mean"].idxmin()]
        return {r.scheme: (r.share, r.mean) for r in rows.itertuples(index=False)}

    def _mark_best(self):
        best = self._best_shares() if self._plan.axis == "share" else {}
        self._best.data = {
            "x": [x for x, _ in best.values()],
            "y": [y for _, y in best.values()],
            "colour": [LOOKS[method].colour for method in best],
        }

    def take_spot(self, found: Spot) -> None:
        super().take_spot(found)
        self._fresh = True


def _leak(settings):
    s = settings
    return leak(s.epsilon, s.delta, data_seed=s.data_seed, noise_seed=s.noise_seed)


def _known(plan):
    """What components are held against: nobody knows the true ones of one's own table."""
    return "true" if plan.own is None else "non-private"


def _script(plan: Plan, own: Choice | None) -> str:
    s = plan.settings
    load_code = _LOADING.format(load=inspect.getsource(load)) if own is None else own_code(plan.own, own)
    return f'''"""Recovery of components along {plan.axis}: {MEASURES[plan.measure].replace("true", _known(plan))}."""
{load_code}

problem = decomposition.Problem(load, {plan.problem.model!r}, {plan.problem.options!r}, {plan.problem.data_settings!r})
cells = {list(plan.cells)!r}
rows = sweep.run(problem, cells, schemes={plan.shown!r}, repeats={s.repeats}, seed={s.noise_seed})

mean = rows.groupby(["scheme", "{plan.axis}"])["{plan.measure}"].mean()
columns = mean.rename("mean").reset_index().to_dict("list")
print(mean.unstack(0).to_string(float_format="%.4f"))
'''
