"""The first picture of the play: true values, and for the last step the noise, the messages and the averages.

Everything stands where `scene.js` draws it. Places depend on the width, which only the browser knows: an element has
its numbers as variables, and `still.css` makes pixels of them.
"""

from __future__ import annotations

import html
import math
from itertools import accumulate, pairwise

from dashboard.state.number_text import short_text
from dashboard.theme import colours
from dashboard.theme.assets import beside

QUESTION = "How large will the average's error be?"
CANCEL = "Will their noise cancel?"
_COLOURS = {
    "blue": colours.ZERO_SUM,
    "yellow": colours.LOCAL_NOISE,
    "cape": colours.CAPE,
    "conventional": colours.CONVENTIONAL,
}
_TONES = f".still, .still-top {{ {' '.join(f'--{name}: {colour};' for name, colour in _COLOURS.items())} }}"
_SHEET = f"<style>{_TONES} {beside(__file__, 'still.css')}</style>"
_HOUSE = "M-11 0L0 -10L11 0M-8 -2V9H8V-2"
_MOST_NAMED, _MOST_SUMMED = 20, 40  # Sites with a name, and with a running sum of their noise.


def still(run: dict, *, step: int) -> str:
    """HTML of what `dashboard.problems.protocol.played` returns; a step before the last shows the true values alone."""
    ends = step == 5
    partial = [value + noise for value, noise in zip(run["values"], run["zero_sum"], strict=True)]
    drawn = (partial, *(run[name] for name in ("values", "messages", "conventional_messages")))
    reach = 1.06 * max(run["room"]["reach"], *(abs(x - run["truth"]) for xs in drawn for x in xs))
    parts = [
        _truth(run, reach),
        _sums(run, ends=ends),
        *(_row(run, s, reach, ends=ends) for s in range(len(run["values"]))),
        _desk(run, ends=ends),
        *(_lane(run, name, ends=ends) for name in ("average", "conventional")),
    ]
    bold = html.escape(run["captions"][-1 if ends else step - 1], quote=True)
    told = bold.replace("*", "")
    return _said(bold, ends=ends) + (
        f'<svg class="still {_kind(run)}" role="img" aria-label="{told}" style="{_scale(run, reach)}">{"".join(parts)}</svg>'
    )


def _said(bold, *, ends):
    """The button, which works once scripts run, and the sentence beside it; stars enclose what is bold."""
    told = "".join(f"<b>{part}</b>" if i % 2 else part for i, part in enumerate(bold.split("*")))
    said, calm = ("Play again", "From the start") if ends else ("Play", "Next step")
    play = f'<span class="still-go" aria-hidden="true"><i>{said}</i><i class="calm">{calm}</i></span>'
    kind = " ended" if ends else ""
    return f'{_SHEET}<div class="still-top{kind}">{play}<p class="still-say">{told}</p></div>'


def _scale(run, reach):
    """How high rows and lanes are, and the lengths that share the width."""
    sites, room = len(run["values"]), run["room"]
    few, some = sites <= 6, sites <= 12
    many = max(14.5, 260 / sites) if sites <= 20 else max(4.8, 250 / sites)
    sums = [0.0, *accumulate(run["zero_sum"]), *accumulate(run["local"])]
    low, high = min(room["low"], *sums), max(room["high"], *sums)
    return _put(
        sites=sites,
        row=38 if few else 19 if some else many,
        low_row=27 if few else 16 if some else many,
        lane=62 if few else 56,
        low_lane=40 if few else 38,
        step=min(14.0, max(5.0, 70 / sites)),
        face=0.68 if few else 0.82,
        reach=reach,
        span=high - low,
        mean=(high + low) / 2,
        far=1.06 * max(-low, high),
        most=run["reach"],
    )


def _kind(run):
    """How much room a row has for a name."""
    sites = len(run["values"])
    return "few" if sites <= 6 else "some" if sites <= 12 else "some many"


def _put(**numbers):
    """Variables of an element."""
    return ";".join(f"--{name.replace('_', '-')}:{number:.5g}" for name, number in numbers.items())


def _truth(run, reach):
    """The true average, and the scale of round numbers on which the sites' values stand."""
    rough = reach / 1.5
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(times for times in (5, 2, 1) if times * power <= rough)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = (run["truth"] + side * reach for side in (-1, 1))
    ticks = "".join(
        f'<text class="tick" style="{_put(at=k * step - run["truth"])}">{_decimal(k * step, digits)}</text>'
        for k in range(math.ceil(first / step), math.floor(last / step) + 1)
    )
    return (
        f'<rect class="truth"/><text class="true">true <tspan class="still-wide">average </tspan>'
        f"{run['truth']:.3f}</text>{ticks}"
    )


