"""The picture of the page: an attacker who guesses from each release whether a person's record was in the data."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from core import audit
from core.privacy.attack_risk import advantage
from dashboard.pages.trust.audit.model import AuditPicture
from dashboard.state.number_text import count_text, number_text, percent_text

BINS = 48
_QUESTION = "The attacker guesses from each release: was your record in the data?"
GUESSES = 28  # Single guesses, drawn as points before the bars.
_ENDS = 0.0005, 0.9995  # Quantiles of the scores between which bars are drawn.


def threshold(verdict: audit.Audit) -> float:
    """A score above which the test says "second": between the scores that its error counts separate."""
    first, second = verdict.first_scores, verdict.second_scores
    kept, missed = verdict.trials - verdict.false_alarms, verdict.missed
    below = [*first[max(kept - 1, 0) : kept], *second[max(missed - 1, 0) : missed]]
    above = [*first[kept : kept + 1], *second[missed : missed + 1]]
    low, high = max(below, default=min(above, default=0.0)), min(above, default=max(below, default=0.0))
    return float(low + high) / 2


def right_share(verdict: audit.Audit) -> float:
    """Share of right guesses over both data sets."""
    return 1 - (verdict.false_alarms + verdict.missed) / (2 * verdict.trials)


def ratio(picture: AuditPicture) -> float:
    """The bound on ε over the promised ε."""
    return picture.verdict.epsilon / picture.plan.case.promise.epsilon


def headline(picture: AuditPicture) -> str:
    """The verdict in one sentence, as HTML."""
    if not picture.finished:
        done, runs = (number_text(n) for n in (picture.verdict.trials, picture.plan.batch * 20))
        return f"The attacker is guessing: {done} of {runs} releases of each data set."
    if picture.verdict.violated:
        who = "Its Gaussian noise leaks" if picture.plan.case.gaussian else "This program leaks"
        return f"<em>Caught.</em> {who} <b>at least {number_text(ratio(picture))} times</b> the stated ε."
    if picture.plan.case.sound:
        return "<em>Nothing found.</em> The attacker cannot show that this program leaks more than it states."
    return "<em>Not caught yet.</em> This program is broken, but so few releases do not show it."


def waiting() -> str:
    """The picture before the first run."""
    return _whole("wait calm", _QUESTION, _axes(""), "", key="wait")


def picture(shown: AuditPicture, *, play: bool) -> str:
    """HTML of the whole picture; `play`: with time for single guesses before all of them."""
    verdict = shown.verdict
    tone = "wait" if not shown.finished else "bad" if verdict.violated else "good"
    look = f"{tone} {'calm' if not shown.finished else 'play' if play else 'again'}"
    key = f"{crc32(repr(shown.plan).encode()):x}" if shown.finished else "running"
    return _whole(look, headline(shown), _plot(verdict, shown.plan.seed), _gauge(shown), key=key)


def _whole(look, said, plot, gauge, *, key):
    return (
        f"<div class='audit {look}' data-key='{key}'><p class='verdict'><span class='ask' "
        f"aria-hidden='true'>{_QUESTION}</span><span class='say' role='status'>{said}</span></p>{gauge}{plot}"
        "<p class='legend'><span class='in'>releases with your record</span>"
        "<span class='out'>with another in its place</span><span class='wrong'>pale: guessed wrong</span>"
        "<button data-press='runs' data-number='0'>New runs</button></p></div>"
    )


def _gauge(shown):
    """The ε that the attacker has shown, as a bar, beside the ε that the program states."""
    stated, found = shown.plan.case.promise.epsilon, shown.verdict.epsilon
    most = 1.12 * max(stated, found)
    return (
        f"<div class='gauge'><span class='shown'>leak shown: <b>ε ≥ {number_text(found)}</b></span>"
        f"<span class='beam'><i style='width:{100 * found / most:.2f}%'></i>"
        f"<s style='left:{100 * stated / most:.2f}%'></s>"
        f"<u style='right:{100 - 100 * stated / most:.2f}%'>stated: ε = {number_text(stated)}</u></span></div>"
    )


def _axes(inside, at=None):
    line = "" if at is None else f"<line class='cut' x1='{at:.2f}%' x2='{at:.2f}%' y1='0' y2='100%'/>"
    told = "Scores of single releases, above the middle with your record, below without it; a threshold divides them"
    return (
        f"<div class='plot'><svg role='img' aria-label='{told}'>{inside}"
        "<line class='axis' x1='0' x2='100%' y1='50%' y2='50%'/>"
        f"{line}</svg></div><p class='sides'><span>← says: not in</span><span>score of one release</span>"
        "<span>says: in →</span></p>"
    )


def _plot(verdict, seed):
    low, high = np.quantile(np.concatenate([verdict.first_scores, verdict.second_scores]), _ENDS)
    if high - low < 1e-12 * max(abs(high), abs(low), 1e-300):
        low, high = low - 0.5, high + 0.5
    margin = 0.03 * (high - low)
    edges = np.linspace(low - margin, high + margin, BINS + 1)
    cut = threshold(verdict)
    at = float(np.clip(100 * (cut - edges[0]) / (edges[-1] - edges[0]), 0, 100))
    in_, out = (np.histogram(s, edges)[0] for s in (verdict.second_scores, verdict.first_scores))
    most = max(in_.max(), out.max(), 1)
    bars = _bars(in_ / most, at, up=True) + _bars(out / most, at, up=False)
    return _axes(bars + _guesses(verdict, edges, cut, seed), at)


def _bars(shares, at, *, up):
    """Bars from the middle line; those on the wrong side of the threshold are pale."""
    step, parts = 100 / BINS, []
    for number, share in enumerate(shares):
        if not share:
            continue
        left, height = number * step, 48 * share
        right = (left + step / 2 > at) == up
        top = 50 - height if up else 50
        parts.append(
            f"<rect class='{'in' if up else 'out'}{'' if right else ' wrong'}' x='{left:.2f}%' width='{step - 0.25:.2f}%' "
            f"y='{top:.2f}%' height='{height:.2f}%'/>"
        )
    return f"<g class='bars {'up' if up else 'down'}'>{''.join(parts)}</g>"


def _guesses(verdict, edges, cut, seed):
    """Some of the guesses, as points that fall on the middle line; the person was in at about every second."""
    rng, parts = np.random.default_rng([seed, len(edges)]), []
    for number in range(GUESSES):
        is_in = bool(rng.integers(2))
        score = float(rng.choice(verdict.second_scores if is_in else verdict.first_scores))
        x = np.clip(100 * (score - edges[0]) / (edges[-1] - edges[0]), 1, 99)
        wrong = "" if (score > cut) == is_in else " wrong"
        parts.append(
            f"<circle class='guess {'in' if is_in else 'out'}{wrong}' cx='{x:.2f}%' cy='{46 if is_in else 54}%' r='6' "
            f"style='--i:{number / GUESSES:.3f}'/>"
        )
    return "".join(parts)


def told(shown: AuditPicture) -> str:
    """How often the attacker was right, and what noise that keeps the promise would allow."""
    verdict, case = shown.verdict, shown.plan.case
    share = right_share(verdict)
    runs = count_text(verdict.trials, "release")
    said = f"Over {runs} of each data set the attacker is right in {percent_text(share)} of the guesses"
    if case.gaussian:
        allowed = (1 + advantage(audit.promised_mu(case.promise))) / 2
        said += (
            f"; Gaussian noise that keeps ({number_text(case.promise.epsilon)}, {number_text(case.promise.delta)}) allows "
            f"{percent_text(allowed)}, and a coin has 50 %"
        )
    return f"{said}."
