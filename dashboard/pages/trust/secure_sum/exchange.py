"""The picture of the page: every site's value, its masks, the masked input that the aggregator sees, and the sum.

Before Play every site has masked its value, and the sum is asked for. Play takes eight seconds: pairs of sites
agree on masks, inputs arrive, the masks of a pair meet in the sum and cancel, shares remove the others, and the sum
appears. *Pause* holds all of it, in the browser alone.
"""

from __future__ import annotations

from dashboard.components.live_picture.faces import HONEST, SILENT, face
from dashboard.pages.trust.secure_sum.model import Plan, SecureSumPicture, Stopped
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text

_MANY = 12  # More sites get lower rows.
_BYTES = 8
COMES = 7.4  # Seconds from Play to the sum, as in the sheet.
_SUM, _MOST_DIGITS = 2, 6  # Decimals of the sum, and the most of a value.
_AGGREGATOR = f"<div class='row sum'><svg viewBox='-20 -20 40 40' aria-hidden='true'>{face(18)}</svg>"
_OPEN = f"{_AGGREGATOR}<span>sum</span><b class='asked'>?</b></div>"  # The sum before Play.


def safe(picture: SecureSumPicture) -> int:
    """Fewer colluding sites than this learn no more than the sum of the others."""
    # Whoever knows all inputs but one subtracts them from the sum.
    return min(picture.plan.threshold, len(picture.run.included) - 1)


def headline(picture: SecureSumPicture) -> str:
    """What the aggregator learns, as HTML."""
    plan, included, total = picture.plan, len(picture.run.included), float(picture.run.total[0])
    first = f" in the first of {plan.entries} places" if plan.entries > 1 else ""
    more = (
        f"together with fewer than {safe(picture)} colluding sites, no more than the sum of the others"
        if safe(picture) > 1
        else "while no site colludes, nothing more"
    )
    return (
        f"If all follow the protocol, the aggregator learns <b>the sum of {included} random numbers, "
        f"{_fixed(total, _SUM)}</b>{first}, and, {more}."
    )


def markup(picture: SecureSumPicture, *, plays: int = 0) -> str:
    """HTML of the whole picture, which begins anew with every number of plays; before the first there is no sum."""
    plan, run = picture.plan, picture.run
    sent = {m.sender: int(m.content[m.sender][0]) for m in run.aggregator_view if m.round == "input"}
    total = float(run.total[0])
    digits = _digits([float(picture.values[s]) for s in run.included], total)
    partners = _partners(picture)
    rows = "".join(
        _row(
            s,
            float(picture.values[s]),
            s in run.included or not plays,
            plan.reach,
            digits,
            _masks(picture, s, partners),
        )
        + (_input(sent.get(s)) if plays else _UNSENT)
        + "</div>"
        for s in range(plan.sites)
    )
    if not plays:
        return _whole(plan, _ASKED, rows + _OPEN, kind=" ready")
    aggregator = (
        f"{_AGGREGATOR}<span>sum</span>{_bar(total, plan.reach, 'total', _SUM)}"
        f"<span class='cleared'>{_use(plan, len(run.included))}</span></div>"
    )
    # The answer comes with the sum; until then the question stands.
    said = f"<span class='asking' aria-hidden='true'>{_ASKED}</span><span class='answer'>{headline(picture)}</span>"
    return _whole(plan, said, rows + aggregator, plays=plays, told=_steps(plan.sites - len(run.included)))


def _use(plan, included):
    """What CAPE does with the sum; where a site leaves after it was added up, why the masks are gone."""
    if plan.lost and plan.round == "unmask":
        return "Masks of a pair cancel. The sites that stay remove the rest."
    return f"CAPE: each of the {included} sites subtracts 1/{included} of the sum from its number; the rest adds up to 0."


def waiting(plan: Plan) -> str:
    """HTML of the sites before the first run: their values, and nothing sent."""
    values = plan.values[:, 0]
    rows = "".join(
        _row(s, float(value), True, plan.reach, _SUM + 1, _NO_MASKS) + "</div>"
        for s, value in enumerate(values)
    )
    return _whole(plan, _ASKED, rows + _OPEN)


def stopped(plan: Plan, found: Stopped) -> str:
    """HTML of the sites of a run that failed: the masked inputs that were sent, and why there is no sum."""
    values = plan.values[:, 0]
    silent = set().union(*plan.silent.values())
    rows = "".join(
        _row(s, float(value), s not in silent, plan.reach, _SUM + 1, _kept_masks(plan, found, s))
        + (_input(found.inputs.get(s)) if s in found.inputs or s in silent else "")
        + "</div>"
        for s, value in enumerate(values)
    )
    said = f"<b>The protocol stopped</b>: {plain(_why(found.why))}."
    none = "no sum: too few, the masks cannot be removed" if found.inputs else "no sum"
    return _whole(plan, said, f"{rows}{_AGGREGATOR}<span class='none'>{none}</span></div>", play=False)


