"""The picture of the page: every site's value, its masks, the masked input that the aggregator sees, and the sum.

It stands as it ends. Play takes eight seconds: pairs of sites agree on masks, inputs arrive, the masks of a pair meet in
the sum and cancel, shares remove the others, and the sum appears. *Pause* holds all of it, in the browser alone.
"""

from __future__ import annotations

from dashboard.components.live_picture.faces import HONEST, SILENT, face
from dashboard.packs.trust.secure_sum.model import Done, Plan, Stopped
from dashboard.state.number_text import count_text

_MANY = 12  # More sites get lower rows.
_BYTES = 8
COMES = 7.4  # Seconds from Play to the sum, as in the sheet.
SUM, _MOST_DIGITS = 2, 6  # Decimals of the sum, and the most of a value.
_AGGREGATOR = f"<div class='row sum'><svg viewBox='-20 -20 40 40' aria-hidden='true'>{face(18)}</svg>"


def exchange(plan: Plan, found: Done | Stopped | None, *, plays: int = 0) -> str:
    """HTML of the whole picture, which runs from its beginning with every number of plays; without a run, the values."""
    values = [float(value) for value in plan.values[:, 0]]
    digits, included, total = SUM + 1, range(plan.sites), None
    if isinstance(found, Done):
        included, total = found.run.included, float(found.run.total[0])
        digits = _digits([values[s] for s in included], total)
    elif found is not None:
        included = [s for s in included if s not in set().union(*plan.silent.values())]
    rows = "".join(
        f"{_row(s, value, s in included, plan.reach, digits)}{_masks(plan, found, s)}{_sent(found, s, included)}</div>"
        for s, value in enumerate(values)
    )
    return _whole(plan, rows + _sum(plan, found, total), plays=plays if total is not None else None)


def _sum(plan, found, total):
    if found is None:
        return f"{_AGGREGATOR}<span class='none'>computing …</span></div>"
    if total is None:
        why = ": too few, the masks cannot be removed" if found.inputs else ""
        return f"{_AGGREGATOR}<span class='none'>no sum{why}</span></div>"
    return (
        f"{_AGGREGATOR}<span>sum</span>{_bar(total, plan.reach, 'total', SUM)}"
        f"<span class='cleared'>{_use(plan, len(found.run.included))}</span></div>"
    )


def _use(plan, included):
    """What CAPE does with the sum; where a site leaves after it was added up, why the masks are gone."""
    if plan.lost and plan.round == "unmask":
        return "Masks of a pair cancel. The sites that stay remove the rest."
    return f"In CAPE each site subtracts 1/{included} of the sum; the numbers then add up to 0."


def _whole(plan, rows, *, plays):
    """The card; without a number of plays there is no sum to play."""
    kinds = " many" * (plan.sites > _MANY) + " plays" * bool(plays)
    value = f"first of its {plan.entries} random numbers" if plan.entries > 1 else "random number"
    key = f"{plan.seed}-{plan.sites}-{plan.lost}-{plan.round}-{plays}"
    off = " disabled" if plays is None else ""
    buttons = f"<button type='button' class='chip' data-press='play' data-number='0'{off}>▶ Play</button>"
    if plays:
        buttons += "<label class='chip pause'><input type='checkbox'>❚❚ Pause</label>"
    told = _steps(plan.lost) if plays else ""
    return (
        f"<section class='card secure{kinds}' data-key='{key}' style='--n:{plan.sites}'><h2>The exchange {buttons}</h2>"
        f"<p class='pairs'><span>{_PAIRS}</span>{told}</p><p class='row heads'><span class='corner'></span>"
        f"<span>{value}, secret</span><span class='masks'>+ masks</span>"
        "<span title='Eight bytes in hexadecimal'>= what it sends<small>: looks random</small></span></p>"
        f"{rows}</section>"
    )


