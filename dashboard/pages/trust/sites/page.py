"""Sites: noise design for unequal sites, and what each adversary learns about each site."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui

from core import cape
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.fold import Fold, opener
from dashboard.components.layout import FULL, text_download
from dashboard.components.live_picture import LivePicture, faces
from dashboard.own_table.shared_table import SharedTable
from dashboard.page import observer
from dashboard.page.base import Page
from dashboard.page.guarantee import Guarantee
from dashboard.page.lesson import Preset
from dashboard.pages.trust.sites import consortium, text
from dashboard.pages.trust.sites.figures import ONLOOKERS, SitesFigures
from dashboard.pages.trust.sites.model import (
    GIANT,
    HOSPITALS,
    PARANOID,
    TWENTY,
    Infeasible,
    SitesModel,
    SitesPicture,
    after_ask,
)
from dashboard.pages.trust.sites.table import SitesTable
from dashboard.problems.sites import write_rows
from dashboard.state.html_text import paragraph, plain, rest
from dashboard.state.number_text import at_most_text, count_text, equals, number_text
from dashboard.theme import colours
from dashboard.theme.assets import beside
from data.check import grouped

_COLOURS = {
    "zero": colours.ZERO_SUM,
    "local": colours.LOCAL_NOISE,
}
_SHEET = (
    f":host, .sites {{ {' '.join(f'--{name}: {colour};' for name, colour in _COLOURS.items())} }}"
    + faces.SHEET
    + beside(__file__, "consortium.css")
)
NAME = "cape-lab-sites.json"
_PLAIN = {"target": 1.0, "against": "colluders", "form": "ours", "stage": "after", "weights": "size"}


class SitesPage(Page):
    """A table of unequal sites; noise of each message, exact δ of every adversary, noise of the average."""

    name = "sites"
    model_type = SitesModel
    shared = ("calibration", "noise_seed")
    hidden = ("rows", "against")  # The picture has them.
    at_once = -1
    first_figure = False
    presets = (
        Preset("Six hospitals", {"rows": HOSPITALS, **_PLAIN}),
        Preset("One giant, seven small sites", {"rows": GIANT, **_PLAIN, "weights": "equal"}),
        Preset("Twenty small sites", {"rows": TWENTY, **_PLAIN}),
        Preset("One very cautious site", {"rows": PARANOID, **_PLAIN}),
    )
    code = ("core.schemes.noise_design.design", "core.schemes.noise_design.NoiseDesign.leakage")
    equation = r"""
Site s needs noise τ_s on its message; the average has weights w_s. With v_s = w_s²τ_s² the design solves
$$w_s^2\operatorname{Var}e_s+w_s^2\operatorname{Var}g_s=v_s,\qquad
\sum_s w_se_s=0,\qquad \sum_s w_s^2\operatorname{Var}g_s=\tau_c^2 .$$

One record of site s changes the public average by w_sΔ_s. The average therefore meets every privacy target if
$$\tau_c\ge\max_s w_s\tau_s,$$
which is the noise that one curator of all records would add. Lower τ_c are feasible if no site outweighs the others,
$$v_m<\sum_{s\ne m}v_s+\tau_c^2 .$$

Against the aggregator and colluding sites, with d_j the variance of what site j contributes to the zero-sum noise,
γ_j that of its local noise (both weighted) and p_j = d_j + γ_j, the exact μ of site s is
$$\mu_s^2=(w_s\Delta_s)^2\Big[\frac1{p_s}+\frac{(d_s/p_s)^2}{\sum_{j\text{ honest}}d_j\gamma_j/p_j}\Big].$$

