"""The picture of the page: an attacker who guesses from each release whether a person's record was in the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from core import audit
from core.privacy.attack_risk import advantage
from dashboard.pages.trust.audit.model import MECHANISMS, AuditPicture, Plan
from dashboard.state.number_text import (
    at_least_text,
    at_most_text,
    count_text,
    equals,
    hundred_text,
    number_text,
)

BINS = 48
_QUESTION = "The attacker guesses from each release: was your record in the data?"
GUESSES = 28  # Single guesses, drawn as points before the bars.
_SCALE = 2  # Least end of the gauge, so that presets have one scale.
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


def allowed_share(plan: Plan) -> float:
    """The largest share of right guesses against Gaussian noise that keeps the stated (ε, δ)."""
    return (1 + advantage(audit.promised_mu(plan.case.promise))) / 2


@dataclass(frozen=True)
class Turn:
    """What the user of the page has guessed: how often, how often right, and the latest guess."""

    count: int = 0
    right: int = 0
    says: bool | None = None

    def drawn(self, picture: AuditPicture, number: int) -> tuple[bool, float]:
        """Whether the person was in at this release, and the release's score."""
        verdict, rng = picture.verdict, np.random.default_rng([picture.plan.seed, number])
        is_in = bool(rng.integers(2))
        return is_in, float(rng.choice(verdict.second_scores if is_in else verdict.first_scores))

    def after(self, picture: AuditPicture, *, says: bool) -> Turn:
        """After one more guess."""
        is_in, _ = self.drawn(picture, self.count)
        return Turn(self.count + 1, self.right + (says == is_in), says)


def headline(picture: AuditPicture) -> str:
    """The verdict in one sentence, as HTML."""
    if not picture.finished:
        done, runs = (number_text(n) for n in (picture.verdict.trials, picture.plan.batch * 20))
        passed = _passed(picture) if picture.bounds[-1] > picture.plan.case.promise.epsilon else ""
        return f"The attacker is guessing: {done} of {runs} releases of each kind. {passed}".strip()
    case, violated = picture.plan.case, picture.verdict.violated
    share, allowed = right_share(picture.verdict), allowed_share(picture.plan)
    # A bound may rest on a threshold that is not the best one for guessing.
    if case.gaussian and (violated or case.sound) and (share > allowed) == violated:
        return (
            f"<em>{'Program caught' if violated else 'Nothing found'}.</em> The attacker is right in "
            f"<b>{_percent(share)}</b> of guesses; Gaussian noise for {_epsilon(case.promise)} allows "
            f"<b>{_allowed(allowed)}</b>, a coin 50 %."
        )
    if violated:
        who = "Its Gaussian noise leaks" if case.gaussian else "This program leaks"
        return f"<em>Program caught.</em> {who} <b>at least {at_least_text(ratio(picture))} times</b> the stated ε."
    if case.sound:
        return "<em>Nothing found.</em> The attacker cannot show that this program leaks more than it states."
    return "<em>Not caught yet.</em> This program is broken, but so few releases do not show it."


def _epsilon(promise):
    return equals("ε", promise.epsilon)


def _allowed(share):
    """The same of a bound: rounded up."""
    return f"{hundred_text(100 * share)}\u00a0%"


def _percent(share):
    """A share with one decimal, so that those of a sentence can be compared."""
    return f"{100 * share:.1f}\u00a0%"


def begun(plan: Plan) -> str:
    """The picture until the first runs have come."""
    gauge = _beam(plan.case.promise.epsilon, (0.0,), "Computing the first releases …")
    said = f"A program states {_epsilon(plan.case.promise)}. {_QUESTION}"
    return _whole("wait calm", said, _axes(""), gauge, _SIDES, key="begun", go=_AGAIN)


def picture(shown: AuditPicture, *, play: bool, turn: Turn | None = None) -> str:
    """HTML of the whole picture; `play`: with time for single guesses before all of them."""
    turn = turn or Turn()
    tone = _tone(shown)
    look = f"{tone} {'calm' if not shown.finished else 'play' if play else 'again'}"
    key = f"{crc32(repr(shown.plan).encode()):x}" if shown.finished else "running"
    sides = _your_turn(shown, turn) if shown.finished else _SIDES
    on_the_way = _crossing(shown) if play and shown.finished else ""
    return _whole(
        look,
        headline(shown),
        _plot(shown, turn),
        _gauge(shown),
        sides,
        key=key,
        go=_AGAIN,
        on_the_way=on_the_way,
    )


