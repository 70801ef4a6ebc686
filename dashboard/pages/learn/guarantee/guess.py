"""The picture of the game: two candidates to choose, the run as a dot under both curves, and who was right how often."""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.stats import norm

from dashboard.components.sketch import curve, line, text
from dashboard.pages.learn.guarantee.game import HUNDRED, Game, best_percent
from dashboard.pages.learn.guarantee.sketch import FAINT, WITH, view
from dashboard.state.number_text import at_most_text, number_text
from dashboard.theme import colours
from dashboard.theme.assets import beside

_COLOURS = {
    "without": colours.FIRST_DATA,
    "with": WITH,
    "good": colours.GREEN,
    "bad": colours.FORBIDDEN,
}
SHEET = f":host, .game {{ {' '.join(f'--{name}: {c};' for name, c in _COLOURS.items())} }}\n"
SHEET += beside(__file__, "game.css")
NAMES = ("with another's record", "with Ada's record")
_CHOICES = ("another's in its place", "with Ada's record")
_LOOKS = ("without", "with")
_LEFT, _RIGHT, _BEYOND = (
    -3.4,
    4.4,
    3.4,
)  # Of the axis, in standard deviations; it reaches beyond the second curve.
_FLOOR, _TALL, _HEIGHT = 150, 132, 180  # Pixels of the axis, of a curve and of the picture.
_COLUMNS, _MOST_TALL = 56, 8.0  # Columns of dots, and the height of a dot in pixels.
_SCALE = (  # Under both bars.
    "<p class='row axis'><span></span><span><i style='left:0'>0</i>"
    "<i style='left:50%'>50 %</i><i style='left:100%'>100 %</i></span></p>"
)
_FEW = 10  # Guesses of which the visitor's bar says little: it is pale.
_PACE = 25  # Milliseconds between two dots that fall.


def markup(game: Game) -> str:
    """HTML of the whole picture."""
    mu = game.setting.mu
    reach = max(_RIGHT, mu + _BEYOND)
    said = (
        f"What the observer sees with another's record and with Ada's, as two curves at a distance of {number_text(mu)}; "
        "the present run is a dot below them."
    )
    return (
        "<div class='sketch game'><p class='ask'>Was Ada's record used in this run? <b>Choose.</b></p>"
        f"<div class='cards'>{_card(game, 0)}{_card(game, 1)}</div>"
        f"<svg role='img' aria-label=\"{said}\" height='{_HEIGHT}'>{_bells(mu, reach, view(game.setting.colluding))}"
        f"{_heap(game, reach)}{_present(game, reach)}</svg>"
        f"<p class='told' role='status'>{_result(game)}</p>{_tally(game)}</div>"
    )


def _card(game, used):
    people = "".join(_person(n, _LOOKS[used] if n == 5 else "") for n in range(6))
    return (
        f"<button class='card {_LOOKS[used]}' data-press='guess' data-number='{game.ticket + used}'>"
        f"<svg aria-hidden='true' viewBox='0 0 140 36' width='140' height='36'>{people}</svg>"
        f"<span>{_CHOICES[used]}</span>{_stamp(game, used)}</button>"
    )


def _stamp(game, used):
    """Whether the guess that was made by this card was right; the line below says it to readers of the screen."""
    if game.watched or not game.guesses or game.guesses[-1] != bool(used):
        return ""
    number = len(game.guesses)
    look = "right" if game.run(number - 1)[0] == bool(used) else "wrong"
    sign = {"right": "✓ Right", "wrong": "✗ Wrong"}[look]
    return f"<span class='stamp {look}' data-key='{number}' aria-hidden='true'>{sign}</span>"


def _person(place, kind):
    return (
        f"<g class='person {kind}' transform='translate({3 + 23 * place} 2)'><circle cx='8' cy='7' r='5.5'/>"
        "<path d='M-1 33v-9a9 9 0 0 1 18 0v9z'/></g>"
    )


def _across(value, reach):
    """The place of what was seen, in per cent; what lies beyond the edge stands at the edge."""
    return float(np.clip(100 * (value - _LEFT) / (reach - _LEFT), 0.8, 99.2))


def _bells(mu, reach, told):
    seen = np.linspace(_LEFT, reach, 161)
    parts = []
    for mean, look in zip((0.0, mu), _LOOKS, strict=True):
        heights = 2 + _TALL * (1 - norm.pdf(seen - mean) / norm.pdf(0))
        points = [(100 * (x - _LEFT) / (reach - _LEFT), y) for x, y in zip(seen, heights, strict=True)]
        filled = [(0.0, _TALL + 2.0), *points, (100.0, _TALL + 2.0)]
        parts.append(
            curve(filled, top=_FLOOR - _TALL - 2, height=_TALL + 2, closed=True,
                  style=f"stroke: var(--{look}); fill: var(--{look}); fill-opacity: {FAINT}")
        )  # fmt: skip
    parts += [
        line(0, _FLOOR, 100, _FLOOR),
        text(100, _HEIGHT - 4, told, "quiet", "end"),
    ]
    return "".join(parts)


