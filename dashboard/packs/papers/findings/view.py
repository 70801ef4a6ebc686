"""What the page Findings shows, as a pure function of its plan: the gravest, or one in full, and a list of the others."""

from __future__ import annotations

import html
import re
from collections import Counter
from itertools import groupby

import numpy as np

from core.findings import FINDINGS, FIRST, KINDS, PAPERS
from dashboard.packs.papers.finding_links import LIVE
from dashboard.packs.papers.findings.five import LEGEND, card, plain
from dashboard.packs.papers.findings.model import FindingsPlan
from dashboard.plotting.chart import Chart, Line, Scale
from dashboard.sheet.spec import Shown, View
from dashboard.state.html_text import rich
from dashboard.state.number_text import count_text, number_text
from dashboard.theme.colours import OCHRE
from dashboard.theme.scheme_style import ink
from data.published import experiments

# A sign and a word state the kind of a finding, so that colour is not the only difference.
MARKS = {"overstated": "▲", "understated": "▼", "accuracy": "◆", "notation": "●", "valid": "○"}
_ORDER = list(dict.fromkeys(found.kind for key, found in FINDINGS.items() if key not in FIRST))
PLACES = tuple(FINDINGS)  # A press sends the place of a finding among all.
_DASHES = ("dashed", "solid", "dotdash")
_FEW = 12  # Rows that need no folding.
# Four of the first five are errors.
_FIVE = "The four gravest come first, then a step that the papers themselves call not private."


def view(plan: FindingsPlan, shown: Shown) -> View:
    """The first five with their bars, or the open finding with its numbers and curve; below, all others by kind."""
    found = _found(plan, shown)
    five = () if plan.opened else tuple(key for key in plan.listed if key in FIRST)
    parts = {
        "found": _open(plan, found) if plan.opened else _cards(five, plan.seed),
        "rest": _rest(plan, five),
    }
    curve = found.curve if found else None
    return View(
        headline=_headline(plan, found),
        sections={place: text for place, text in parts.items() if text},
        charts={"curve": _chart(plan, curve, shown)} if curve else {},
        table=_table(plan, found),
    )


def _found(plan, shown):
    """What the demonstration of the open finding computed; None until it did."""
    return shown.results.get((plan.opened.key, plan.seed)) if plan.opened else None


def _headline(plan, found):
    if plan.opened:
        return rich(plan.opened.consequence(found, write=number_text)) if found else "Computing …"
    counts = Counter(FINDINGS[key].kind for key in plan.listed)
    rest, errors = counts["valid"], len(plan.listed) - counts["valid"]
    if {*FIRST} <= {*plan.listed}:
        return f"We found <b>{count_text(errors, 'error')}</b>. {_FIVE}"
    kinds = [f"{text} ({counts[kind]})" for kind, text in KINDS.items() if counts[kind] and kind != "valid"]
    parts = [f"<b>{count_text(errors, 'error')}</b>: {', '.join(kinds)}."] if errors else []
    if rest:
        parts.append(f"{count_text(rest, 'further finding')} {'is' if rest == 1 else 'are'} no error.")
    return " ".join(parts) or "No finding of this kind in this paper."


def _button(act, key, text, kind):
    press = f"data-press='{act}' data-number='{PLACES.index(key)}' data-rise"
    return f"<button type='button' class='{kind}' {press}>{text}</button>"


def _live(key):
    return _button("live", key, "See it live →", "go") if key in LIVE else ""


def _cards(keys, seed):
    cards = "".join(
        card(key, seed, buttons=(_button("open", key, "{}", "title"), _live(key))) for key in keys
    )
    return f"<section class='card'><h2>The gravest {LEGEND}</h2>{cards}</section>" if keys else ""


def _open(plan, found):
    """What the paper says, what holds, both numbers, and where it is implemented correctly."""
    finding = plan.opened
    sources = "".join(f"<p>[{paper}] {rich(PAPERS[paper])}.</p>" for paper in finding.papers)
    ours = ", ".join(f"<code>{html.escape(name)}</code>" for name in finding.ours)
    return (
        f"<section class='card open'><h2>{rich(finding.title)} {_kind(finding)}</h2>"
        f"<p class='place'>{rich(_place(finding))}</p>"
        f"<div class='two'><div><h3>The paper says</h3><p>{rich(finding.says)}</p></div>"
        f"<div><h3>What holds</h3><p>{rich(finding.true)}</p></div></div><h3>Demonstration</h3>{_numbers(found)}"
        f"{_live(finding.key)}<button type='button' class='go' data-press='close' data-number='0'>Close</button>"
        f"<div class='fine unit'>{sources}<p>The correct version is in {ours}.</p></div></section>"
    )