_PAIRS = "Each pair of sites shares a secret mask: one adds it, the other subtracts it."
# What happens in the seconds of Play, from when and for how long, as in the sheet.
_STEPS = (
    (0.0, 1.9, "Each pair of sites agrees on a secret number: one adds it, the other subtracts it."),
    (1.9, 1.8, "Each site adds all its masks, and a round one of its own, and sends the result{silent}."),
    (3.7, 2.8, "In the sum, the two masks of a pair cancel."),
    (6.5, 0.9, "The sites that stay help to remove the masks that are left."),
)
_NO_MASKS = "<span class='masks'></span>"


def _steps(lost):
    """The step of Play that is under way, in words, one after another; later the line says what a mask is."""
    silent = f"; {count_text(lost, 'site')} {'drops' if lost == 1 else 'drop'} out" if lost else ""
    return "".join(
        f"<span class='now' style='--from:{start}s;--for:{takes}s' aria-hidden='true'>{text.format(silent=silent)}</span>"
        for start, takes, text in _STEPS
    )


def _masks(plan, found, site):
    """The masks of a site, a column for each partner: + and − of a pair cancel, and its own stands on the diagonal."""
    if found is None or site not in (found.partners if isinstance(found, Done) else found.inputs):
        return _NO_MASKS
    if plan.sites > _MANY:
        kind = _kind(found, site, site)
        return f"<span class='masks'><i class='{kind} whole' style='--k:{site / plan.sites:.2f}'></i></span>"
    parts = (_mask(site, partner, plan.sites, _kind(found, site, partner)) for partner in found.partners)
    return f"<span class='masks'>{''.join(parts)}</span>"


def _kind(found, site, partner):
    """What becomes of a mask: it cancels, is removed, or leaves with a site that drops out."""
    if not isinstance(found, Done):
        return "kept"
    included = found.run.included
    return "lost" if site not in included else "pair" if partner != site and partner in included else "rest"


def _mask(site, partner, sites, kind):
    first, second = min(site, partner), max(site, partner)
    order = (first * sites + second) / sites**2
    sign = "" if site == partner else "+" if site < partner else "−"
    return (
        f"<i class='{kind}' data-sign='{sign}' "
        f"style='--c:{partner};--d:{(first + second) / 2 - partner:g};--k:{order:.2f}'></i>"
    )


def _digits(values, total):
    """Decimals with which the shown values add to the shown sum."""
    for digits in range(SUM + 1, _MOST_DIGITS):
        if fixed(sum(round(value, digits) for value in values), SUM) == fixed(total, SUM):
            return digits
    return _MOST_DIGITS


def fixed(value: float, digits: int) -> str:
    """A number with so many decimals."""
    return f"{value:.{digits}f}".replace("-", "−")


def _row(site, value, included, reach, digits):
    role = HONEST if included else SILENT
    return (
        f"<div class='row site {role}' style='--i:{site}'><svg viewBox='-20 -20 40 40' aria-hidden='true'>"
        f"{face(16, shut=not included)}</svg><span>{site + 1}</span>{_bar(value, reach, 'value', digits)}"
    )


def _bar(value, reach, kind, digits):
    """A bar to the left or to the right of zero, with its number."""
    width = 50 * abs(value) / reach
    left = 50 - width if value < 0 else 50
    return (
        f"<span class='beam {kind}'><i style='left:{left:.2f}%;width:{width:.2f}%'></i>"
        f"<b>{fixed(value, digits)}</b></span>"
    )


def _sent(found, site, included):
    """The eight bytes of a masked number, shaded, with their digits: without the keys of the masks they are random."""
    if found is None or (site not in found.inputs and site in included):
        return ""
    if site not in found.inputs:
        return "<span class='none'>nothing</span>"
    masked = found.inputs[site]
    parts = "".join(
        f"<i style='--shade:{byte / 255:.2f}'>{byte:02x}</i>" for byte in masked.to_bytes(_BYTES, "big")
    )
    return f"<span class='bytes' title='{masked:016x}'>{parts}</span>"