def _heap(game, reach):
    """The runs that were guessed: coloured by the truth, hollow where the guess was wrong."""
    own = [(*game.run(n), guess, f"own{n}", 0) for n, guess in enumerate(game.guesses)]
    middle, many = game.setting.mu / 2, []
    if game.hundreds:
        one = game.hundred(game.hundreds - 1)
        found = enumerate(zip(one.used.tolist(), one.seen.tolist(), strict=True))
        many = [(u, seen, seen > middle, f"many{game.hundreds}", n * _PACE) for n, (u, seen) in found]
    places = [int(_across(seen, reach) * _COLUMNS / 100) for _, seen, *_ in (*many, *own)]
    tall = min(_MOST_TALL, (_TALL - 12) / max(Counter(places).values(), default=1))
    heights: Counter = Counter()
    parts = []
    for place, (used, _, guess, key, late) in zip(places, (*many, *own), strict=True):
        heights[place] += 1
        look = _LOOKS[used] + (" wrong" if guess != used else "")
        parts.append(
            f"<rect class='run {look}' data-key='{key}' style='--i:{late}' x='{100 * place / _COLUMNS + 0.15:.2f}%' "
            f"y='{_FLOOR - heights[place] * tall:.1f}' width='{100 / _COLUMNS - 0.3:.2f}%' "
            f"height='{max(0.5, tall - 1):.1f}' rx='1.5'/>"
        )
    at = _across(middle, reach)
    cut = line(at, 6, at, _FLOOR, "dashed") if game.hundreds else ""
    return f"<g>{''.join(parts[: len(many)])}</g><g>{''.join(parts[len(many) :])}</g><g>{cut}</g>"


def _present(game, reach):
    """The run that is to be guessed."""
    _, seen = game.run(len(game.guesses))
    x, after = f"{_across(seen, reach):.2f}%", " after" * bool(game.guesses)
    return (
        f"<g class='now{after}' data-key='{len(game.guesses)}.{game.noises}'>"
        f"<line class='drop' x1='{x}' x2='{x}' y1='10' y2='{_FLOOR}'/><circle cx='{x}' cy='{_FLOOR}' r='10'/>"
        f"<text x='{x}' y='{_FLOOR + 5}' text-anchor='middle'>?</text></g>"
    )


def _result(game):
    if game.watched:
        number = game.hundreds * HUNDRED
        runs = f"<b>{game.best_score} of {number}</b> runs{_chance_error(game.setting.mu, number)}"
        return f"The best observer was right in {runs}: the mark on its bar. Hollow: wrong."
    if not game.guesses:
        return "The dot is all that this run tells. A coin decided about Ada."
    number = len(game.guesses)
    used, _ = game.run(number - 1)
    judged = "Right" if game.guesses[-1] == used else "Wrong"
    return (
        f"<b>{judged}.</b> Run {number} was <span class='{_LOOKS[used]}'>{NAMES[used]}</span>. "
        f"Here is run {number + 1}."
    )


def _chance_error(mu, number):
    """By how much chance alone moves how often the best observer is right: one standard deviation, √(np(1 − p))."""
    right = norm.cdf(mu / 2)
    error = round(float(np.sqrt(number * right * (1 - right))))
    return f" (chance: ±\u00a0{error})" if error else ""


def _tally(game):
    best, played = best_percent(game.setting.mu), len(game.guesses)
    none = "guess again" if game.again else "no guess yet"
    own = f"{game.score} of {played} right" if played else none
    kind = "you few" if played < _FEW else "you"
    label = f"100 {'more ' if game.hundreds else ''}rounds for the best observer"
    mark = (
        f"<s style='left:{100 * game.best_score / (game.hundreds * HUNDRED):.2f}%'></s>"
        if game.watched
        else ""
    )
    return (
        f"<div class='tally'>{_row('You', 100 * game.score / played if played else 0.0, own, kind)}"
        f"{_row('Best observer', best, f'at most {at_most_text(best)} %', 'best', mark)}{_SCALE}"
        f"<button class='many' data-press='many' data-number='{game.hundreds}'>{label}</button></div>"
    )


def _row(name, percent, said, kind, mark=""):
    return (
        f"<p class='row {kind}'><span>{name}</span><span class='beam'><i style='width:{percent:.2f}%'></i>{mark}</span>"
        f"<b>{said}</b></p>"
    )
