"""The picture of an attacker who guesses from each release whether a person's record was in the data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from dashboard.packs.trust.audit.looks import BINS, Look, finished
from dashboard.packs.trust.audit.model import Plan
from dashboard.state.number_text import at_least_text, exact_text, number_text

GUESSES = 28  # Single guesses, drawn as points before the bars.
_SCALE = 2  # Least end of the gauge, so that presets have one scale.


@dataclass(frozen=True)
class Turn:
    """What the user of the page has guessed: how often, how often right, and the latest guess."""

    count: int = 0
    right: int = 0
    says: bool | None = None

    def drawn(self, plan: Plan, look: Look, number: int) -> tuple[bool, float]:
        """Whether the person was in at this release, and the release's score."""
        return look.drawn(np.random.default_rng([plan.seed, number]))

    def after(self, plan: Plan, look: Look, *, says: bool) -> Turn:
        """After one more guess."""
        is_in, _ = self.drawn(plan, look, self.count)
        return replace(self, count=self.count + 1, right=self.right + (says == is_in), says=says)


def picture(plan: Plan, looks: list[Look], *, plays: int = 0, turn: Turn | None = None) -> str:
    """HTML of the card, which plays from its beginning with every number of plays; without looks, an empty gauge."""
    turn, done = turn or Turn(), finished(looks)
    off = "" if done else " disabled"
    play = f"<button type='button' class='play' data-press='play' data-number='0'{off}>▶ Play</button>"
    plot = _plot(plan, looks, turn) if looks else _axes("")
    return (
        f"<section class='card audit {tone(plan, looks)} {motion(looks, plays)}' data-key='{key(plan, looks, plays)}'>"
        f"<h2>The attacker's guesses {play}</h2>{_gauge(plan, looks)}{plot}"
        f"{_your_turn(plan, looks[-1], turn) if done else _SIDES}{_LEGEND}</section>"
    )


def key(plan: Plan, looks: list[Look], plays: int) -> str:
    """With another one, the animations begin again."""
    return f"{crc32(repr(plan).encode()):x}-{plays}" if finished(looks) else "running"


def motion(looks: list[Look], plays: int) -> str:
    """The class that says what moves."""
    return "calm" if not finished(looks) else "plays" if plays else "again"


def tone(plan: Plan, looks: list[Look]) -> str:
    """The class that colours the verdict: green only for a program that is sound."""
    if not finished(looks):
        return "wait"
    if looks[-1].violated:
        return "bad"
    return "good" if plan.case.sound else "open"


_SIDES = (
    "<p class='sides'><span>← says: not in</span><span>score of one release</span><span>says: in →</span></p>"
)
_LEGEND = (
    "<p class='key'><span class='in'>in: your record</span><span class='out'>not in: another in its place</span>"
    "<span class='wrong'>pale: guessed wrong</span></p>"
)


def _your_turn(plan, look, turn):
    """Two buttons for a guess about one more release, and how the last guess went."""
    said = "<b>Attack it yourself.</b> Was your record <em>in ?</em>"
    if turn.count:
        is_in, _ = turn.drawn(plan, look, turn.count - 1)
        verdict, what = "Right" if turn.says == is_in else "Wrong", "in" if is_in else "not in"
        said = f"<b>{verdict}</b>, it was {what}. You: {turn.right} of {turn.count}. <em>And release ?</em>"
    said = said.replace(" ?", " <i class='mark'>?</i>")
    return (
        "<p class='sides'><button data-press='guess' data-number='0'>← not in</button>"
        f"<span role='status'>{said}</span><button data-press='guess' data-number='1'>in →</button></p>"
    )


def _gauge(plan, looks):
    """The ε that the attacker has shown, as a bar that follows the batches of runs, beside the ε that is stated."""
    stated = plan.case.promise.epsilon
    if not looks:
        return _beam(stated, (0.0,), "Computing the first releases …")
    bounds, runs = [look.epsilon for look in looks], _reel(number_text(look.trials) for look in looks)
    # Only the bound at the end holds with this confidence, which is that of one look.
    said = [f"so far {bound_text(bound) or 'nothing'}" for bound in bounds]
    sure = ""
    if finished(looks):
        said[-1] = f"<b>{bound_text(bounds[-1]) or 'nothing yet'}</b>"
        gaussian = ", for Gaussian noise" if plan.case.gaussian else ""
        words = f"with {100 * plan.confidence:g}\u00a0% confidence{gaussian}"
        sure = f"<span class='sure'>{words}</span>" if bound_text(bounds[-1]) else ""
    return _beam(stated, bounds, f"{runs} releases of each kind: {_reel(said)}{sure}")


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
        f"<u style='{side}%'>stated: ε = {exact_text(stated)}</u></span></div>"
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


def _plot(plan, looks, turn):
    look = looks[-1]
    edges = look.edges
    at = float(np.clip(100 * (look.cut - edges[0]) / (edges[-1] - edges[0]), 0, 100))
    most = max(look.in_.max(), look.out.max(), 1)
    bars = _bars(look.in_ / most, at, up=True) + _bars(look.out / most, at, up=False)
    own = _own(plan, look, turn) if finished(looks) else ""
    return _axes(bars + _guesses(plan, look) + own, at)


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


def _guesses(plan, look):
    """Some of the guesses, as points that fall on the middle line; the person was in at about every second."""
    rng, parts = np.random.default_rng([plan.seed, len(look.edges)]), []
    for number in range(GUESSES):
        is_in, score = look.drawn(rng)
        wrong = "" if (score > look.cut) == is_in else " wrong"
        parts.append(
            f"<circle class='guess {'in' if is_in else 'out'}{wrong}' cx='{_across(score, look.edges):.2f}%' "
            f"cy='{46 if is_in else 54}%' r='6' style='--i:{number / GUESSES:.3f}'/>"
        )
    return "".join(parts)


def _across(score, edges):
    """The place of a score on the axis, in per cent."""
    return float(np.clip(100 * (score - edges[0]) / (edges[-1] - edges[0]), 1, 99))


def _own(plan, look, turn):
    """The release that the user guesses about, and the one before in the colour of the truth."""
    x = _across(turn.drawn(plan, look, turn.count)[1], look.edges)
    asked = (
        f"<g class='mine' data-key='{turn.count}'><circle cx='{x:.2f}%' cy='50%' r='15'/>"
        f"<text x='{x:.2f}%' y='50%' dy='6'>?</text></g>"
    )
    if not turn.count:
        return asked
    is_in, score = turn.drawn(plan, look, turn.count - 1)
    kind = "in" if is_in else "out"
    return f"<circle class='past {kind}' cx='{_across(score, look.edges):.2f}%' cy='50%' r='9'/>{asked}"
