"""The picture of the page: every site with the noise of its message, and what of all noise stays in the average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np

from dashboard.components.live_picture.faces import COLLUDES, HONEST, SILENT, face, next_role
from dashboard.page import observer
from dashboard.pages.trust.sites.model import SitesPicture
from dashboard.problems.sites import Row
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text, equals, number_text
from dashboard.theme.scheme_style import INDEPENDENT
from data.check import grouped

_LARGEST, _LEAST = 19.0, 9.0  # Half of the side of a face, in pixels.
_MANY = 8  # More sites get lower rows.
LEAST_TIMES = 2.0  # A smaller ratio is told in per cent, which agree with the bars' two decimals.
_AXIS = 3.0  # Least end of the scale, so that it stays while a site drops out.


def after_press(rows: Sequence[Row], site: int) -> list[Row]:
    """The table after a click on a site: honest, colluding, dropped out, and honest again."""
    role = next_role(_role(rows[site]))
    changed = replace(rows[site], colludes=role == COLLUDES, drops=role == SILENT)
    return [changed if s == site else row for s, row in enumerate(rows)]


def after_drop(rows: Sequence[Row], site: int) -> list[Row]:
    """The table after the first button: the site drops out at once, which changes more than that it colludes."""
    return [replace(row, colludes=False, drops=True) if s == site else row for s, row in enumerate(rows)]


def headline(picture: SitesPicture) -> str:
    """How much smaller the error of CAPE's average is than that of the conventional scheme, as HTML."""
    error, variance = _share(math.sqrt(picture.gain)), _share(picture.gain)
    word = "smaller" if picture.gain >= 1 else "larger"
    # The bars are variances.
    than = f"<b>{error} {word}</b> than with independent noise (variance: {variance} {word})"
    if not error:
        than = "nearly the one with independent noise"
    lost = _dropped(picture.rows)
    return f"{f'Without {lost}, ' if lost else ''}CAPE's typical error is {than}, {_against(picture)}.{_shortfall(picture)}"


def _share(gain):
    """A ratio in words, above or below one: how many times, or by how many per cent; empty if it is nearly one."""
    ratio = max(gain, 1 / gain)
    if ratio >= LEAST_TIMES:
        return f"{ratio_text(ratio)} times"
    percent = 100 * (1 - 1 / ratio if gain >= 1 else ratio - 1)
    return f"{percent:.0f} %" if percent >= 0.5 else ""  # Two digits would call it once as much.


def _dropped(rows):
    """Who dropped out, as HTML; empty if nobody did."""
    lost = [row.site for row in rows if row.drops]
    return plain(lost[0]) if len(lost) == 1 else count_text(len(lost), "site") if lost else ""


def ratio_text(ratio: float) -> str:
    """How many times, with the digits that the two decimals of the bars' numbers leave it."""
    return number_text(ratio, digits=2 if ratio < 10 else 3)


def _against(picture):
    """From whom the noise protects."""
    if picture.against == "message":
        return "but every target is kept only if nobody sees more than the result or one message"
    return f"even against {observer.name(picture.against, picture.colluding)}"


def _shortfall(picture):
    """A warning where the design misses a privacy target."""
    promised = np.array([row.delta for row in picture.rows]) * (1 + 1e-6)
    seen = (picture.exposed.public, getattr(picture.exposed, picture.against))
    with np.errstate(invalid="ignore"):
        short = any((delta > promised).any() for delta in seen)
    return " It is too little for some site's privacy target." if short else ""


def markup(picture: SitesPicture) -> str:
    """HTML of the whole picture; all bars have one scale, on which a trusted curator's noise is 1."""
    averages, sent = _averages(picture), _if_all_sent(picture)
    (zero_sum, local), lost = _parts(picture), _lost(picture)
    longest = float(max((zero_sum + local).max(), lost.max()))
    most = _end(max(longest, *map(sum, averages.values()), *sent.values()))
    longer = _longer(picture, longest, most)
    rows = "".join(
        _row(s, row, float(zero_sum[s]), float(local[s]), float(lost[s]), most / longer, picture)
        for s, row in enumerate(picture.rows)
    )
    left_over = averages["cape"][0]
    # Rounding alone leaves about 1e-16 of it.
    cancels = "noise that cancels" if left_over <= 1e-9 * most else "noise that cancels if all send"
    about = _ABOUT | {name: f"outline: {noise:.2f} if all sent" for name, noise in sent.items()}
    if not picture.left.all():
        about["pooled"] = f"of the {picture.left.sum()} left{'; outline: of all' if sent else ''}"
    falls = {"cape": _falls(picture, left_over, most, longer)}
    sums = "".join(
        _average(
            name, f"{_NAMES[name]}<small>{about[name]}</small>", parts, most, falls.get(name), sent.get(name)
        )
        for name, parts in averages.items()
    )
    many = (" many" if len(picture.rows) > _MANY else "") + (" enlarged" if longer > 1 else "")
    ruler = f"{longer} times the scale below" if longer > 1 else _UNIT
    scale = f"{_weighted(picture)}, 0 to {number_text(most / longer)}"
    return (
        f"<div class='sites{many}' data-key='{len(picture.rows)}' "
        f"style='--one:{100 / most:.2f}%;--rows:{len(picture.rows)}'>"
        f"<p class='verdict'>{headline(picture)}</p>"
        f"<p class='press'>{_press(picture)}</p>"
        f"<p class='axis scale'><span>{_TARGETS}</span>"
        f"<span class='ruler'>Noise each adds (squared), <em>{scale}</em><i>{ruler}</i></span></p>"
        f"<div class='rows'>{rows}</div><p class='axis sum'><span>In their average, where squared noise adds up</span>"
        f"<span class='zero'>{cancels}</span><span class='local'>noise that stays</span></p>{sums}"
        f"{_watchers(picture)}</div>"
    )