def _crossing(shown):
    """What the big line says from the moment when the bar has passed the mark for good until the last look."""
    stated, bounds = shown.plan.case.promise.epsilon, shown.bounds
    if not shown.verdict.violated or bounds[-1] <= stated:
        return ""
    above = len(bounds) - int(np.argmax(bounds[::-1] <= stated)) if (bounds <= stated).any() else 0
    if above >= len(bounds) - 1:  # Only the last look passes it: its verdict follows at once.
        return ""
    sheet = f"<style>.audit {{--at:{(above + 1) / len(bounds):.2f}}}</style>"
    return f"{sheet}<span class='passed' aria-hidden='true'>{_passed(shown)}</span>"


def _passed(shown):
    """What a bar beyond the mark says on the way: the confidence is that of one look, and there are many."""
    return (
        f"The bar has passed the stated {_epsilon(shown.plan.case.promise)}: so far the attacker has shown more. "
        "<b>Not a verdict yet.</b>"
    )


def _tone(shown):
    """The class that colours the verdict: green only for a program that is sound."""
    if not shown.finished:
        return "wait"
    if shown.verdict.violated:
        return "bad"
    return "good" if shown.plan.case.sound else "open"


def _whole(look, said, plot, gauge, sides, *, key, go, on_the_way=""):
    return (
        f"<div class='audit {look}' data-key='{key}'><p class='verdict'><span class='ask' "
        f"aria-hidden='true'>{_QUESTION}</span>{on_the_way}<span class='say' role='status'>{said}</span></p>"
        f"<p class='go'>{go}</p>{gauge}{plot}{sides}"
        "<p class='legend'><span class='in'>in: your record</span><span class='out'>not in: another in its place</span>"
        "<span class='wrong'>pale: guessed wrong</span></p></div>"
    )


_AGAIN = "<button data-press='runs' data-number='0'>▶ Play with new releases</button>"


_SIDES = (
    "<p class='sides'><span>← says: not in</span><span>score of one release</span><span>says: in →</span></p>"
)


def _your_turn(shown, turn):
    """Two buttons for a guess about one more release, and how the last guess went."""
    said = "<b>Attack it yourself.</b> Was your record <em>in ?</em>"
    if turn.count:
        is_in, _ = turn.drawn(shown, turn.count - 1)
        verdict, what = "Right" if turn.says == is_in else "Wrong", "in" if is_in else "not in"
        said = f"<b>{verdict}</b>, it was {what}. You: {turn.right} of {turn.count}. <em>And release ?</em>"
    said = said.replace(" ?", " <i class='mark'>?</i>")
    return (
        "<p class='sides'><button data-press='guess' data-number='0'>← not in</button>"
        f"<span role='status'>{said}</span><button data-press='guess' data-number='1'>in →</button></p>"
    )


def _gauge(shown):
    """The ε that the attacker has shown, as a bar that follows the batches of runs, beside the ε that is stated."""
    bounds, runs = shown.bounds, _reel(number_text(int(n)) for n in shown.trials)
    # Only the bound at the end holds with this confidence, which is that of one look.
    said = [f"so far {bound_text(bound) or 'nothing'}" for bound in bounds]
    if shown.finished:
        said[-1] = f"<b>{bound_text(bounds[-1]) or 'nothing yet'}</b>"
    sure = shown.finished and bound_text(bounds[-1])
    gaussian = ", for Gaussian noise" if shown.plan.case.gaussian else ""
    words = f"with {100 * shown.plan.confidence:g}\u00a0% confidence{gaussian}"
    model = f"<span class='sure'>{words}</span>" if sure else ""
    return _beam(
        shown.plan.case.promise.epsilon, bounds, f"{runs} releases of each kind: {_reel(said)}{model}"
    )


def _beam(stated, bounds, said):
    """The bar of the gauge with its words."""
    most = max(_SCALE, math.ceil(max(stated, *bounds)))
    stops = "".join(
        f"{100 * (i + 1) / len(bounds):.0f}%{{width:{100 * bound / most:.2f}%}}"
        for i, bound in enumerate(bounds)
    )
    at = 100 * stated / most
    # The words stand on the side of the mark that has room.
    side = f"left:{at:.2f}" if at < 50 else f"right:{100 - at:.2f}"
    return (
        f"<style>@keyframes course {{0%{{width:0}}{stops}}}</style>"
        f"<div class='gauge'><span class='shown'>{said}</span>"
        f"<span class='beam'><i style='width:{100 * bounds[-1] / most:.2f}%'></i>"
        f"{_ticks(most)}<s style='left:{at:.2f}%'></s>"
        f"<u style='{side}%'>stated: ε = {at_most_text(stated)}</u></span></div>"
    )