**Published gains**, at equal weights: G(n) = (N²/S²) Σ 1/n_s² is conventional over pooled variance, H(n) = G(n)/S
CAPE's over pooled ([Fact] section III, [Cape] Remark 3). Where sizes differ, H(n) means less noise than the smallest
site's privacy target requires of the public average.
"""

    def __init__(self, controls):
        super().__init__(controls)
        self._shared: SharedTable | None = None

    def bring(self, shared: SharedTable) -> None:
        """Receive the session's own table; the page can take its sites from there."""
        self._shared = shared

    def body(self):
        self._parts = SitesFigures()
        self._fine = Fold("All numbers: noise and δ of every site", margin=(8, 0))
        self._drawn = LivePicture(sheet=_SHEET, chosen=self._choose)
        self._file = text_download("Save a plan for the sites", NAME, lambda: self.model.plan().text())
        return self._drawn

    def still(self) -> str:
        return f"<style>{_SHEET}</style>{self._drawn.picture}"

    def _choose(self, name: str, number: int) -> None:
        """A click on a site of the picture, or on who watches."""
        rows = self.model.table_rows()
        if name == "against" and number < len(consortium.WATCHERS):
            self.model.against = consortium.WATCHERS[number][0]
        if name == "ask":
            self.set({"rows": write_rows(after_ask(rows))})
        if name == "site" and number < len(rows):
            changed = consortium.after_press(rows, number)
            # A site that is told to collude shows what it tells.
            told = {"against": "colluders"} if changed[number].colludes else {}
            self.set({"rows": write_rows(changed), **told})

    def before(self):
        self._offer = pmui.Button(
            label="", visible=False, size="small", variant="outlined", margin=(0, 0, 8, 0)
        )
        self._offer.on_click(lambda event: setattr(self.model, "target", self._nearest))
        return self._offer

    def more(self):
        def say(problem):
            self.said.problem = problem

        self.content()
        self.table_view = SitesTable(self.model, say, self._shared)
        row, table = Buttons(), Stack(visible=False, **FULL)

        def built():
            # A table that is not seen would be laid out without a width.
            table.objects = [self.table_view.layout]

        opener(row, "Change the sites", table, before=built)
        line = pn.FlexBox(row, self._file, gap="4px", align_items="center", margin=(8, 0, 4, 0))
        return pn.Column(line, table, self._parts.layout, self._fine, **FULL)

    def compute(self) -> SitesPicture:
        return self.model.picture()

    def refresh(self) -> None:
        """Show the design, or why there is none and the nearest feasible target."""
        offer = getattr(self, "_offer", None)
        try:
            picture = self.compute()
        except Infeasible as error:
            self._refuse(error)
            self._nearest = _within(self.model, error.nearest)
            if offer is not None:
                offer.param.update(label=f"Take {number_text(self._nearest)} ×", visible=True)
            return
        except ValueError as error:
            self._refuse(error)
            picture = None
        if offer is not None:
            offer.visible = False
        if picture is not None:
            self.show(picture)

    def _refuse(self, error):
        """Say why there is no design; what was shown before pales, and its sentences leave."""
        self.said.problem = str(error)
        if self.picture is not None:
            earlier = "No design has these settings. The pale picture shows the last one that exists."
            self.said.param.update(words=paragraph(earlier), guarantee=None)
            self._fade("0.3")
            self._file.visible = False

    def _fade(self, opacity):
        # Not the whole page: the table, in which one may have to mend something, stays legible.
        for part in (self._drawn, self._parts.layout, self._fine):
            part.styles = {**part.styles, "opacity": opacity}

    def draw(self, picture: SitesPicture) -> None:
        self._fade("var(--picture, 1)")
        self.said.absent = [] if any(row.drops for row in picture.rows) else ["stage"]
        self._drawn.picture = consortium.markup(picture)
        self._parts.draw(picture)
        self._fine.text = _site_table(picture)
        self._file.visible = self.model.plannable

    def figures(self) -> tuple:
        self.content()
        return self._parts.figures

    def words(self, picture: SitesPicture) -> str:
        lost, out = text.dropped(picture), text.gain(picture, "CAPE's average")
        if lost:
            when = (
                "after the noise was agreed, so its part remains"
                if picture.stage == "after"
                else "before it was agreed"
            )
            out = f"{lost[:1].upper()}{lost[1:]} dropped out {when}. {_fewer(picture)}"
        # The picture's sentence is the one to read first.
        return rest(
            f"{out.removesuffix('.')}.",
            text.deltas(picture),
            "<a href='?page=limits'>When does CAPE not help?</a>",
        )

    def guarantee(self, picture: SitesPicture) -> Guarantee:
        kept, whom = _kept(picture), observer.name(picture.against, picture.colluding)
        sentence = (
            f"Each site's own (ε, δ) is calibrated against {whom}. "
            "The figure and table give the exact δ against each adversary."
        )
        if not kept[self.model.against]:
            sentence += " This design does not meet it for every site."
        if not kept["public"]:
            sentence += " The public average breaks some site's privacy target."
        return Guarantee(
            sentence=sentence,
            unit="one record at one site, replaced by any other; sizes, privacy targets and weights are public",
            not_private=("nothing: the table holds only sizes and privacy targets, and only noise is drawn",),
        )

    def table(self) -> pd.DataFrame:
        picture = self.picture or self.compute()
        plan, rows = picture.design, picture.rows
        columns = {
            "site": [row.site for row in rows],
            "size": [row.size for row in rows],
            "epsilon": [row.epsilon for row in rows],
            "delta": [row.delta for row in rows],
            "weight": picture.weights,
            "colludes": [int(row.colludes) for row in rows],
            "drops": [int(row.drops) for row in rows],
            "message_std": plan.std,
            "zero_sum_std": plan.zero_sum_std,
            "local_std": plan.local_std,
        }
        return pd.DataFrame(
            columns | {f"delta_{key}": getattr(picture.exposed, key) for key, *_ in ONLOOKERS}
        )

    def script(self) -> str:
        return _script(self.picture or self.compute(), self.model, self.controls.calibration)


