"""What the page Sites shows, as a pure function of its design."""

from __future__ import annotations

import html
import math

import numpy as np

from dashboard.guarantee import observer
from dashboard.guarantee.guarantee import Guarantee
from dashboard.packs.consortium.sites import apart, consortium, details, text
from dashboard.packs.consortium.sites.model import DRAWS, SitesPicture, compared
from dashboard.plotting.chart import Chart, Line, Points, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import rest
from dashboard.state.number_text import at_most_text, number_text, percent_text
from dashboard.theme.colours import AGGREGATOR, COLLUDERS, ONE_MESSAGE, PUBLIC
from dashboard.theme.scheme_style import LOOKS, ink, label
from data.check import grouped

BELOW = 1e-4  # A δ below this fraction of the least promise is drawn at the edge.
# Adversary, marker, colour, label.
_ONLOOKERS = (
    ("message", "circle", ONE_MESSAGE, "its message alone"),
    ("public", "square", PUBLIC, "the public average"),
    ("aggregator", "diamond", AGGREGATOR, "the aggregator"),
    ("colluders", "triangle", COLLUDERS, "with the colluders"),
)


def view(picture: SitesPicture, shown: Shown) -> View:
    """Who pays for what, as bars; every adversary's δ for each site; and the noise of the average under every scheme."""
    return View(
        headline=_headline(picture),
        sections={
            "sites": f"<section class='card'>{consortium.markup(picture)}</section>",
            "average": _average(picture),
            **({} if picture.apart is None else {"apart": apart.markup(picture)}),
        },
        charts={"deltas": _deltas(picture, shown)},
        words=_words(picture),
        further=[("Noise and δ of every site", details.table(picture))],
        guarantee=_guarantee(picture),
        table=_table(picture),
    )


def _headline(picture):
    said = text.headline(picture)
    if not picture.refused:
        return said
    take = f"Take {number_text(picture.target)} ×"
    return (
        f"<span role='alert'>{html.escape(picture.refused)}</span> "
        f"<button type='button' class='chip example' data-press='nearest' data-number='0'>{take}</button> "
        f"<small>The pictures show the design at {number_text(picture.target)} ×.</small>"
    )


def _deltas(picture, shown):
    """Each adversary's δ for each site, beside what the site was promised."""
    names, promised = _names(picture.rows), np.array([row.delta for row in picture.rows])
    edge, high = 10.0 ** math.floor(math.log10(BELOW * promised.min()) + 1e-9), promised.max()
    quiet, places = ink(dark=shown.dark, quiet=True), np.arange(1, len(names) + 1)
    points = [_points("promised", places, promised, edge, quiet, "dash", 44)]
    for number, (key, marker, colour, name) in enumerate(_ONLOOKERS):
        if key == "colluders" and not picture.colluding:
            continue  # Without colluders this is the aggregator's δ.
        # Markers lie side by side, so that equal values stay visible.
        offset = 0.2 * (number - 1.5)
        deltas = np.asarray(getattr(picture.exposed, key))
        # What is too small for the axis stands at its end, as a triangle.
        for shape, width, at in (
            (marker, 9, np.where(deltas < edge, np.nan, deltas)),
            ("inverted_triangle", 13, np.where(deltas < edge, deltas, np.nan)),
        ):
            points.append(_points(name, places + offset, at, edge, colour, shape, width))
    points = [one for one in points if len(one.x)]
    high = max(y for one in points for y in one.y)
    keys = tuple(
        Line(name, (), (), colour, width=4) for name, colour in {p.name: p.colour for p in points}.items()
    )
    return Chart(
        Scale("", (0.4, len(names) + 0.6), names=tuple(names)),
        Scale("δ at the site's own ε (▼ below)", (edge / 3, min(6.0, 6 * high)), log=True),
        title="What each adversary learns",
        lines=keys,
        points=tuple(points),
    )


def _points(name, x, values, edge, colour, marker, size):
    known = np.isfinite(values) & (values > 0)
    notes = [f"δ ≤ {at_most_text(delta)}" for delta in values[known]]
    y = np.clip(values[known], edge, 1).tolist()
    return Points(name, x[known].tolist(), y, colour, marker, size, notes=notes)