def bound_text(bound: float) -> str:
    """ε ≥ a bound; empty if it is zero, which every program keeps."""
    shown = at_least_text(bound)
    return "" if shown == "0" else f"ε\u00a0≥\u00a0{shown}"


def _ticks(most):
    """A number below each whole ε of the gauge, of many every second or further one."""
    step = math.ceil(most / 5)
    return "".join(f"<q style='left:{100 * n / most:.2f}%'>{n}</q>" for n in range(0, most + 1, step))


def _reel(texts):
    """Texts of which one is seen at a time; at rest the last one."""
    lines = list(texts)
    last = len(lines) - 1
    before = "".join(f"<span aria-hidden='true'>{line}</span>" for line in lines[:-1])
    style = f"--n:{last};--steps:steps({max(last, 1)})"
    return f"<span class='reel'><i style='{style}'>{before}<span>{lines[-1]}</span></i></span>"


def _axes(inside, at=None):
    line = "" if at is None else f"<line class='cut' x1='{at:.2f}%' x2='{at:.2f}%' y1='0' y2='100%'/>"
    told = "Scores of single releases, above the middle with your record, below without it; a threshold divides them"
    return (
        f"<div class='plot'><svg role='img' aria-label='{told}'>{inside}"
        "<line class='axis' x1='0' x2='100%' y1='50%' y2='50%'/>"
        f"{line}</svg></div>"
    )


def _edges(verdict):
    """Edges of the bars, and the place of the threshold between them, in per cent."""
    low, high = np.quantile(np.concatenate([verdict.first_scores, verdict.second_scores]), _ENDS)
    if high - low < 1e-12 * max(abs(high), abs(low), 1e-300):
        low, high = low - 0.5, high + 0.5
    margin = 0.03 * (high - low)
    edges = np.linspace(low - margin, high + margin, BINS + 1)
    return edges, float(np.clip(100 * (threshold(verdict) - edges[0]) / (edges[-1] - edges[0]), 0, 100))


def _plot(shown, turn):
    verdict = shown.verdict
    (edges, at), cut = _edges(verdict), threshold(verdict)
    in_, out = (np.histogram(s, edges)[0] for s in (verdict.second_scores, verdict.first_scores))
    most = max(in_.max(), out.max(), 1)
    bars = _bars(in_ / most, at, up=True) + _bars(out / most, at, up=False)
    own = _own(shown, turn, edges) if shown.finished else ""
    return _axes(bars + _guesses(verdict, edges, cut, shown.plan.seed) + own, at)


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
        x = _across(score, edges)
        wrong = "" if (score > cut) == is_in else " wrong"
        parts.append(
            f"<circle class='guess {'in' if is_in else 'out'}{wrong}' cx='{x:.2f}%' cy='{46 if is_in else 54}%' r='6' "
            f"style='--i:{number / GUESSES:.3f}'/>"
        )
    return "".join(parts)


def _across(score, edges):
    """The place of a score on the axis, in per cent."""
    return float(np.clip(100 * (score - edges[0]) / (edges[-1] - edges[0]), 1, 99))


def _own(shown, turn, edges):
    """The release that the user guesses about, and the one before in the colour of the truth."""
    x = _across(turn.drawn(shown, turn.count)[1], edges)
    asked = (
        f"<g class='mine' data-key='{turn.count}'><circle cx='{x:.2f}%' cy='50%' r='15'/>"
        f"<text x='{x:.2f}%' y='50%' dy='6'>?</text></g>"
    )
    if not turn.count:
        return asked
    is_in, score = turn.drawn(shown, turn.count - 1)
    kind = "in" if is_in else "out"
    return f"<circle class='past {kind}' cx='{_across(score, edges):.2f}%' cy='50%' r='9'/>{asked}"


def told(shown: AuditPicture) -> str:
    """How often the attacker guessed and was right; empty if the headline says it."""
    share = _percent(right_share(shown.verdict))
    if f"<b>{share}</b>" in headline(shown):
        return ""
    runs = count_text(shown.verdict.trials, "release")
    return f"Over {runs} of each kind the attacker is right in {share} of the guesses."


def attack(plan: Plan) -> str:
    """What the attacker knows and sees, and by what it guesses."""
    learnt = plan.case.score is None
    by = (
        "a score that was chosen, with its threshold,"
        if learnt
        else "the likelihood ratio; its threshold was chosen"
    )
    return (
        f"The attacker knows the program and both data sets, which differ in one record. It sees "
        f"{MECHANISMS[plan.mechanism].seen} and guesses by {by} on "
        f"{count_text(plan.learning, 'other release')} of each kind."
    )
