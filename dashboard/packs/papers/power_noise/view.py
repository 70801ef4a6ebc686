"""What the page Noise shows, as a pure function of its plan and results."""

from __future__ import annotations

import numpy as np

from core import power
from dashboard.algorithms.power import patterns
from dashboard.algorithms.power.patterns import Row
from dashboard.compare import panels
from dashboard.components.numerals import LEAST, pictured, shape_of
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.papers.power_noise.model import (
    PICTURED,
    SIZES,
    WIDTHS,
    Plan,
    Spot,
    share,
    successes,
    threshold_text,
    thresholds,
)
from dashboard.page.played import Reached
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.problems.patterns import FOUND, marks
from dashboard.sheet.spec import Shown, View
from dashboard.sheet.store import Results
from dashboard.state.html_text import paragraph, rest
from dashboard.state.number_text import amount_text, count_text, equals, number_text, percent_text
from dashboard.theme.scheme_style import LOOKS, ink, label

_LEAST = 5  # Runs: with fewer, bands would cover the curves of all kinds.
_STEPS = 12  # Steps of a search that are drawn, at most.
_ORDERS = {"adversarial": "1/d", "round": "1/√d", "weak": "1/√k", "quiet": "1/√k"}
_UNDER = {"round": "random noise", "quiet": "false patterns"}
_KINDS = (
    "<b>One way</b>: noise that pulls every estimate towards one direction. <b>Off patterns</b>: random noise "
    "without its part along the patterns, which would also push estimates towards them."
)
_GUARANTEE = Guarantee(
    sentence="No record is used on this page and no privacy is promised: the disturbances represent any noise, "
    "including private noise (noise on every count is of the kind random).",
    unit="none",
    not_private=("the success rate, which is computed from the true components",),
)


def view(plan: Plan, shown: Shown) -> View:
    """What a search finds under random noise and false patterns, and how often under noise of four kinds."""
    results, standing = shown.results, shown.results.standing
    at: Plan = standing.plan.pictured
    spots: dict[str, Spot] | None = standing.get(at)
    found = successes(plan, results)
    return View(
        headline=_headline(at, spots) if spots else "Computing the first runs …",
        sections={"found": _found(at, spots), "steps": _steps(at, spots), "orders": _orders(plan, found)},
        charts={"curve": _curve(plan, found, shown)},
        words=_words(at, spots) + rest(_KINDS, *_repeats(plan, found)),
        guarantee=_GUARANTEE,
        table={
            "kind": [kind for kind, _, _ in found],
            "d": [d for _, d, _ in found],
            "size": [size for _, _, size in found],
            "success": [float(np.mean(runs)) for runs in found.values()],
            "runs": [len(runs) for runs in found.values()],
        },
    )


def reached(plan: Plan, results: Results) -> Reached | None:
    """Under which noise at least half of the runs found all patterns."""
    spots = results.get(plan.pictured)
    if spots is None:
        return None
    runs = plan.pictured.settings.repeats
    return Reached(
        "all patterns were found",
        {f"under {_UNDER[kind]}": spot.all >= 0.5 for kind, spot in spots.items()},
        symbol="",
        quantity="noise",
        short="half of runs find all" if runs > 1 else "all found",
        falls=True,
        looks={f"under {_UNDER[kind]}": kind for kind in spots},
    )


def _headline(plan, spots):
    """How many patterns were found with both kinds of noise, and whether that of privacy hides fewer."""
    counts = [spots[kind].found for kind in PICTURED]
    of, several = plan.components, plan.settings.repeats > 1
    # A bold number is an average: one run may be a lucky one.
    number = "<b>{}\u00a0of\u00a0{}</b>" if several else "{}\u00a0of\u00a0{}"
    random, fakes = (number.format(amount_text(count, of), of) for count in counts)
    finds = "the power method finds on average" if several else "in this run the power method finds"
    at = f"At noise {number_text(plan.size)}, {finds}"
    what = "patterns" if of > 1 else "pattern"
    if counts[0] == counts[1]:
        return f"{at} {random} {what} under both random noise and false patterns."
    mild = ". Here random noise, as privacy adds it, harms less" if counts[0] > counts[1] and of > 1 else ""
    return f"{at} {random} {what} under random noise, but {fakes} under false patterns of the same strength{mild}."