def _end(most):
    """Where the scale ends: it doubles where a bar would leave it."""
    return _AXIS * 2 ** max(0, math.ceil(math.log2(most / _AXIS)))


def _longer(picture, longest, most):
    """How many times as long as those of the averages the bars of many small sites are drawn, so that they can be seen."""
    return max(int(most / longest), 1) if len(picture.rows) > _MANY else 1


def _weighted(picture):
    """By what the messages are weighted."""
    if _by_size(picture):
        return "weighted by its records"
    return "all weighted alike" if len({*picture.weights}) == 1 else "with the table's weights"


def _by_size(picture):
    """Whether each message is weighted by its site's records."""
    shares = picture.weights * sum(row.size for row in picture.rows)
    return all(math.isclose(share, row.size) for share, row in zip(shares, picture.rows, strict=True))


def _left(picture):
    """How much of the average is left after dropouts, in what it is weighted by."""
    amounts = [row.size if _by_size(picture) else 1 for row in picture.rows]
    left = sum(amount for amount, here in zip(amounts, picture.left, strict=True) if here)
    return f"{grouped(left)} of {grouped(sum(amounts))} {'records' if _by_size(picture) else 'sites'}"


def kept_by_curator(picture: SitesPicture) -> str:
    """The target that fixes a curator's noise, as HTML."""
    row = picture.rows[picture.strictest]
    target = f"{equals('ε', row.epsilon)}, {equals('δ', row.delta)}"
    if len({(one.epsilon, one.delta) for one in picture.rows}) == 1:
        return f"at {target}"
    return f"whose noise keeps every target: {plain(row.site)} needs the most ({target})"


def why_more(picture: SitesPicture) -> str:
    """Why the messages of CAPE carry more noise than those of independent noise, if they do; else nothing."""
    if picture.against == "message" or not picture.left.all():
        return ""
    own = float(np.add(*_parts(picture)).sum())
    if own < 1.01 * (picture.std["conventional"] / picture.curator) ** 2:
        return ""
    return (
        "CAPE's messages carry more noise than independent ones: whoever sees all of them knows that the blue parts sum "
        "to zero, so each site adds more."
    )


def _parts(picture):
    """Zero-sum and local variance of every message in the average, in units of one curator's; shape (S,) each."""
    # The weights of those that remain are scaled to sum to one.
    unit = _own_unit(picture) / picture.design.weights[picture.left].sum() ** 2
    zero_sum, local = (np.where(picture.left, share, 0.0) for share in picture.shares)
    return zero_sum * unit, local * unit


def _own_unit(picture):
    """The unit of `picture.shares` in units of a curator's variance, if all send."""
    return float(picture.design.target / picture.curator) ** 2


def _lost(picture):
    """What each silent site would have added, in units of a curator's; shape (S,), zero for the others."""
    return np.where(picture.left, 0.0, np.add(*picture.shares) * _own_unit(picture))


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
    """A button that presses the row of the first site that is not honest, else of the second; and what that means."""
    rows = picture.rows
    # The first is the largest or strictest one of every example: without it little is left to compare.
    number = next((number for number, row in enumerate(rows) if _role(row) != HONEST), 1)
    role, lost = _role(rows[number]), [row for row in rows if row.drops]
    words, means = _NEXT[role]
    press = "drop" if role == HONEST else "site"
    button = f"<button data-press='{press}' data-number='{number}'>{words.format(plain(rows[number].site))}</button>"
    if role == SILENT and picture.stage == "after":
        # The sentence at the end of Play stands beside the picture.
        means = f"The noise that was to cancel {'its' if len(lost) == 1 else 'their'} noise stays: the blue part of CAPE. "
        means += f"Every other site's noise is the same and weighs more: {_left(picture)} are left."
        return f"{button}<span>{means}</span>"
    return f"{button}<span>{means}or choose any row</span>"


