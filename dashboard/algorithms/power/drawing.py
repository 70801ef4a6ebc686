"""What every search found, as pictures: components as pixels that show their digit, each with its cosine."""

from __future__ import annotations

import numpy as np

from core import power
from core.schemes import PLAIN, PRIVATE
from dashboard.algorithms.power.model import DATA_SETTINGS, Plan, Spot, accounts, flatness
from dashboard.algorithms.power.patterns import one
from dashboard.compare import panels
from dashboard.compare.panels import Row
from dashboard.compare.store import Results
from dashboard.components.numerals import LEAST, pictured, shape_of
from dashboard.state.number_text import at_most_text, exactly, number_text
from dashboard.theme.scheme_style import LOOKS, label

_TITLES = {
    "exact": "exact composition",
    "zcdp": "concentrated (zCDP)",
    "theorem": "advanced composition, as proved",
    "published": "as printed in Algorithm 3",
}


def about(plan: Plan) -> tuple[str, str]:
    """The title of the picture, and the line beside it."""
    form = "pixels that show its digit" if plan.here["d"] >= LEAST else "bars"
    return (
        "Components found",
        f"of one run, as {form}, with the cosine to the true one; above, the mean of all runs",
    )


def value(results: Results, method: str) -> str:
    """Mean cosine of a method's components, over all of its runs."""
    spot = results.spots.get(method)
    if spot is None:
        return "" if results.plan.fits(method) else "—"
    return f"{spot.mean('cosine'):.2f}"


def result(plan: Plan, results: Results) -> str:
    """One tile a method, in the order of legends."""
    return panels.tiles([Row(m, _components(results, m), value(results, m)) for m in plan.shown])


def _components(results, method):
    spot = results.spots.get(method)
    if spot is None:
        large = (
            f"noise on {number_text(8e-9 * results.plan.here['d'] ** 3, digits=2)} GB of counts is left out"
        )
        return "" if results.plan.fits(method) else f"<small>{large}</small>"
    images = pictured(spot.search.vectors, spot.true)
    colour = LOOKS[method].colour if method != PLAIN else "currentColor"
    found = [
        f"<figure>{one(image, spot.true.shape[1], label(method), colour)}<figcaption>{_mark(cosine)}</figcaption></figure>"
        for image, cosine in zip(images, spot.search.cosines, strict=True)
    ]
    return f"<div class='found'>{''.join(found)}</div>"


def _mark(cosine):
    return f"{cosine:.2f} {'✓' if cosine > power.FOUND else '✗'}"


def search(results: Results) -> str:
    """The first component at each step of every search, from its random start; "" for bars."""
    found = [_steps(spot) for spot in results.shown() if spot.true.shape[1] >= LEAST]
    return panels.rows(found) if found else ""


def _steps(spot: Spot) -> Row:
    path = spot.search.paths[0]
    images = np.concatenate([pictured(step[None], spot.true[:1]) for step in path])
    strip = panels.strip(images, shape_of(spot.true.shape[1]), f"steps under {label(spot.method)}")
    return Row(spot.method, strip, f"{len(path) - 1} steps")


def accounting(plan: Plan) -> str:
    """All accountings of Algorithm 3, and what the recovery theorem requires."""
    order = flatness(tuple((n, plan.here[n]) for n in DATA_SETTINGS), plan.settings.delta)
    rows = "".join(
        f"<tr><th scope='row'>{_TITLES[a.calibration]}</th><td>{a.ratio:.2f} ×</td><td>{at_most_text(a.epsilon)}</td></tr>"
        for a in accounts(plan)
    )
    return (
        f"<p>{plan.releases} noisy results share {exactly('ε', plan.settings.epsilon)}, which holds even against whoever "
        "sees them all:</p><div class='scroll'><table><thead><tr><th>accounting</th><th scope='col'>noise</th>"
        f"<th scope='col'>exact ε</th></tr></thead><tbody>{rows}</tbody></table></div>"
        "<p>The printed constants add more noise than ε needs, though their ε′ is larger than the theorem they cite "
        f"allows. The components have μ₀ = {number_text(order[0])}, and Theorem 4.2 requires ε above a constant times "
        f"{number_text(order[1])}.</p>"
    )


def explained(plan: Plan) -> str:
    """Who adds noise, and how the search works."""
    once = any(m in PRIVATE for m in plan.methods)
    return (
        "<p>Each site counts how often each three of d items occur together: a tensor of d³ counts. The sum of the tensors "
        "has k components. Of words they lead to <a href='?page=topics'>topics</a>, of measurements to the centres of "
        "<a href='?page=components'>clusters</a>. A step of the power method multiplies the tensor twice by the present "
        f"estimate, which gives the next one. Of {plan.problem.restarts} random starts the best is kept.</p>"
        + "<p><b>Noise once</b>: each site adds noise to every count before it sends them; the power method uses their "
        "sum alone. A message has the same noise under CAPE and the conventional scheme. In CAPE's sum, only as much noise "
        "remains as one trusted curator would add.</p>"
        * once
        + "<p><b>Noise each step</b> (Algorithm 3): one trusted curator holds all counts, runs the power method on them, "
        "and adds noise to the result of each step. It never forms the tensor, so it alone can handle a large d.</p>"
    )
