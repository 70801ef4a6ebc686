"""All numbers of the page Sites: noise and δ of every site, and what they say, as HTML."""

from __future__ import annotations

import numpy as np

from core import cape
from dashboard.packs.consortium.sites import consortium, text
from dashboard.packs.consortium.sites.model import SitesPicture
from dashboard.state.html_text import plain
from dashboard.state.number_text import at_most_text, count_text, equals, exactly, number_text

SEEN = ("message", "public", "aggregator", "colluders")  # What the columns of δ are against.


def table(picture: SitesPicture) -> str:
    """Weight, noise and δ of every site, and sentences on them."""
    plan, exposed, left = picture.design, picture.exposed, picture.weights[picture.left].sum()
    rows = []
    for i, row in enumerate(picture.rows):
        cells = [number_text(x) if x else "—" for x in (plan.std[i], plan.zero_sum_std[i], plan.local_std[i])]
        for key in SEEN:
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
        f"times</b> its target at {exactly('ε', row.epsilon)}."
    )


def _stds(picture):
    """The noise of both averages in a sentence."""
    own, others, one = picture.std["cape"], picture.std["conventional"], picture.curator
    return (
        f"The noise of CAPE's average has standard deviation {number_text(own)}, {_times(own / one)} that of one curator of "
        f"all records. The conventional average has {number_text(others)}."
    )


def _beside_curator(picture):
    """CAPE's noise in the picture's unit, in a sentence."""
    ratio = f"{(picture.std['cape'] / picture.curator) ** 2:.2f}"
    curator = f"one trusted curator of all records, {consortium.kept_by_curator(picture)}"
    if ratio == "1.00":
        return f"CAPE's average is as noisy as that of {curator}."
    return f"CAPE's average has {ratio} times the noise variance of {curator}."


def _times(ratio):
    return "exactly" if abs(ratio - 1) < 5e-4 else f"{number_text(ratio)} times"
