"""The picture of the page: every site with the noise of its message, and what of all noise stays in the average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dashboard.components.live_picture.faces import COLLUDES, HONEST, SILENT, face, next_role
from dashboard.pages.trust.sites.model import SitesPicture
from dashboard.problems.sites import Row
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, number_text
from data.check import grouped

_LARGEST, _LEAST = 19.0, 5.0  # Half of the side of a face, in pixels.
_MANY = 12  # More sites get lower rows.


def after_press(rows: Sequence[Row], site: int) -> list[Row]:
    """The table after a click on a site: honest, colluding, dropped out, and honest again."""
    role = next_role(_role(rows[site]))
    changed = replace(rows[site], colludes=role == COLLUDES, drops=role == SILENT)
    return [changed if s == site else row for s, row in enumerate(rows)]


def headline(picture: SitesPicture) -> str:
    """How much less noise CAPE's average has than that of the conventional scheme, as HTML."""
    cape, conventional, pooled = (picture.std[name] ** 2 for name in ("cape", "conventional", "pooled"))
    beside = "as little as one curator of all records would add"
    if abs(cape / pooled - 1) > 1e-3:
        beside = f"{number_text(cape / pooled)} times what one curator of all records would add"
    promised = np.array([row.delta for row in picture.rows])
    with np.errstate(invalid="ignore"):
        if (picture.exposed.public > promised * (1 + 1e-6)).any():
            beside += ", too little for some site's privacy target"
    ratio, word = (conventional / cape, "less") if conventional >= cape else (cape / conventional, "more")
    return (
        f"{_condition(picture)}, CAPE's average has <b>{number_text(ratio)} times {word}</b> noise variance than with "
        f"independent noise: {beside}."
    )


def _condition(picture):
    """From whom the noise protects."""
    if picture.against == "message":
        return "If only single messages are seen"
    others = picture.colluding if picture.against == "colluders" else 0
    beside = f" and {count_text(others, 'colluding site')}" if others else ""
    return f"With privacy against the aggregator{beside}"


def markup(picture: SitesPicture) -> str:
    """HTML of the whole picture."""
    zero_sum, local = picture.shares
    most = float((zero_sum + local).max())
    rows = "".join(
        _row(s, row, float(zero_sum[s]) / most, float(local[s]) / most, picture)
        for s, row in enumerate(picture.rows)
    )
    longest = number_text(most * float(picture.design.target / picture.std["pooled"]) ** 2)
    many = " many" if len(picture.rows) > _MANY else ""
    return (
        f"<div class='sites{many}'><p class='verdict'>{headline(picture)}</p>"
        "<p class='legend'><span class='zero'>noise that cancels</span><span class='local'>noise that stays</span>"
        "<span class='hint'>Click a site: it colludes. Click again: it drops out.</span></p>"
        f"<p class='axis'>Noise variance of each site's message in the average, in units of one curator's; the longest bar "
        f"is {longest}</p>{rows}{_averages(picture)}</div>"
    )


def _role(row):
    return SILENT if row.drops else COLLUDES if row.colludes else HONEST


def _row(number, row, zero_sum, local, picture):
    role, name = _role(row), plain(row.site)
    size = _LARGEST * max(math.sqrt(row.size / max(one.size for one in picture.rows)), _LEAST / _LARGEST)
    state = {HONEST: "honest", COLLUDES: "colludes", SILENT: "dropped out"}[role]
    told = f"{name}: {grouped(row.size)} records, {state}"
    noise = f"message noise {number_text(float(picture.design.std[number]))}"
    return (
        f"<div class='site {role}' role='button' tabindex='0' aria-label='{told}' title='{told}, {noise}' data-press='site' "
        f"data-number='{number}'><svg viewBox='-20 -20 40 40' aria-hidden='true'>{face(size, shut=role == SILENT)}</svg>"
        f"<span class='name'>{name}<small>{grouped(row.size)}</small></span>"
        f"<span class='beam'><i class='zero' style='width:{100 * zero_sum:.2f}%'></i>"
        f"<i class='local' style='width:{100 * local:.2f}%'></i></span></div>"
    )


def _averages(picture):
    """What stays of all this noise in the average: of CAPE's the yellow parts, of independent noise everything."""
    unit = picture.std["pooled"] ** 2
    found = [(name, words, picture.std[name] ** 2 / unit) for name, words in _NAMES]
    most = max(value for *_, value in found)
    rows = "".join(
        f"<div class='average {name}'><span class='name'>{words}</span><span class='beam'>"
        f"<i style='width:{100 * value / most:.2f}%'></i></span><span class='number'>{number_text(value)}</span></div>"
        for name, words, value in found
    )
    return (
        "<p class='axis'>Noise variance of the average, in units of that which one curator of all records would add</p>"
        f"{rows}"
    )


_NAMES = (("cape", "CAPE"), ("conventional", "independent noise"))
