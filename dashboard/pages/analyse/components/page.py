"""Components: private tensor decomposition of mixtures, streamed while it is computed."""

from __future__ import annotations

import inspect
from operator import attrgetter
from typing import ClassVar

from bokeh.models import ColumnDataSource

from core import Privacy, decomposition, sweep
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
from dashboard.page.sweep_plan import compared, program
from dashboard.pages.analyse.components import text as told
from dashboard.pages.analyse.components.clusters import clusters
from dashboard.pages.analyse.components.figures import ComponentsFigures
from dashboard.pages.analyse.components.leak import leak
from dashboard.pages.analyse.components.model import (
    AXES,
    MEASURES,
    ComponentsModel,
    Plan,
    avn_delta,
    avn_mu,
    earlier,
    fits,
    means,
    understated,
)
from dashboard.problems.components import TITLES, UNITS, load
from dashboard.problems.own_mixture import own_code
from dashboard.problems.setup import absent_for, axis_for
from dashboard.state.background_runs import Job
from dashboard.state.html_text import paragraph, rest
from dashboard.state.ledger import Drawn
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme import css
from dashboard.theme.scheme_style import LOOKS, label, pictured

_DATA_SCALE = "Not covered: bounds or σ² were computed from the records. The following treats them as public."
_LOADING = """import numpy as np

from core import decomposition, moments, sweep
from data import synthetic


{load}"""


