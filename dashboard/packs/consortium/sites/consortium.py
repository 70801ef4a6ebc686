"""The picture of the page: the noise of everyone's average, and below it what every site adds to its message."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from dashboard.components.live_picture.faces import COLLUDES, HONEST, SILENT, face, next_role
from dashboard.packs.consortium.sites import text
from dashboard.packs.consortium.sites.model import SitesPicture, asks, strict
from dashboard.problems.sites import Row
from dashboard.state.html_text import plain
from dashboard.state.number_text import exactly, number_text, target_text
from dashboard.theme.scheme_style import label
from data.check import grouped

_LARGEST, _LEAST = 19.0, 9.0  # Half of the side of a face, in pixels.
_MANY = 8  # More sites get lower rows.
_AXIS = 8.0  # Least end of the scale, so that it stays while a site asks for a smaller ε or drops out.


def after_press(rows: Sequence[Row], site: int) -> list[Row]:
    """The table after a click on a site: honest, colluding, dropped out, and honest again."""
    role = next_role(_role(rows[site]))
    changed = replace(rows[site], colludes=role == COLLUDES, drops=role == SILENT)
    return [changed if s == site else row for s, row in enumerate(rows)]


def markup(picture: SitesPicture) -> str:
    """HTML of the whole picture; all bars have one scale, on which a trusted curator's noise is 1."""
    averages, earlier = _averages(picture), _earlier(picture)
    (zero_sum, local), outlined = picture.parts, _outlined(picture)
    longest = float(max((zero_sum + local).max(), outlined.max()))
    most = _end(max(longest, *map(sum, averages.values()), *earlier.values()))
    longer = _longer(picture, longest, most)
    rows = "".join(
        _row(s, row, float(zero_sum[s]), float(local[s]), float(outlined[s]), most / longer, picture)
        for s, row in enumerate(picture.rows)
    )
    left_over = averages["cape"][0]
    # Rounding alone leaves about 1e-16 of it.
    cancels = "cancels in the average" if left_over <= 1e-9 * most else "cancels if all send"
    about, falls = _about(picture), {"cape": _falls(picture, left_over, most, longer)}
    sums = "".join(
        _average(
            name,
            f"{_NAMES[name]}<small>{about[name]}</small>",
            parts,
            most,
            falls.get(name),
            earlier.get(name),
        )
        for name, parts in averages.items()
    )
    kind = (
        (" many" if len(picture.rows) > _MANY else "")
        + (" enlarged" if longer > 1 else "")
        + (" answered" if _answered(picture) else "")
    )
    unit = f"{_UNIT} adds" if picture.eased is None else f"{_UNIT} added before"
    scale = f"<i>{longer} times the scale above</i>" if longer > 1 else ""
    why = f"<p class='why'>{text.beside(picture)}</p>" if _answered(picture) else ""
    return (
        f"<div class='sites{kind}' data-key='{len(picture.rows)}' "
        f"style='--one:{100 / most:.2f}%;--rows:{len(picture.rows)}'>"
        f"<p class='press'>{_press(picture)}</p>"
        f"<p class='axis scale'><span>{_AVERAGE}</span><span class='ruler'><i>{unit}</i></span></p>{sums}"
        f"<p class='axis scale parts'><span>{_ADDS}</span><span class='ruler'><span class='zero'>{cancels}</span>"
        f"<span class='local'>stays</span>{scale}</span></p>{why}"
        f"<div class='rows'>{rows}</div>"
        f"{_watchers(picture)}</div>"
    )


def _answered(picture):
    """Whether the picture is that of an answer: a site has asked for its ε, or dropped out."""
    return picture.eased is not None or any(row.drops for row in picture.rows)


def _about(picture):
    """The small print below the name of each average."""
    left = "" if picture.left.all() else f", of the {picture.left.sum()} left"
    return _ABOUT | {"pooled": _ABOUT["pooled"] + left}


def _end(most):
    """Where the scale ends: it doubles where a bar would leave it."""
    return _AXIS * 2 ** max(0, math.ceil(math.log2(most / _AXIS)))


def _longer(picture, longest, most):
    """How many times as long as those of the averages the bars of many small sites are drawn, so that they can be seen."""
    return max(int(most / longest), 1) if len(picture.rows) > _MANY else 1