def _why(reason):
    """Why the protocol stopped, with what a round is for instead of its name."""
    for name, did in _DID.items():
        reason = reason.replace(f"answered in round {name!r}", did)
    return reason


_DID = {
    "keys": "sent their keys",
    "shares": "sent the shares of their keys",
    "input": "sent their masked number",
    "unmask": "helped to remove the masks",
}


_ASKED = "Every site hides its random number under masks and sends it to an aggregator. What does the aggregator learn?"


def _whole(plan, said, rows, *, plays=0, play=True, kind="", told=""):
    many = " many" if plan.sites > _MANY else ""
    value = f"first of its {plan.entries} random numbers" if plan.entries > 1 else "its random number"
    key = f"{plan.seed}-{plan.sites}-{plan.lost}-{plan.round}-{plays}"
    again = "again" if plays else "the protocol"
    button = f"<button data-press='play' data-number='0'>▶ Play {again}</button>" if play else ""
    if not play:  # A button that keeps its place: without a sum there is nothing to play.
        button = "<button disabled>▶ Play: no sum</button>"
    if plays:
        button += "<label class='pause'><input type='checkbox'>❚❚ Pause</label>"
    return (
        f"<div class='secure{many}{kind}' data-key='{key}' style='--n:{plan.sites}'><p class='verdict'>{said}</p>"
        f"<p class='go'>{button}</p><p class='pairs'><span>{_PAIRS}</span>{told}</p>"
        f"<p class='row heads'><span class='corner'></span>"
        f"<span>{value}, secret</span><span class='masks'>+ masks</span>"
        "<span title='Eight bytes in hexadecimal'>= what it sends<small>: looks random</small></span></p>"
        f"{rows}</div>"
    )


# Before Play nobody sees who will send.
_UNSENT = f"<span class='bytes unsent'>{'<i></i>' * _BYTES}</span>"
_PAIRS = "Each pair of sites shares a secret number, a mask: one adds it, the other subtracts it."
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
    silent = f"; {count_text(lost, 'site')} {'stays' if lost == 1 else 'stay'} silent" if lost else ""
    return "".join(
        f"<span class='told' style='--from:{start}s;--for:{takes}s' aria-hidden='true'>{text.format(silent=silent)}</span>"
        for start, takes, text in _STEPS
    )


def _partners(picture):
    """Whoever has sent shares is a partner, also if its input never came."""
    return [m.sender for m in picture.run.aggregator_view if m.round == "shares"]


def _masks(picture, site, partners):
    """The masks of a site, a column for each partner: + and − of a pair cancel, and its own stands on the diagonal."""
    if site not in partners:
        return _NO_MASKS
    sites, included = picture.plan.sites, picture.run.included

    def kind(partner):
        # The masks of a site that falls silent leave with it.
        return (
            "lost" if site not in included else "pair" if partner != site and partner in included else "rest"
        )

    if sites > _MANY:
        return f"<span class='masks'><i class='{kind(site)} whole' style='--k:{site / sites:.2f}'></i></span>"
    parts = (_mask(site, partner, sites, kind(partner)) for partner in partners)
    return f"<span class='masks'>{''.join(parts)}</span>"


def _kept_masks(plan, found, site):
    """The masks of a site whose input arrived and that nobody takes off."""
    if site not in found.inputs:
        return _NO_MASKS
    if plan.sites > _MANY:
        return "<span class='masks'><i class='kept whole'></i></span>"
    parts = (_mask(site, partner, plan.sites, "kept") for partner in found.sharing)
    return f"<span class='masks'>{''.join(parts)}</span>"


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
    for digits in range(_SUM + 1, _MOST_DIGITS):
        if _fixed(sum(round(value, digits) for value in values), _SUM) == _fixed(total, _SUM):
            return digits
    return _MOST_DIGITS


def _fixed(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def _row(site, value, included, reach, digits, masks):
    role = HONEST if included else SILENT
    return (
        f"<div class='row site {role}' style='--i:{site}'><svg viewBox='-20 -20 40 40' aria-hidden='true'>"
        f"{face(16, shut=not included)}</svg><span>{site + 1}</span>{_bar(value, reach, 'value', digits)}{masks}"
    )


def _bar(value, reach, kind, digits):
    """A bar to the left or to the right of zero, with its number."""
    width = 50 * abs(value) / reach
    left = 50 - width if value < 0 else 50
    return (
        f"<span class='beam {kind}'><i style='left:{left:.2f}%;width:{width:.2f}%'></i>"
        f"<b>{_fixed(value, digits)}</b></span>"
    )


def _input(masked):
    """The eight bytes of a masked number, shaded, with their digits: without the keys of the masks they are random."""
    if masked is None:
        return "<span class='none'>silent</span>"
    parts = "".join(
        f"<i style='--shade:{byte / 255:.2f}'>{byte:02x}</i>" for byte in masked.to_bytes(_BYTES, "big")
    )
    return f"<span class='bytes' title='{masked:016x}'>{parts}</span>"