class ComponentsPage(Page):
    """Clusters as every scheme finds them, and the error of all methods along one setting."""

    name = "components"
    # Fifty small sites: CAPE finds all three centres of these records in five of five releases, the conventional scheme
    # two on average, and one site 0.8. The drawn release is typical: 3, 2 and 0.
    opens: ClassVar = {"k": 3, "sites": 50, "samples": 1000, "epsilon": 0.5, "repeats": 5, "data_seed": 8}
    model_type = ComponentsModel
    live = False
    figure_below = follows = True
    plays_over = (
        0.05,
        0.1,
        0.2,
        0.5,
        1.0,
        2.0,
        5.0,
    )  # From two centres of CAPE's to all of every scheme but one.
    calls: ClassVar = {"k": "Clusters k"}
    shared, hidden, primary = compared(), ("model", "own_records"), "epsilon"
    first = ("sites", "samples", "dimension")
    presets = (
        Preset(
            "Clusters are lost as ε falls",
            {"model": "gaussians", "dimension": 20, "axis": "epsilon", "measure": "matched", "epsilon": 0.1}
            | {"delta": 1e-5, "sites": 50, "samples": 1000, "k": 3, "share": 0.5, "calibration": "exact"}
            | {"repeats": 5},
        ),
        Preset(
            "Both noisy steps need their share of ε",
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
averaged over their order. Replacing a document changes each by at most $$\Delta=\sqrt2/n_s$$. Gaussians of variance
σ² subtract $$\sigma^2I$$, and $$\sigma^2\sum_d(\mathbb E t\otimes e_d\otimes e_d+\cdots)$$:
$$\Delta_2=\sqrt2/n_s$$, $$\Delta_3=\tfrac2{n_s}\sqrt{1-6\sigma^2+(3d+6)\sigma^4}$$. Both releases go through the
scheme, $$\mu^2=\mu_2^2+\mu_3^2$$, and the tensor's noise is drawn after whitening by $$W$$: $$k^3$$ numbers, never $$d^3$$.
*Published* halves ε and δ, mirrors a triangle of noise, and uses singular values as eigenvalues and one random start.
In code: `core.decomposition.fit`; source: [Fact] Algorithm 3 and appendix E.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self.own_table = OwnTable(self, records="model", suited=self._suited)
        self.sweep = Sweep(
            self,
            means=means,
            cost=self._cost,
            fits=fits,
            together=lambda plan: pictured(plan.shown),
            marks=self._explain_curve,
            scale=_scale,
            printed=attrgetter("measure"),
        )
        self._drawn: tuple = ()

    @classmethod
    def warm(cls) -> None:
        openings.prepare(cls)

    def above_settings(self):
        return self.own_table.bar()

    def before(self):
        return self.own_table.place

    def body(self):
        self.curve = self.sweep.build(
            AXES["epsilon"].label, MEASURES["matched"], schemes=decomposition.METHODS
        )
        figure = self.curve.figure
        figure.y_range.start = 0
        self.rings = ColumnDataSource({"x": [], "y": [], "colour": []})
        figure.scatter(
            "x", "y", size=17, fill_alpha=0, line_width=2.5, line_color="colour", source=self.rings
        )
        self.details = ComponentsFigures()
        self.panels = DotPanels()
        self._bands = LiveText(css.FINE)
        self._means = Stack(self._bands.pane, **FULL)
        self.said.param.watch(self._fade, ["pale", "shown"])
        return Stack(self.panels, **FULL)

    def still(self) -> str:
        return still(self.panels.state)

    def more(self):
        self.content()
        curve = bokeh_pane(self.curve.figure), self.sweep.printed.pane, self._means
        return Stack(*curve, self.details.view, **FULL)

    def begin(self, plan: Plan) -> list[Job]:
        jobs = self.sweep.begin(plan)
        if self.said.old or not self.panels.state:
            self.panels.begin(clusters(plan, self.sweep.spots))
            self._bands.show("")
        return jobs

    def absent(self, plan: Plan) -> list[str]:
        if plan.own is None:
            return ["deviation", *(["length"] if plan.here["model"] == "gaussians" else [])]
        return ["dimension", "length", *absent_for(plan.own.table)]

    def draw(self, picture: Plan) -> None:
        figure, axis = self.curve.figure, AXES[picture.axis]
        self.sweep.mark_here(axis.label)
        axis_label = MEASURES[picture.measure].replace("true", _known(picture))
        figure.yaxis.axis_label = axis_label.replace("component", told.kind(picture))
        self._explain_curve(self.sweep.means)
        self.panels.show(clusters(picture, self.sweep.spots))
        spots = self.sweep.shown()
        # While the slider moves only the panels follow: rows that come and go below would take the slider from the hand.
        whole = len(spots) == len(picture.shown) or not self._drawn
        if spots and whole and not _same(spots, self._drawn):
            self._drawn = tuple(spots)
            self.details.draw(picture, spots)
            self.details.draw_leak(_leak(picture.settings))

    def words(self, picture: Plan) -> str:
        spots, sweep = self.sweep.spots, self.sweep
        first, second = told.found(picture, spots), ""
        best = told.best_shares(sweep.means) if picture.axis == "share" else {}
        known = [m for m in ("cape", "conventional", "avn") if m in best and sweep.covers(m)]
        if known:
            shares = ", ".join(f"<b>{number_text(best[m][0])}</b> ({label(m)})" for m in known)
            second = f"The error is smallest at a share of {shares}; the published split is 0.5."
        if not (first or second):
            return sweep.meanwhile(picture, paragraph("Computing the first centres …"))
        return paragraph(*filter(None, (first, second))) + rest(told.scale(picture, spots))

    def reached(self, picture: Plan) -> Reached | None:
        found = told.all_found(picture, self.sweep.spots)
        many = picture.settings.repeats
        where = f"in all {many} releases" if many > 1 else "in the release"
        return Reached(f"all centres were found {where} by", found, short="all found") if found else None

    def guarantee(self, picture: Plan) -> Guarantee | None:
        if not self.sweep.spots:
            return None
        s = picture.settings
        privacy, colluding = Privacy(s.epsilon, s.delta), min(s.colluding, picture.here["sites"] - 1)
        found = guarantees.exposures(
            picture.shown,
            privacy,
            sites=picture.here["sites"],
            colluding=colluding,
            calibration=s.calibration,
            understated=understated(picture, self._variance(), picture.here) if picture.published else 1.0,
            terms=guarantees.terms_of(picture.here),
            earlier=earlier(picture, self._variance()),
        )
        sentence = guarantees.sentence(
            privacy,
            found,
            terms=guarantees.terms_of(picture.here),
            colluding=colluding,
            several=True,
        )
        if "avn" in picture.shown:
            # The classical formula and the published sensitivity of Gaussians may miss the privacy target.
            kept = avn_delta(picture)
            target = f"({equals('ε', s.epsilon)}, {equals('δ', kept)})"
            sentence += f" {label('avn').capitalize()}: {target}, but one curator holds all records."
        record = UNITS[picture.here["model"]]
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
            colluding=colluding,
            exposures=found,
            unit=f"{record} at one site, replaced by any other; the number of records is public",
            not_private=tuple(open_points),
        )

    def unprotected(self, picture: Plan) -> tuple[Unprotected, ...]:
        answer = (
            f"the non-private answer and all errors, which are computed from the {_known(picture)} components"
        )
        found = [Unprotected("answer", answer)]
        if picture.own is None:
            by = "a share sorted right" if picture.here["model"] == "topics" else "a number of found centres"
            found += guarantees.chosen(picture.settings.repeats, by, own=False)
            dots = f"{TITLES[picture.here['model']]}: some of these records, drawn as dots"
            found.append(Unprotected("records", dots))
        if picture.own is not None:
            order = "order and signs of the components, which are matched with the non-private ones, and their colour scale"
            found += [Unprotected("choice", order), *self.own_table.unprotected()]
            if picture.own.variance is None:
                found.append(Unprotected("centres", "σ², taken from the records"))
        elif picture.here["model"] == "gaussians":
            clipped = max((spot.clipped for spot in self.sweep.spots.values()), default=0)
            shortened = f"that {count_text(clipped, 'record')} exceeded the bound and were shortened"
            found.append(Unprotected("counts", shortened))
        return tuple(found)

    def releases(self, picture: Plan) -> list[Drawn]:
        """Records of the two releases that show the leak; those of the curve and the tables follow as they finish."""
        if not self.sweep.spots:
            return []
        s, found = picture.settings, _leak(picture.settings)
        words = ledger_costs.settings_words(s.epsilon, s.delta, 2, found.documents // 2)
        identity = "leak", s.epsilon, s.delta, s.data_seed, s.noise_seed
        data = f"{found.documents} short documents that show the leak, data seed {s.data_seed}"
        return [
            Drawn((*identity, law), data, "cape", f"{words}, {law} noise", 1, *mus)
            for law, mus in zip(("copied", "its own"), found.seen, strict=True)
        ]

    def _cost(self, plan: Plan, job: sweep.Job) -> Drawn | None:
        here = dict(job.settings)
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
        return next((spot.variance for spot in self.sweep.spots.values()), None)

    def script(self) -> str:
        return _script(self.plan or self.compute(), self.own_table.chosen)

    def _suited(self, table):
        width = table.source.width
        changes = {"k": max(1, width // 2)} if self.controls.k >= width else {}
        return changes | axis_for(table.source, self.model.axis)

    def clear(self) -> None:
        super().clear()
        self._drawn = ()
        if self._body is not None:
            self.panels.state = {}

    def figures(self) -> tuple:
        self.content()
        return self.curve.figure, *self.details.figures

    def _fade(self, *events):
        """What stands below the curve is pale while it is of earlier settings."""
        pale = self.said.pale
        behind = pale or not _same(self.sweep.shown(), self._drawn)
        for part, late in ((self._means, pale), (self.details.view, behind)):
            looks = ("0.3", "opacity 0.2s 0.3s") if late else ("1", "none")
            part.styles = dict(zip(("opacity", "transition"), looks, strict=True))

    def _explain_spread(self):
        """Below the curve: its means at the present settings, its bands, and what the picture draws."""
        plan, spots = self.sweep.plan, self.sweep.spots
        if not spots and self._bands.text:
            return  # It stands, pale, until the first result: what is below it keeps its place.
        drawing = f"{told.smallest(plan, spots)} {told.drawing(plan)}".strip() if spots else ""
        said = told.errors(plan, spots), self.sweep.spread(), drawing
        self._bands.show(f"<p>{' '.join(filter(None, said))}</p>" if any(said) else "")

    def _explain_curve(self, means):
        self._explain_spread()
        best = told.best_shares(means) if self.sweep.plan.axis == "share" else {}
        self.rings.data = {
            "x": [x for x, _ in best.values()],
            "y": [y for _, y in best.values()],
            "colour": [LOOKS[method].colour for method in best],
        }


def _scale(plan: Plan) -> tuple[float, float]:
    return 0, 1 if plan.measure == "weights" else 1.5


def _same(some, others):
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


def _leak(settings):
    s = settings
    return leak(s.epsilon, s.delta, data_seed=s.data_seed, noise_seed=s.noise_seed)


def _known(plan):
    """The reference for components: a user's own table has no known true ones."""
    return "true" if plan.own is None else "non-private"


def _script(plan: Plan, own: Choice | None) -> str:
    p, measure = plan.problem, MEASURES[plan.measure].replace("true", _known(plan))
    return program(
        plan,
        title=f"Recovery of components along {plan.axis}: {measure}.",
        imports=_LOADING.format(load=inspect.getsource(load)) if own is None else own_code(plan.own, own),
        problem=f"decomposition.Problem(load, {p.model!r}, {p.options!r}, {p.data_settings!r})",
        measure=plan.measure,
    )