def _within(model, ratio):
    """A target ratio rounded up to three digits, inside the slider's bounds."""
    low, high = model.param.target.bounds
    digits = 2 - math.floor(math.log10(ratio))
    # The conventional average has the most noise, so that limit is rounded down.
    up = math.ceil(ratio * 10**digits) if ratio > model.target else math.floor(ratio * 10**digits)
    return min(max(up / 10**digits, low), high)


def _times(ratio):
    return "exactly" if abs(ratio - 1) < 5e-4 else f"{number_text(ratio)} times"


def _beside_curator(picture):
    """CAPE's noise in the picture's unit, in a sentence."""
    ratio = f"{(picture.std['cape'] / picture.curator) ** 2:.2f}"
    curator = f"one trusted curator of all records, {consortium.kept_by_curator(picture)}"
    if ratio == "1.00":
        return f"CAPE's average is as noisy as that of {curator}."
    return f"CAPE's average has {ratio} times the noise variance of {curator}."


def _fewer(picture):
    """Why even a curator's noise changes where records are missing."""
    sizes = np.array([row.size for row in picture.rows])
    left, whole = (grouped(int(found.sum())) for found in (sizes[picture.left], sizes))
    curator = f"{(picture.std['pooled'] / picture.curator) ** 2:.2f}"
    return (
        f"{left} of {whole} records are left: even a trusted curator's average of them has "
        f"{curator} times the noise variance that it has of all."
    )


def _kept(picture):
    """For each adversary, whether every site's privacy target is met."""
    promised = np.array([row.delta for row in picture.rows])
    found = {}
    for key, *_ in ONLOOKERS:
        with np.errstate(invalid="ignore"):
            found[key] = not (getattr(picture.exposed, key) > promised * (1 + 1e-6)).any()
    return found


def _worst(picture):
    """A sentence on the site whose δ exceeds its target the most."""
    promised = np.array([row.delta for row in picture.rows])
    found = picture.exposed.colluders if picture.colluding else picture.exposed.aggregator
    ratio = np.where(np.isfinite(found), found / promised, -1)
    site = int(ratio.argmax())
    row = picture.rows[site]
    who = (
        f"the aggregator and {count_text(picture.colluding, 'colluding site')}"
        if picture.colluding
        else ("the aggregator")
    )
    if ratio[site] <= 1 + 1e-6:
        return f"Against {who} every {'honest ' if picture.colluding else ''}site has its target δ or less."
    return (
        f"Against {who} the most exposed site is {plain(row.site)}: its δ is <b>{at_most_text(found[site] / row.delta)} "
        f"times</b> its target at {equals('ε', row.epsilon)}."
    )