def _decimal(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def _sums(run, *, ends):
    """Where the running sums of the noise stand, and at the end both of them; before, what the play answers."""
    home = f'<path class="home" d="{_HOUSE}"/>'
    if not ends:
        return f'<rect class="panel"/>{home}<text class="lead">{CANCEL}</text>'
    paths = "".join(
        "".join(
            f'<rect class="walk {colour}" style="{_put(s=s, left=min(a, b), long=abs(b - a), at=b)}"/>'
            f'<rect class="walk down {colour}" style="{_put(s=s, at=b)}"/>'
            for s, (a, b) in enumerate(pairwise([0.0, *accumulate(run[noise])]))
        )
        for noise, colour in (("zero_sum", "blue"), ("local", "yellow"))
        if len(run["values"]) <= _MOST_SUMMED
    )
    return f'<rect class="panel"/><text class="title">running sums of the noise</text>{home}{paths}'


def _row(run, s, reach, *, ends):
    """A site: its name, and on its line its value; at the end what noise made of it."""
    value, truth = run["values"][s], run["truth"]
    name = (
        f'<text class="name">{html.escape(run["names"][s])}</text>'
        if len(run["names"]) <= _MOST_NAMED
        else ""
    )
    parts = [f'{name}<rect class="rail"/>']
    if ends:
        masked, message = value + run["zero_sum"][s], run["messages"][s]
        parts += [
            f'<rect class="bar {colour}" style="{_put(left=min(a, b) - truth, long=abs(b - a))}"/>'
            for a, b, colour in ((value, masked, "blue"), (masked, message, "yellow"))
        ]
    faint = ' fill-opacity="0.35"' if ends else ""
    parts.append(f'<circle class="dot" style="{_put(at=value - truth)}"{faint} data-value="{value!r}"/>')
    lost = ends and run.get("order") and s == len(run["values"]) - 1  # This site has dropped out.
    return f'<g class="row{" lost" if lost else ""}" style="--s:{s}">{"".join(parts)}</g>'


def _desk(run, *, ends):
    """The aggregator, and the ground of the averages."""
    learns = f'<text class="learns">{html.escape(run["learns"])}</text>' if ends else ""
    asked = "" if ends else f'<text class="asks">{QUESTION}</text>'
    far = f"{run['reach']:.2g} "
    foot = f'<text class="low">{far}too low</text><text class="high">{far}too high</text>' if ends else ""
    magnified = '<text class="magnified still-wide">magnified</text>' if ends else ""
    return (
        f'<rect class="lens"/><text class="desk">Aggregator</text><rect class="rail desk"/>{learns}{magnified}{asked}{foot}'
        '<text class="middle">true <tspan class="still-wide">average</tspan></text>'
    )


def _lane(run, name, *, ends):
    """An average on the axis of errors, how averages of many runs fall around it, and the typical error."""
    scheme = "cape" if name == "average" else "conventional"
    title = html.escape(run["lane"]) if name == "average" else scheme
    colour = "conventional" if name != "average" or not run["share"] else "cape"
    begins = f'<g class="lane {scheme}" style="--of:var(--{colour})"><text class="name">{title}</text>'
    if not ends:
        mark = '<circle class="guess" r="12"/><text class="guess">?</text>'
        return f'{begins}<rect class="rail"/>{mark}</g>'
    std, reach = run["bands"][scheme], run["reach"]
    end = min(3.5, reach / std)
    outline = ",".join(
        f"{50 + 50 * z / 16:.4g}% {100 - 100 * math.exp(-((z * end / 16) ** 2) / 2):.3g}%"
        for z in range(-16, 17)
    )
    error = max(-1.0, min(1.0, (run[name] - run["truth"]) / reach))
    return (
        f'{begins}<rect class="still-bell" style="{_put(bell=end * std / reach)};'
        f'clip-path:polygon({outline},100% 100%,0 100%)"/><rect class="rail"/>'
        f'<circle class="mark" style="{_put(at=error)}" data-value="{run[name]!r}"/>'
        f'<text class="small still-wide">standard deviation</text><text class="big">±{short_text(std)}</text></g>'
    )