def _words(plan, spots):
    if not spots:
        return ""
    runs = plan.settings.repeats
    of = (
        f"Means of {count_text(runs, 'run')}; the pictures show the run nearest to them: {plan.iterations} steps "
        "from every start, then as many from the best."
        if runs > 1
        else ""
    )
    kinds = (
        f"<b>False patterns</b>: {plan.d - plan.components} of them, as planted records would add. "
        "<b>Strength</b>: the most that the noise adds along any direction, here "
        f"{number_text(plan.size)} of the weight of a hidden pattern."
    )
    return paragraph(" ".join(filter(None, (_taken(spots["quiet"]), kinds, of))))


def fakes(spot: Spot) -> list[bool]:
    """For each pattern, whether a false one was found in its place."""
    return [
        bool(fake > power.FOUND >= cosine)
        for fake, cosine in zip(spot.fake, spot.search.cosines, strict=True)
    ]


def _taken(spot):
    """What the search found in place of patterns, in the pictures."""
    taken = sum(fakes(spot))
    if not taken:
        return ""
    each = (
        "one result is itself a false pattern"
        if taken == 1
        else f"{count_text(taken, 'result')} are themselves false patterns"
    )
    return f"In the pictures, {each}: nothing shows the power method which patterns are false."


def _found(plan, spots):
    """The hidden patterns, and what was found of them with each pictured kind of noise."""
    true, k = plan.truth(plan.d).vectors, plan.components
    about = {"round": "as privacy adds it", "quiet": f"{plan.d - k} of them"}
    drawn = [Row("hidden", "the truth", pixels=pictured(true, true))]
    for kind in PICTURED:
        known = {}
        if spots:
            spot, mean = spots[kind], "mean " * (plan.settings.repeats > 1)
            signs = zip(marks(spot.search.cosines), fakes(spot), strict=True)
            known = {
                "pixels": pictured(spot.search.vectors, true),
                "marks": [f"{mark} false" if fake else mark for mark, fake in signs],
                "note": f"{mean}{amount_text(spot.found, k)} of {k}",
            }
        drawn.append(Row(label(kind), about[kind], colour=LOOKS[kind].colour, **known))
    inside = patterns.rows(drawn, width=plan.d, count=k)
    size = f"{plan.d} × {plan.d} × {plan.d}".replace(" ", "\u00a0")
    hidden = "One pattern hides" if k == 1 else f"{count_text(k, 'pattern')} hide"
    return panels.card(f"{hidden} in {size} numbers", FOUND, inside)


def _steps(plan, spots):
    """How the search for the first pattern went, from its random start."""
    parts = []
    for kind in PICTURED if spots else ():
        path = spots[kind].search.paths[0]
        at = np.unique(np.linspace(0, len(path) - 1, min(_STEPS, len(path))).round().astype(int))
        true = plan.truth(plan.d).vectors[:1]
        images = np.concatenate([pictured(path[step][None], true) for step in at])
        if plan.d < LEAST:
            strip = panels.bars(images, LOOKS[kind].colour)
        else:
            strip = panels.strip(images, shape_of(plan.d), f"steps under {label(kind)}")
        parts.append(
            f"<div class='of'><div class='who'><b style='--of:{LOOKS[kind].colour}'>{label(kind)}</b>"
            f"<small>{count_text(len(path) - 1, 'step')}</small></div><div class='drawn path'>{strip}</div></div>"
        )
    return panels.card(
        "Search for the first pattern", "from a random start", f"<div class='patterns'>{''.join(parts)}</div>"
    )