def _site_table(picture):
    plan, exposed, left = picture.design, picture.exposed, picture.weights[picture.left].sum()
    rows = []
    for i, row in enumerate(picture.rows):
        cells = [number_text(x) if x else "—" for x in (plan.std[i], plan.zero_sum_std[i], plan.local_std[i])]
        for key, *_ in ONLOOKERS:
            value = getattr(exposed, key)[i]
            cell = at_most_text(value) if np.isfinite(value) else "—"
            cells.append(f"<b>{cell}</b>" if value > row.delta * (1 + 1e-6) else cell)
        weight = f"{picture.weights[i] / left:.3g}" if picture.left[i] else "—"
        state = ", ".join(["colludes"] * row.colludes + ["dropped out"] * row.drops)
        rows.append(
            f"<tr><th scope='row'>{plain(row.site)}</th><td>{weight}</td><td>{at_most_text(row.delta)}</td>"
            + "".join(f"<td>{cell}</td>" for cell in cells)
            + f"<td>{state}</td></tr>"
        )
    heads = (
        "",
        "weight",
        "target δ",
        "message τ",
        "zero-sum",
        "local",
        "δ message",
        "public",
        "aggregator",
    )
    heads = (*heads, "colluders", "")
    sizes = [row.size for row in picture.rows]
    return (
        "<div class='scroll'><table><thead><tr>"
        + "".join(f"<th scope='col'>{head}</th>" for head in heads)
        + f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"<p>Bold values exceed the target. {_worst(picture)} {text.weighted(picture)} {_stds(picture)} "
        f"{_beside_curator(picture)} {text.as_long(picture)} {text.why_more(picture)} {text.spread(picture)} "
        "The published gains, at equal weights, are "
        f"{equals('G(n)', cape.gain(sizes))} and {equals('H(n)', cape.excess(sizes))}.</p>"
    )


def _stds(picture):
    """The noise of both averages in a sentence."""
    own, others, one = picture.std["cape"], picture.std["conventional"], picture.curator
    return (
        f"The noise of CAPE's average has standard deviation {number_text(own)}, {_times(own / one)} that of one "
        f"curator of all records; "
        f"with the conventional scheme it has {number_text(others)}."
    )


def _script(picture, model, calibration):
    here = [row for row in picture.rows if not (row.drops and picture.stage == "before")]
    lost = [i for i, row in enumerate(here) if row.drops]
    known = [i for i, row in enumerate(here) if row.colludes]
    places = [row in here for row in picture.rows]
    weights = picture.weights[places] / picture.weights[places].sum()
    make = "design" if model.form == "ours" else "published_design"
    return f'''"""Noise design for unequal sites, and the exact δ of every adversary at each site's own ε."""
import numpy as np

from core import Privacy, cape, schemes
from core.privacy import gdp_delta

sizes = np.array({[row.size for row in here]})
weights = np.array({weights.tolist()})
targets = [Privacy(e, d) for e, d in {[(row.epsilon, row.delta) for row in here]}]
colluding, dropped = {known}, {lost}  # dropped: after the noise was agreed
sensitivities = 1 / sizes  # of averages of numbers in [0, 1]

targets, std = schemes.message_std(sensitivities, targets, calibration={calibration!r})
std = schemes.calibrated(std, sensitivities, weights, against={model.against!r}, colluding={min(len(known), len(here) - 1)})
plan = cape.{make}(std, weights, target={model.target!r} * (weights * std).max())

left = [s for s in range(len(sizes)) if s not in dropped]
public = weights * sensitivities / weights[left].sum() / plan.average_std(dropped)
mus = {{
    "message": sensitivities / plan.std,
    "public": public,
    "aggregator": np.sqrt(plan.leakage(sensitivities, dropped=dropped)),
    "colluders": np.sqrt(plan.leakage(sensitivities, colluding, dropped=dropped)),
}}
columns = {{
    "message_std": plan.std.tolist(),
    "zero_sum_std": plan.zero_sum_std.tolist(),
    "local_std": plan.local_std.tolist(),
}}
for adversary, mu in mus.items():
    columns[f"delta_{{adversary}}"] = [
        float(gdp_delta(targets[s].epsilon, mu[s])) if s in left and s not in colluding else float("nan")
        for s in range(len(sizes))
    ]

print("noise of the average", plan.average_std(dropped))
for row in zip(*columns.values()):
    print(*("%.4g" % value for value in row))
'''