def _numbers(found):
    if found is None:
        return "<p>Computing …</p>"
    numbers = "".join(
        f"<div><b>{number_text(size)}</b><span class='unit'>{rich(name)}</span></div>"
        for name, size in zip(found.names, (found.published, found.correct), strict=True)
    )
    return f"<div class='numbers'>{numbers}</div><p class='unit'>{rich(found.unit)}</p>"


def _rest(plan, above):
    """A line for every finding that does not stand above; those of a kind are folded where there are many."""
    opened = plan.opened.key if plan.opened else ""
    keys = [key for key in plan.listed if key not in (*above, opened)]
    keys.sort(key=lambda key: _ORDER.index(FINDINGS[key].kind))
    counts = Counter(FINDINGS[key].kind for key in keys)
    if not keys:
        return ""
    if len(counts) < 2 or len(keys) < _FEW:
        title = "Others" if above or opened else "Findings"
        return f"<section class='card'><h2>{title}</h2>{_list(keys, plan.seed)}</section>"
    beside = Counter(FINDINGS[key].kind for key in above)
    groups = "".join(
        f"<details><summary>{KINDS[kind].capitalize()}: {_counted(counts[kind], beside[kind])}</summary>"
        f"{_list(list(group), plan.seed)}</details>"
        for kind, group in groupby(keys, key=lambda key: FINDINGS[key].kind)
    )
    return f"<section class='card'><h2>The others, by kind</h2>{groups}</section>"


def _counted(count, above):
    """So many; and what the number leaves out of that of its kind, because they stand above."""
    return f"{count} more, {above} of {above + count} above" if above else f"{count}"


def _list(keys, seed):
    said = {key: plain(key, seed) if key in FIRST else FINDINGS[key].plain for key in keys}
    rows = (
        f"<li>{_button('open', key, rich(said[key]), 'title')}"
        f"<span class='place'>{rich(_place(FINDINGS[key]))}</span>{_kind(FINDINGS[key])}</li>"
        for key in keys
    )
    return f"<ul class='list'>{''.join(rows)}</ul>"


def _kind(finding):
    return f"<small class='kind {finding.kind}'><span class='mark'>{MARKS[finding.kind]}</span>{KINDS[finding.kind]}</small>"


def _place(finding):
    """Where it stands in the papers, which are named by their authors."""
    return re.sub(r"\[(\w+)\]", lambda found: f"{experiments.papers()[found[1]].authors},", finding.place)


def _chart(plan, curve, shown):
    """Colours stand for schemes: the published line and the correct one have one ink."""
    one = ink(dark=shown.dark)
    dashes = _DASHES if len(curve.lines) > 1 else _DASHES[1:]  # A single line is drawn like the correct one.
    lines = [
        Line(name, curve.x.tolist(), np.asarray(y, dtype=float).tolist(), colour, dash, 3)
        for (name, y), dash, colour in zip(curve.lines.items(), dashes, (one, one, OCHRE), strict=False)
    ]
    # Copies say which finding was open: those of others have other axes.
    pins = [pin for pin in shown.pins if re.search(rf"; Open {plan.opened.key}(;|$)", pin.name)]
    values = [value for line in lines for value in line.y]
    scales = (
        _scale(label, numbers, log)
        for label, numbers, log in zip(
            (curve.x_name, curve.y_name), (curve.x, values), curve.log, strict=True
        )
    )
    return Chart(*scales, title="Along a setting", lines=(*pins, *lines))


def _scale(label, numbers, log):
    """An axis with a little room at both ends."""
    numbers = np.asarray(numbers, dtype=float)
    known = numbers[np.isfinite(numbers) & ((numbers > 0) | (not log))]
    low, high = np.log10([known.min(), known.max()]) if log else (known.min(), known.max())
    room = 0.05 * (high - low) or 0.5
    ends = np.array([low - room, high + room])
    return Scale(label, tuple((10**ends if log else ends).tolist()), log)


def _table(plan, found):
    if plan.opened is None:
        names = ("key", "place", "kind", "title", "says", "true")
        return {name: [getattr(FINDINGS[key], name) for key in plan.listed] for name in names}
    if found is None:
        return {}
    if found.curve is None:
        return {
            name: [size] for name, size in zip(found.names, (found.published, found.correct), strict=True)
        }
    return {found.curve.x_name: found.curve.x, **found.curve.lines}