def _row(number, row, zero_sum, local, lost, most, picture):
    role, name = _role(row), plain(row.site)
    size = _LARGEST * max(math.sqrt(row.size / max(one.size for one in picture.rows)), _LEAST / _LARGEST)
    state, after = _STATES[role]
    told = f"{name}: {grouped(row.size)} records, {state}"
    epsilons = {one.epsilon for one in picture.rows}
    strict = [] if len(epsilons) == 1 else [equals("ε", row.epsilon)]
    if (
        len({one.delta for one in picture.rows}) > 1
    ):  # Else equal ε would have unequal noise without a reason.
        strict.append(equals("δ", row.delta))
    # A phone leaves the records to the size of the face where a target is said, and has wider bars.
    records = (
        f"<span>{grouped(row.size)} records · </span>"
        if strict
        else f"{grouped(row.size)}<span> records</span>"
    )
    noise = f"message noise {number_text(float(picture.design.std[number]))}"
    return (
        f"<div class='site {role}' role='button' tabindex='0' aria-label='{told}' title='{told}, {noise}' data-press='site' "
        f"data-number='{number}'><svg viewBox='-20 -20 40 40' aria-hidden='true'>"
        f"{face(size, shut=role == SILENT)}</svg><span class='name'>{name}"
        f"<small>{records}{', '.join(strict)}</small></span>"
        f"<span class='beam'><i class='zero' style='width:{100 * zero_sum / most:.2f}%'></i>"
        f"<i class='local' style='width:{100 * local / most:.2f}%'></i>{_outline(lost, most)}<u>next: {after}</u></span>"
        f"<span class='number'>{f'{zero_sum + local:.2f}' if zero_sum + local else '—'}</span></div>"
    )


def _averages(picture):
    """What stays of all this noise, of each average the part that was to cancel and the rest, in a curator's units."""
    noise = {name: (picture.std[name] / picture.curator) ** 2 for name in _NAMES}
    stays = min(float(_parts(picture)[1].sum()), noise["cape"])
    return {name: (one - stays, stays) if name == "cape" else (0.0, one) for name, one in noise.items()}


def _if_all_sent(picture):
    """Variance of the averages if no site had dropped out, in units of a curator's; empty if none did so."""
    if picture.left.all() or picture.stage == "before":
        return {}
    return {name: (picture.sent[name] / picture.curator) ** 2 for name in _NAMES}


def noisiest(picture: SitesPicture) -> str:
    """Whose message carries as much noise as CAPE's average, as HTML; empty if no one's, as where sites drop out."""
    alike = np.isclose(np.add(*_parts(picture)), sum(_averages(picture)["cape"]), rtol=1e-6)
    if not alike.any():
        return ""
    return plain(picture.rows[alike.argmax()].site) if alike.sum() == 1 else "the noisiest site"


def _falls(picture, left_over, most, longer):
    """What falls into CAPE's bar: the local parts, which add up to it; and the zero-sum parts, which cancel above it."""
    zero_sum, local = _parts(picture)
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
        f"<span class='number'>{sum(parts):.2f}</span></div>"
    )


def _outline(before, most):
    """The outline of a bar if all had sent."""
    return f"<s style='width:{100 * before / most:.2f}%'></s>" if before else ""


# The averages below the sites, and what is said of them while no site has dropped out.
_NAMES = {
    "cape": "CAPE",
    "conventional": INDEPENDENT,
    "pooled": "<a href='?page=glossary&amp;term=pooled'>Trusted curator</a>",
}
_ABOUT = {
    "cape": "sum of what stays above",
    "conventional": "conventional scheme",
    "pooled": "holds all records",
}
_UNIT = "1 = one curator of all records"
_WATCH = "Who watches?"
_TARGETS = "Sites <em>· a smaller ε is stricter</em>"
_NO_COLLUDERS = "and colluders: none yet"
# An adversary of the model, the words of its button, and so many messages that it sees.
WATCHERS = (
    ("message", "sees one message", 1),
    ("aggregator", "sees all messages", 4),
    ("colluders", "all, and colluders tell", 4),
)
_NEXT = {
    HONEST: ("▶ Play: {} drops out", "its message never arrives; "),
    COLLUDES: ("▶ Play: {} drops out", "its message never arrives; "),
    SILENT: ("↺ Let {} send again", ""),
}
_STATES = {
    HONEST: ("honest", "it colludes"),
    COLLUDES: ("colludes", "it drops out"),
    SILENT: ("dropped out", "it sends again"),
}
_EYE = "<path class='lid' d='M2 14Q13 2 24 14Q13 26 2 14Z'/><circle class='pupil' cx='13' cy='14' r='4.2'/>"
_TELLS = f"<g class='tells' transform='translate(56 14)'>{face(7)}</g>"
