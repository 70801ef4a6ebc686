"""Figures beside the topics: the effect of α0 and k on the moments, and the published utility bounds."""

from __future__ import annotations

import html

import numpy as np
from bokeh.models import ColumnDataSource, Span

from core import topics
from core.schemes import is_private
from core.topics.scaled_noise import gap
from dashboard.pages.analyse.topics.model import Background, Plan, Spot, bounds_table
from dashboard.plotting.figure import house_figure
from dashboard.state.number_text import number_text
from dashboard.theme.scheme_style import LOOKS, QUIET, ink

_OURS, _THEIRS = LOOKS["cape"].colour, LOOKS["conventional"].colour
ALPHAS = np.geomspace(0.1, 1000, 41)
COUNTS = np.unique(np.geomspace(2, 100, 20).astype(int))


class MomentFigures:
    """[Lda] Figure 3: σ_k of M2 against α0, and the gap of T's eigenvalues against k, for random topics."""

    def __init__(self):
        self._drawn: tuple = ()
        self.spectrum = house_figure(
            "α₀",
            "k-th singular value",
            x_log=True,
            y_log=True,
            height=300,
            title="σₖ of M2 against α₀",
        )
        self.gaps = house_figure(
            "topics k",
            "smallest gap γ of T",
            x_log=True,
            y_log=True,
            height=300,
            title="Eigenvalue gap of T against k",
        )
        self._spectrum = ColumnDataSource({"alpha0": [], "ours": [], "theirs": []})
        self._gaps = ColumnDataSource({"k": [], "gap": []})
        for name, colour, dash, text in (
            ("ours", _OURS, "solid", "M2"),
            ("theirs", _THEIRS, "dashed", "α₀(α₀+1) M2, as in [Lda]"),
        ):
            self.spectrum.line(
                "alpha0",
                name,
                source=self._spectrum,
                color=colour,
                line_dash=dash,
                line_width=2.5,
                legend_label=text,
            )
        self.gaps.line("k", "gap", source=self._gaps, color=_OURS, line_width=2.5)
        quiet = {"line_color": ink(dark=False, quiet=True), "tags": [QUIET], "line_dash": "dotted"}
        self._alpha0, self._k = (Span(dimension="height", **quiet) for _ in range(2))
        self.spectrum.add_layout(self._alpha0)
        self.gaps.add_layout(self._k)
        self.spectrum.legend.update(location="bottom_left", background_fill_alpha=0, border_line_color=None)

    def draw(self, plan: Plan) -> None:
        """Draw for the present k, d and seed."""
        k, d, seed = plan.here["k"], plan.here["vocabulary"], plan.settings.data_seed
        self._alpha0.location = plan.here["alpha0"]
        if (k, d, seed) == self._drawn:
            return
        self._drawn = k, d, seed
        rng = np.random.default_rng(seed)
        words = rng.dirichlet(np.full(d, 0.1), k)
        ours = np.array([topics.population_spectrum(words, np.full(k, a / k))[-1] for a in ALPHAS])
        self._spectrum.data = {"alpha0": ALPHAS, "ours": ours, "theirs": ours * ALPHAS * (ALPHAS + 1)}
        found = [np.median([_random_gap(rng, n) for _ in range(50)]) for n in COUNTS]
        self._gaps.data = {"k": COUNTS, "gap": found}
        self._k.location = k


def _random_gap(rng, k):
    """γ for one α drawn evenly from the simplex, α0 = 1000, relative to the largest eigenvalue."""
    eigenvalues = topics.population_eigenvalues(1000 * np.maximum(rng.dirichlet(np.ones(k)), 1e-9))
    return gap(eigenvalues) / eigenvalues[0]


MOMENT_WORDS = (
    "<p>Left: the k-th singular value of M2 falls as documents mix their topics; the paper's Figure 3(a) rises because it "
    "multiplies M2, and with it the sensitivities, by α₀(α₀+1). Right: the smallest gap between eigenvalues of T, which "
    "configurations 3 and 4 divide their noise by, shrinks with k (median over random α); Figure 3(b) draws it as a "
    "negative number that rises towards zero. Both figures show the distribution itself, for random topics, and use no "
    "records. At α₀ = 1000 documents of 50 words do not reveal their topics, with or without privacy.</p>"
)
_EDGES = {
    "configuration-e": "E1, E2, T",
    "configuration-1": "e3, e4, e8",
    "configuration-1-pure": "e3, e4",
    "configuration-2": "e6, e8",
    "configuration-3": "e7, e8",
    "configuration-4": "e9",
    "variational": "expected statistics, 10 passes",
}
_WHEN = {
    "configuration-e": "any; best for α₀ ≤ 1",
    "configuration-1": "many documents, few words",
    "configuration-1-pure": "pure ε is required",
    "configuration-2": "never for protection; shows the possible gain of whitening first",
    "configuration-3": "never: one document can change γ without bound",
    "configuration-4": "never: the same, and noise on d words",
    "variational": "real text measured by perplexity",
}


def configurations_table(plan: Plan, known: Background, spots: list[Spot]) -> str:
    """[Lda] Table 1 at the present settings, the error of one repetition, and when to use each configuration."""
    bounds = bounds_table(plan, known)
    rows = []
    for spot in spots:
        if not is_private(spot.method):
            continue
        bound = bounds.get(spot.method.removeprefix("configuration-"))
        levels = ", ".join(f"{n} {number_text(v, digits=2)}" for n, v in spot.found.noise.items())
        valid = "valid" if spot.found.guarantee.valid else "not valid"
        rows.append(
            f"<tr><th scope='row'>{html.escape(LOOKS[spot.method].label)}</th><td>{_EDGES[spot.method]}</td>"
            f"<td>{html.escape(levels) or '—'}</td><td>{number_text(bound, digits=2) if bound else '—'}</td>"
            f"<td>{'abstained' if spot.found.abstained else number_text(spot.value)}</td>"
            f"<td title='{html.escape(spot.found.guarantee.reason, quote=True)}'>{valid}</td>"
            f"<td style='white-space:normal;min-width:11em'>{_WHEN[spot.method]}</td></tr>"
        )
    return (
        "<div class='scroll'><table><thead><tr><th></th><th scope='col'>noise on</th><th scope='col'>σ of the noise"
        "</th><th scope='col'>[Lda] Table 1</th><th scope='col'>measured</th><th scope='col'>guarantee</th>"
        f"<th scope='col'>use it when</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        "<p>The bounds of Table 1 are orders of magnitude with constants set to one, from the true σ₁, σₖ and γ: "
        "they rank the configurations, they are no guarantee, and they are not private.</p>"
    )