def kept_by_curator(picture: SitesPicture) -> str:
    """The target that fixes a curator's noise, as HTML."""
    row = picture.rows[picture.strictest]
    target = target_text(row)
    if len({(one.epsilon, one.delta) for one in picture.rows}) == 1:
        return f"at {target}"
    return f"whose noise keeps every target: {plain(row.site)} needs the most ({target})"


def _outlined(picture):
    """What each silent site would have added, or each site before one asked; shape (S,), zero where it is the same."""
    found = np.where(picture.left, 0.0, np.add(*picture.shares) * picture.noise(picture.design.target))
    if picture.eased is not None and picture.left.all():
        found = np.array([picture.noise(one) for one in picture.eased.messages])
        found[np.isclose(found, np.add(*picture.parts), rtol=5e-3)] = 0.0
    return found


def _watchers(picture):
    """Who sees the messages, as three buttons with eyes; without colluders the aggregator learns from nobody else."""
    none = not picture.colluding
    against = "aggregator" if none and picture.against == "colluders" else picture.against
    buttons = "".join(
        f"<button data-press='against' data-number='{number}' aria-pressed='{str(name == against).lower()}'"
        f"{' disabled' if none and name == 'colluders' else ''}>{_eye(name, messages)}"
        f"<span>{_NO_COLLUDERS if none and name == 'colluders' else words}</span></button>"
        for number, (name, words, messages) in enumerate(WATCHERS)
    )
    return f"<div class='watch' role='group' aria-label='{_WATCH}'><span>{_WATCH}</span>{buttons}</div>"


def _eye(name, messages):
    """An eye beside the messages that it sees: one, or two rows of two; and beside a site that tells."""
    places = [(34, 14)] if messages == 1 else [(31, 9), (40, 9), (31, 19), (40, 19)]
    dots = "".join(f"<circle class='dot' cx='{x}' cy='{y}' r='3'/>" for x, y in places)
    width, told = (64, _TELLS) if name == "colluders" else (46, "")
    return f"<svg viewBox='0 0 {width} 28' aria-hidden='true'>{_EYE}{dots}{told}</svg>"


def _role(row):
    return SILENT if row.drops else COLLUDES if row.colludes else HONEST


def _press(picture):
    """The button: what a site asks for; where one colludes or dropped out, its next role."""
    rows = picture.rows
    number = next((number for number, row in enumerate(rows) if _role(row) != HONEST), None)
    if number is not None:
        press, words = "site", _NEXT[_role(rows[number])].format(plain(rows[number].site))
    else:
        number, epsilon = asks(rows)
        press, words = "ask", f"▶ Play: {plain(rows[number].site)} asks for {exactly('ε', epsilon)}"
        if strict(rows) is not None:
            words = f"↺ {plain(rows[number].site)} takes {exactly('ε', epsilon)}"
    return f"<button data-press='{press}' data-number='{number}'>{words}</button>"


def _row(number, row, zero_sum, local, lost, most, picture):
    role, name = _role(row), plain(row.site)
    size = _LARGEST * max(math.sqrt(row.size / max(one.size for one in picture.rows)), _LEAST / _LARGEST)
    state, after = _STATES[role]
    told = f"{name}: {grouped(row.size)} records, {state}"
    strict = _targets(row, picture.rows)
    # A phone leaves the records to the size of the face where a target is said, and has wider bars.
    records = (
        f"<span class='records'>{grouped(row.size)} records · </span>"
        if strict
        else f"{grouped(row.size)}<span class='records'> records</span>"
    )
    noise = f"message noise {number_text(float(picture.design.std[number]))}"
    return (
        f"<div class='site {role}' role='button' tabindex='0' aria-label='{told}' title='{told}, {noise}' data-press='site' "
        f"data-number='{number}'><svg viewBox='-20 -20 40 40' aria-hidden='true'>"
        f"{face(size, shut=role == SILENT)}</svg><span class='name'>{name}"
        f"<small>{records}{strict}</small></span>"
        f"<span class='beam'><i class='zero' style='width:{100 * zero_sum / most:.2f}%'></i>"
        f"<i class='local' style='width:{100 * local / most:.2f}%'></i>{_outline(lost, most)}<u>next: {after}</u></span>"
        f"{_at_end(zero_sum + local, lost, most)}</div>"
    )


def _targets(row, rows):
    """The ε of a row, where the sites differ in it, and a δ that most of them do not have."""
    epsilons, deltas = [one.epsilon for one in rows], [one.delta for one in rows]
    said = "" if len({*epsilons}) == 1 else exactly("ε", row.epsilon)
    # Without an unusual δ equal ε would have unequal noise without a reason.
    if row.delta == max(deltas, key=deltas.count):
        return said
    return f"{said}{', ' if said else ''}{exactly('δ', row.delta)}"


