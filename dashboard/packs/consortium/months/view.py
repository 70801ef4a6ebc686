"""What the page Every month shows, as a pure function of its plan and of the strategies that were found."""

from __future__ import annotations

from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.consortium.months import text
from dashboard.packs.consortium.months.model import NAMES, SCHEMES, STRATEGIES, Found, Plan
from dashboard.packs.consortium.months.pictures import matrices, numbers
from dashboard.plotting.chart import Band, Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.number_text import number_text
from dashboard.theme import colours
from dashboard.theme.scheme_style import LOOKS, ink, label

_ERROR = "standard error, in range/N"
_BOUND = "no noise has less (r.m.s.)"
_LOOKS = {
    "independent": (colours.CONVENTIONAL, "dashed"),
    "best": (LOOKS["cape-after"].colour, "solid"),
    "buffer": (colours.SKY, "dotted"),
    "tree": (colours.OCHRE, "dotdash"),
    "square root": (colours.VIOLET, "dashdot"),
}


def view(plan: Plan, shown: Shown) -> View:
    """Errors by month of every strategy and scheme, a path of noise, two matrices, and the guarantee of the series."""
    standing = shown.results.standing
    at: Plan = standing.plan or plan
    known: Found | None = standing.get(at.key)
    if known is None:
        return View(headline="The best noise over months is being searched …", guarantee=_guarantee(plan))
    strategies = {name: at.errors(one) for name, one in known.strategies.items()}
    return View(
        headline=text.headline(at, known),
        alone={"path": text.of_path(at, known)},
        sections={"matrices": matrices(at, known.strategies[at.chosen]), "numbers": numbers(at, known)},
        charts={
            "strategies": _strategies(at, known, strategies, shown),
            "schemes": _schemes(at, known),
            "path": _path(at, known, shown),
        },
        words=text.words(at, known),
        guarantee=_guarantee(at),
        table={"query": list(range(1, 1 + len(strategies["best"])))}
        | {name: values.tolist() for name, values in strategies.items()},
    )


def _months(plan, count):
    """The months at which queries of the charts end; one whose query is left out has none."""
    first = 2 if plan.question.read == "differences" else 1
    every = range(first, first + len(plan.question.rows(plan.question.read)))
    if plan.question.read == "months" and plan.missing:
        return [k for k in every if k != plan.missing]
    return list(every)[:count]


def _strategies(plan, known, errors, shown):
    """Error of the charts' query by month, a line a strategy, above what no noise can be below."""
    lines = list(shown.pins)
    for name, values in errors.items():
        colour, dash = _LOOKS[name]
        mean = plan.root_mean_square(known.strategies[name])
        width = 3.5 if name == plan.chosen else 2
        x = _months(plan, len(values))
        lines.append(Line(STRATEGIES[name], x, values.tolist(), colour, dash, width, value=number_text(mean)))
    heights = [y for values in errors.values() for y in values]
    if plan.missing:
        lines.append(_had_it_come(plan, known))
        heights += lines[-1].y
    else:
        least = known.least / plan.mu
        heights.append(least)
        ends = (1.0, float(plan.question.person.months))
        colour = ink(dark=shown.dark, quiet=True)
        lines.append(Line(_BOUND, ends, (least,) * 2, colour, "dotted", 2, value=number_text(least)))
    title = f"{NAMES[plan.question.read].capitalize()}, by noise over months"
    return _chart(plan, title, lines, heights)


def _had_it_come(plan, known):
    """The errors under the chosen noise if the lost month had a release."""
    one, (colour, _) = known.strategies[plan.chosen], _LOOKS[plan.chosen]
    values = plan.errors(one, whole=True)
    first = 2 if plan.question.read == "differences" else 1
    name, mean = (
        f"{STRATEGIES[plan.chosen]}, had month {plan.missing} come",
        plan.root_mean_square(one, whole=True),
    )
    x = list(range(first, first + len(values)))
    return Line(name, x, values.tolist(), colour, "dotted", 1.5, value=number_text(mean))


def _schemes(plan, known):
    """The same with the chosen noise over months, a line a scheme."""
    one, lines, heights = known.strategies[plan.chosen], [], []
    for scheme in SCHEMES:
        values = plan.errors(one, scheme)
        look, mean = LOOKS[scheme], plan.root_mean_square(one, scheme)
        x = _months(plan, len(values))
        lines.append(Line(label(scheme), x, values.tolist(), look.colour, look.dash, value=number_text(mean)))
        heights += values.tolist()
    title = f"{NAMES[plan.question.read].capitalize()}, by scheme"
    return _chart(plan, title, lines, heights)


def _chart(plan, title, lines, heights):
    low, high = min(heights) / 1.15, max(heights) * 1.15
    return Chart(
        Scale("month", (0.5, plan.question.person.months + 0.5)),
        Scale(_ERROR, (low, high), log=True),
        title=title,
        lines=tuple(lines),
        rules=(float(plan.missing),) if plan.missing else (),
    )


def _path(plan, known, shown):
    """Running sums of the noise in one series, beside those of independent noise from the same draws."""
    lines, points, bands, heights = [], [], [], [0.0]
    names = dict.fromkeys(("independent", plan.chosen))
    for name in names:
        values = plan.path(known.strategies[name]).tolist()
        colour, dash = _LOOKS[name]
        x = list(range(1, len(values) + 1))
        error = plan.errors(known.strategies[name], kind="totals", whole=True, silent=False).tolist()
        bands.append(Band(x, [-y for y in error], error, colour))
        lines.append(
            Line(STRATEGIES[name], x, values, colour, dash, 2.5, value=f"± {number_text(error[-1])}")
        )
        points.append(Points(STRATEGIES[name], x, values, colour, size=6))
        heights += [*values, *error]
    months = plan.question.person.months
    zero = Line("", (0.5, months + 0.5), (0.0, 0.0), ink(dark=shown.dark, quiet=True), width=1, listed=False)
    room = max(map(abs, heights)) * 1.15 or 1.0
    return Chart(
        Scale("month", (0.5, months + 0.5)),
        Scale("running sum of noise, in range/N", (-room, room)),
        title="Noise of one series, added up",
        bands=tuple(bands),
        lines=(zero, *lines),
        points=tuple(points),
    )


def _guarantee(plan):
    found = text.guarantee(plan)
    return Guarantee(
        sentence=found,
        unit="one record of one person in each month that the person is in, replaced by any other",
    )
