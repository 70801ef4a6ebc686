"""Who stands apart: noise of its own for every site, where it is planned that as many drop out as did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.cape import design
from core.schemes import most_dropouts, planned_silence
from core.schemes.after_design import design as design_after
from core.schemes.terms import Adversary, Terms
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, number_text

_FEWER = 0.5  # A site with less than this part of the others' noise that cancels stands apart.
_NOTHING = 1e-4  # Of a curator's variance.
_TITLE = "Who stands apart? <small>noise variance of each message in the average, planned for {}; 1 = one curator's</small>"


@dataclass(frozen=True)
class Apart:
    """Both designs that are planned for the dropouts; arrays of shape (S,), of variances in the average.

    Attributes
    ----------
    zero_sum, local : ndarray
        d_s and γ_s where the sum comes before the messages.
    late : ndarray or None
        γ_s where it comes after them; None if that order does not allow so many dropouts.
    worst : dict of str to float
        By scheme, the noise of the average when those drop out that leave the most.
    merged : bool
        Whether similar sites have one pair of variances.
    """

    zero_sum: np.ndarray
    local: np.ndarray
    late: np.ndarray | None
    worst: dict[str, float]
    merged: bool


def planned(std, weights, silent: int, *, against: Adversary, colluding: int) -> Apart | None:
    """The designs for sites that need `std` on a message seen alone; None if no noise of its own is planned for them.

    Against one message alone the published design is planned, whoever may drop out.
    """
    count = len(weights)
    colluding = colluding if against == "colluders" else 0
    if against == "message" or not silent or silent + colluding >= count:
        return None
    held: dict = {"against": against, "colluding": colluding, "dropouts": silent}
    first = design(std, weights, amplitude="best", **held)
    after = None
    if silent <= most_dropouts("cape-after", count, colluding=colluding):
        after = design_after(std, weights, terms=Terms(**held))
    names = ("cape", "cape-best", *(("cape-after",) if after is not None else ()))
    return Apart(
        zero_sum=(first.weights * first.seed_std) ** 2,
        local=(first.weights * first.local_std) ** 2,
        late=None if after is None else (after.weights * after.local_std) ** 2,
        worst={name: planned_silence(name, std, weights, **held).std for name in names},
        merged=first.merged or (after is not None and after.merged),
    )


def markup(picture) -> str:
    """The bars of d_s and γ_s of every site in both orders, and what either leaves; a card."""
    found, unit = picture.apart, picture.unit**2
    most = float((found.zero_sum + found.local).max()) / unit
    rows = "".join(_row(site, row.site, found, unit, most) for site, row in enumerate(picture.rows))
    silent = count_text(int((~picture.left).sum()), "dropout")
    late = "<span>sum after the messages</span>" if found.late is not None else "<span></span>"
    return (
        f"<section class='card apart'><h2>{_TITLE.format(silent)}</h2>"
        f"<p class='heads'><span></span><span>sum before the messages</span>{late}</p>{rows}"
        f"<p>{_who(picture, found)} {_left(picture, found)}</p></section>"
    )


def _row(site, name, found, unit, most):
    zero_sum, local = found.zero_sum[site] / unit, found.local[site] / unit
    first, second = _bar(((zero_sum, "zero"), (local, "local")), most), "<span></span>"
    if found.late is not None:
        second = _bar(((found.late[site] / unit, "local"),), most)
    return f"<div class='row'><span>{plain(name)}</span>{first}{second}</div>"


def _bar(parts, most):
    """Parts of a bar beside each other, with their numbers."""
    bars = "".join(f"<i class='{kind}' style='width:{100 * size / most:.2f}%'></i>" for size, kind in parts)
    said = " + ".join(f"<b class='{kind}'>{_number(float(size))}</b>" for size, kind in parts)
    return f"<span class='pair'><span class='duo'>{bars}</span><span>{said}</span></span>"


def _number(size):
    return "0" if size < _NOTHING else number_text(size, digits=2)


def _who(picture, found):
    """The site with the least noise that cancels, if it stands apart."""
    site = int(found.zero_sum.argmin())
    if found.zero_sum[site] > _FEWER * np.median(found.zero_sum):
        return "Every site draws about as much noise that cancels (blue)."
    why = ", for its dropping out would leave the most" if site == picture.weights.argmax() else ""
    groups = " Similar sites share a pair of variances." if found.merged else ""
    return f"<b>{plain(picture.rows[site].site)} stands apart</b>: it has the least noise that cancels (blue){why}.{groups}"


def _left(picture, found):
    """What each plan leaves in the average at worst."""
    noise = {name: f"{picture.noise(std):.2f}" for name, std in found.worst.items()}
    count = int((~picture.left).sum())
    whoever = "Whichever site drops out" if count == 1 else f"Whichever {count} sites drop out"
    out = (
        f"{whoever}, the average of the others has at most <b>{noise['cape-best']} times</b> a curator's noise variance, "
        f"and {noise['cape']} times without such a plan"
    )
    if found.late is None:
        return f"{out}. With the sum after the messages so many may not drop out."
    late = f"at most <b>{noise['cape-after']} times</b> with the sum after the messages"
    return f"{out}; {late}, which takes all blue noise off."