def _at_end(noise, before, most, *, times=False):
    """The number of a bar, and that of its outline, at the end of both; how many `times` as much it is, if asked."""
    was = f"<small>was {before:.2f}</small>" if before else ""
    was += f"<small class='times'>{text.times_text(noise / before)} times</small>" if times and before else ""
    end = 100 * max(noise, before) / most
    return f"<span class='number' style='--end:{end:.2f}%'>{text.noise_text(noise) if noise else '—'}{was}</span>"


def _averages(picture):
    """What stays of all this noise, of each average the part that was to cancel and the rest, in the picture's unit."""
    noise = {name: picture.noise(picture.std[name]) for name in _NAMES}
    stays = min(float(picture.parts[1].sum()), noise["cape"])
    return {name: (one - stays, stays) if name == "cape" else (0.0, one) for name, one in noise.items()}


def _earlier(picture):
    """Variance of the averages if no site had dropped out, else before the strict site asked; empty without either."""
    if not picture.left.all():
        before = picture.sent if picture.stage == "after" else {}
    else:
        before = {} if picture.eased is None else picture.eased.std
    return {name: picture.noise(before[name]) for name in _NAMES if name in before}


def _falls(picture, left_over, most, longer):
    """What falls into CAPE's bar: the local parts, which add up to it; and the zero-sum parts, which cancel above it."""
    zero_sum, local = picture.parts
    starts, stay, cancel = left_over + local.cumsum() - local, "", ""
    for s in np.flatnonzero(local):
        across = 100 * (longer * zero_sum[s] - starts[s]) / local[s]
        stay += f"<b style='width:{100 * local[s] / local.sum():.2f}%;--s:{s};--x:{across:.1f}%;--k:{longer}'></b>"
        cancel += f"<em style='width:{100 * longer * zero_sum[s] / most:.2f}%;--s:{s}'></em>"
    return stay, cancel


def _average(kind, words, parts, most, falls, before):
    zero_sum, local = (100 * part / most for part in parts)
    stay, cancel = falls or ("", "")
    bars = f"<i class='zero' style='width:{zero_sum:.2f}%'></i><i class='local' style='width:{local:.2f}%'>{stay}</i>"
    # Other noise falls anew.
    return (
        f"<div class='average {kind}' data-key='{crc32((bars + cancel).encode()):x}'><span class='name'>{words}</span>"
        f"<span class='beam'>{bars}{cancel}{_outline(before, most)}</span>"
        f"{_at_end(sum(parts), before or 0.0, most, times=kind == 'cape')}</div>"
    )


def _outline(before, most):
    """The outline of a bar as it was."""
    return f"<s style='width:{100 * before / most:.2f}%'></s>" if before else ""


# The averages above the sites, and what is said of them while no site has dropped out.
_NAMES = {
    "cape": label("cape"),
    "conventional": label("conventional"),
    "pooled": f"<a href='?page=glossary&amp;term=pooled'>{label('pooled')}</a>",
}
_ABOUT = {
    "cape": "noise partly cancels",
    "conventional": "all noise stays",
    "local": "one site alone",
    "pooled": "one trusted curator",
}
_UNIT = "1 = the noise that one trusted curator"
_AVERAGE = "Noise variance in everyone's average"
_ADDS = "… of each site's message with CAPE"
_WATCH = "Who watches?"
_NO_COLLUDERS = "and colluders: press a row"
# An adversary of the model, the words of its button, and so many messages that it sees.
WATCHERS = (
    ("message", "sees one message", 1),
    ("aggregator", "sees all messages", 4),
    ("colluders", "all, with colluders", 4),
)
_NEXT = {COLLUDES: "▶ Play: {} drops out", SILENT: "↺ Let {} send again"}
_STATES = {
    HONEST: ("honest", "it colludes"),
    COLLUDES: ("colludes", "it drops out"),
    SILENT: ("dropped out", "it sends again"),
}
_EYE = "<path class='lid' d='M2 14Q13 2 24 14Q13 26 2 14Z'/><circle class='pupil' cx='13' cy='14' r='4.2'/>"
_TELLS = f"<g class='tells' transform='translate(56 14)'>{face(7)}</g>"