def _curve(plan, found, shown):
    """The share of runs that find everything, along the size or the width."""
    along_d = plan.axis == "d"
    reach = {} if along_d else thresholds(found)
    lines, bands = [], []
    for kind in power.KINDS:
        points = [
            (d if along_d else size, *_banded(runs)) for (k, d, size), runs in found.items() if k == kind
        ]
        x, y, low, high = (list(column) for column in zip(*points, strict=True)) if points else ([],) * 4
        look = LOOKS[kind]
        order = power.promised(kind, plan.d, plan.components)
        value = "" if along_d else f"stated order {number_text(order, digits=2)}"
        value = f"half up to {threshold_text(reach[kind])}" if kind in reach else value
        lines.append(Line(label(kind), x, y, look.colour, look.dash, value=value))
        bands.append(Band(x, low, high, look.colour))
        if not along_d and kind != "quiet":  # Its stated order is that of the kind before.
            lines.append(Line(_ORDERS[kind], [order] * 2, [0.0, 1.0], look.colour, "dotted", 2, listed=False))
    dots = [
        Points(line.name, line.x, line.y, line.colour, LOOKS[kind].marker)
        for kind, line in zip(power.KINDS, (line for line in lines if line.listed), strict=True)
    ]
    at = WIDTHS if along_d else SIZES
    awaited = [x for x in at if not any(x == (d if along_d else size) for _, d, size in found)]
    if awaited:
        dots.append(
            Points(
                "not yet computed", awaited, [0.0] * len(awaited), ink(dark=shown.dark, quiet=True), fill=0
            )
        )
    ends = (WIDTHS[0] * 0.9, WIDTHS[-1] * 1.1) if along_d else (0.9 * _least(plan), SIZES[-1] * 1.1)
    x_label = "numbers in a pattern d" if along_d else "noise, ‖E‖ / λ (1: as strong as a pattern)"
    return Chart(
        Scale(x_label, ends, log=True),
        Scale("share of runs that find all", (-0.03, 1.03)),
        title="All patterns found" + ": computing …" * bool(awaited),
        bands=tuple(band for band in bands if len(band.x)),
        lines=(*shown.pins, *lines),
        points=tuple(dots),
        rules=(plan.d if along_d else plan.size,),
    )


def _least(plan):
    """Where the axis of sizes begins: the smallest stated order is on it."""
    return min(SIZES[0], *(power.promised(kind, plan.d, plan.components) for kind in power.KINDS))


def _banded(runs):
    """The share of successes with the ends of its band, which has no width while the runs are few."""
    p, low, high = share(runs)
    return (p, low, high) if len(runs) >= _LEAST else (p, p, p)


def _orders(plan, found):
    """What the paper states of every kind, and what the runs say."""
    if plan.axis == "d":
        return _along_width(found)
    reach = thresholds(found)
    body = "".join(
        f"<tr><th scope='row'>{label(kind)}</th>"
        f"<td>{_ORDERS[kind]} = {number_text(power.promised(kind, plan.d, plan.components), digits=2)}</td>"
        f"<td><b>{threshold_text(reach.get(kind))}</b></td></tr>"
        for kind in power.KINDS
    )
    told = (
        "<p class='fine'>Wang and Anandkumar (2016) state these orders: dotted lines, with constant 1. The grey line is "
        "the present noise.</p>"
    )
    head = "<tr><th>noise</th><th>stated order</th><th>half of runs succeed up to</th></tr>"
    return panels.card(
        "How much noise", "‖E‖ / λ", f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{told}"
    )


def _along_width(found):
    """The success of every kind at its smallest and its largest width."""
    body = ""
    for kind in power.KINDS:
        rates = [(d, np.mean(runs)) for (k, d, _), runs in found.items() if k == kind]
        ends = (rates[0], rates[-1]) if rates else ()
        cells = (
            "".join(f"<td>{percent_text(p)} at {equals('d', d)}</td>" for d, p in ends)
            or "<td>…</td><td>…</td>"
        )
        body += f"<tr><th scope='row'>{label(kind)}</th>{cells}</tr>"
    told = (
        "<p class='fine'>The stated order 1/√k for weakly correlated noise holds for false patterns, which are small at a "
        "random start; not for noise off patterns, which is large there.</p>"
    )
    head = "<tr><th>noise</th><th>narrow</th><th>wide</th></tr>"
    inside = f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{told}"
    return panels.card("Runs that find all", "by width", inside)


def _repeats(plan, found):
    """Of how many runs the curve is, once all are known."""
    runs = plan.settings.repeats
    if sum(map(len, found.values())) < len(plan.trials):
        return ()
    bands = "bands: 95 %" if runs >= _LEAST else "too few for bands"
    return (f"Curve: {count_text(runs, 'run')} a point; {bands}.",)