def _average(picture):
    """Predicted and measured noise of the released average under every scheme, as bars."""
    found = {
        scheme: ((std / picture.curator) ** 2, (picture.measured[scheme] / picture.curator) ** 2)
        for scheme, std in picture.std.items()
        if scheme in compared()
    }
    most = max(max(pair) for pair in found.values())
    bars = "".join(
        f"<div class='scheme'><span>{html.escape(label(scheme))}</span><span class='meter'>"
        f"<i style='width:{100 * predicted / most:.1f}%;background:{LOOKS[scheme].colour}'></i>"
        f"<u style='left:{100 * measured / most:.1f}%'></u></span>"
        f"<strong>{number_text(predicted)}</strong><small>measured {number_text(measured)}</small></div>"
        for scheme, (predicted, measured) in found.items()
    )
    spread = percent_text(math.sqrt(2 / DRAWS), digits=1)
    about = f"noise variance, × one curator's; ○ measured, {DRAWS} repetitions (± {spread})"
    return f"<section class='card'><h2>The released average <small>{about}</small></h2>{bars}</section>"


def _words(picture):
    lost = text.dropped(picture)
    out = "" if picture.eased is None else text.gain(picture, "CAPE's average")  # Else the headline says it.
    if lost:
        when = (
            "after the noise was agreed, so its part remains"
            if picture.stage == "after"
            else "before it was agreed"
        )
        out = f"{lost[:1].upper()}{lost[1:]} dropped out {when}. {_fewer(picture)}"
    return rest(
        f"{out.removesuffix('.')}." if out else "",
        text.deltas(picture),
        "<a href='?page=limits'>Limits of CAPE</a>",
    )


def _fewer(picture):
    """Why even a curator's noise changes where records are missing."""
    sizes = np.array([row.size for row in picture.rows])
    left, whole = (grouped(int(found.sum())) for found in (sizes[picture.left], sizes))
    curator = f"{(picture.std['pooled'] / picture.curator) ** 2:.2f}"
    return (
        f"{left} of {whole} records are left: even a trusted curator's average of them has "
        f"{curator} times the noise variance that it has of all."
    )


def _guarantee(picture):
    kept, whom = _kept(picture), observer.name(picture.against, picture.colluding)
    sentence = (
        f"Each site's own (ε, δ) is calibrated against {whom}. "
        "The figure and table give the exact δ against each adversary."
    )
    if not kept[picture.against]:
        sentence += " This design does not meet it for every site."
    if not kept["public"]:
        sentence += " The public average breaks some site's privacy target."
    return Guarantee(
        sentence=sentence,
        unit="one record at one site, replaced by any other; sizes, privacy targets and weights are public",
        not_private=("nothing: the table holds only sizes and privacy targets, and only noise is drawn",),
    )


def _kept(picture):
    """For each adversary, whether every site's privacy target is met."""
    promised = np.array([row.delta for row in picture.rows])
    found = {}
    for key in details.SEEN:
        with np.errstate(invalid="ignore"):
            found[key] = not (getattr(picture.exposed, key) > promised * (1 + 1e-6)).any()
    return found


def _table(picture):
    design, rows = picture.design, picture.rows
    columns = {name: [getattr(row, name) for row in rows] for name in ("site", "size", "epsilon", "delta")}
    columns |= {
        "weight": picture.weights,
        "colludes": [int(row.colludes) for row in rows],
        "drops": [int(row.drops) for row in rows],
        "message_std": design.std,
        "zero_sum_std": design.zero_sum_std,
        "local_std": design.local_std,
    }
    return columns | {f"delta_{key}": getattr(picture.exposed, key) for key in details.SEEN}


def _names(rows):
    """Names of the sites for an axis; equal names get a number."""
    names, seen = [], set()
    for number, row in enumerate(rows, start=1):
        name = row.site if row.site not in seen else f"{row.site} ({number})"
        seen.add(name)
        names.append(name)
    return names
