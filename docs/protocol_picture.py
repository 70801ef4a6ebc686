"""Draw the moving picture of the README: python docs/protocol_picture.py.

It writes docs/protocol.svg: the run of the protocol that the page Protocol plays first, with its numbers.
The styles of the elements are those of the end; the animation leads there, and is off under reduced motion.
"""

from __future__ import annotations

import re
import textwrap
from itertools import accumulate, pairwise
from pathlib import Path
from xml.sax.saxutils import escape

from dashboard.pages.learn.protocol.model import ProtocolModel
from dashboard.pages.learn.protocol.page import PROTOCOL
from dashboard.problems.protocol import played
from dashboard.state.controls import Controls
from dashboard.state.number_text import short_text
from dashboard.theme import colours

TARGET = Path(__file__).with_name("protocol.svg")
SITES = PROTOCOL.opens["sites"]
SECONDS = 23.0
# When each caption begins; the last one stays to the end.
CAPTIONS = (0.0, 3.0, 7.5, 10.5, 13.0, 17.0)
WIDTH, HEIGHT, TOP, ROW = 880, 440, 96, 40
LANE, RIGHT, SUMS, EDGE = 128, 560, 612, 848  # Axes of numbers, of errors, and of running sums.
FLOOR = TOP + ROW * SITES + 6  # Where the running sums end.
LINE, LANES = 324, (366, 404)  # The aggregator's line, and the two averages.
STYLE = """
svg { font-family: system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
svg { --paper: #fff; --ink: #1d232a; --quiet: #5d6772; --soft: #d5dae0 }
@media (prefers-color-scheme: dark) { svg { --paper: #14181d; --ink: #e8ecf0; --quiet: #a3adb8; --soft: #39424d } }
.paper { fill: var(--paper); stroke: var(--soft) } text { font-size: 14px; fill: var(--ink) } .say { font-size: 17px }
.quiet { fill: var(--quiet); font-size: 13px; font-weight: 400 }
.big { font-size: 20px; font-weight: 700 } b, .b { font-weight: 700 }
.rail { stroke: var(--soft) } .dashed { stroke: var(--quiet); stroke-dasharray: 4 5 } .dot { fill: var(--ink) }
.zero, .local { fill: none; stroke-width: 5 } path.zero, path.local { stroke-width: 3; stroke-linejoin: round }
.message { fill: var(--paper); stroke: var(--ink); stroke-width: 2 }
.lens { fill: var(--soft); opacity: 0.4 } .mark { stroke: var(--paper); stroke-width: 1.5 }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
"""


class Film:
    """Elements of the picture, each with what it does over time."""

    def __init__(self):
        self.parts, self.rules = [], []

    def add(self, element: str, *moments: tuple[float, str], passing: bool = False) -> None:
        """Append an SVG element; `moments` are (second, style), and what is `passing` is not there at the end."""
        if moments:
            name = f"k{len(self.rules)}"
            stops = [(0.0, moments[0][1]), *moments, (SECONDS, moments[-1][1])]
            steps = "".join(f"{100 * second / SECONDS:.2f}%{{{style}}}" for second, style in stops)
            self.rules.append(
                f"@keyframes {name}{{{steps}}}.{name}{{animation:{name} {SECONDS:g}s infinite}}"
            )
            still = ' style="opacity:0"' if passing else ""
            element = f'<g class="{name}"{still}>{element}</g>'
        self.parts.append(element)

    def svg(self, title: str, description: str) -> str:
        """The whole document."""
        rules = "\n".join(self.rules)
        size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        paint = f".zero{{stroke:{colours.ZERO_SUM}}}.local{{stroke:{colours.LOCAL_NOISE}}}"
        paint += f".cape{{fill:{colours.CAPE}}}.conventional{{fill:{colours.CONVENTIONAL}}}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="t d">\n'
            f'<title id="t">{title}</title><desc id="d">{escape(description)}</desc>\n'
            f"<style>{STYLE}{paint}\n{rules}</style>\n" + "\n".join(self.parts) + "\n</svg>\n"
        )


def fade(begin: float, end: float | None = None) -> list[tuple[float, str]]:
    """Appear at a moment, and perhaps disappear at another."""
    moments = [(0.0, "opacity:0"), (begin, "opacity:0"), (begin + 0.35, "opacity:1")]
    return moments if end is None else [*moments, (end - 0.3, "opacity:1"), (end, "opacity:0")]


def moved(x: float, y: float) -> str:
    """Style that shifts an element."""
    return f"transform:translate({x:.1f}px,{y:.1f}px)"


def turn(site: int, begin: float, end: float) -> tuple[float, float]:
    """Begin and end of a site's turn between two moments."""
    each = (end - begin) / SITES
    return begin + site * each, begin + (site + 0.9) * each


def diamond(x: float, y: float, r: float) -> str:
    """SVG path of a diamond."""
    return f"M{x:.1f} {y - r:.1f}l{r} {r}l{-r} {r}l{-r} {-r}z"


class Scale:
    """Where numbers of a run stand."""

    def __init__(self, run: dict):
        self.run, centre, half = run, (LANE + RIGHT) / 2, (RIGHT - LANE) / 2
        names = ("values", "messages", "conventional_messages")
        masked = [value + noise for value, noise in zip(run["values"], run["zero_sum"], strict=True)]
        numbers = [*masked, *(number for name in names for number in run[name])]
        reach = 1.05 * max(abs(number - run["truth"]) for number in numbers)
        self.x = lambda number: centre + half * (number - run["truth"]) / reach
        self.error = lambda number: centre + (RIGHT - LANE) / 2 * (number - run["truth"]) / run["reach"]
        self.sums = {name: [0.0, *accumulate(run[name])] for name in ("zero_sum", "local")}
        far = 1.08 * max(abs(number) for sums in self.sums.values() for number in sums)
        self.walk = lambda number: (SUMS + EDGE) / 2 + (EDGE - SUMS) / 2 * number / far
        self.centre, self.masked = centre, masked
        self.lens = min(half, half * run["reach"] / reach)


def rows(film: Film, scale: Scale) -> None:
    """Names, true values, and the noise of each site."""
    run = scale.run
    film.add(f'<line class="dashed" x1="{scale.centre}" x2="{scale.centre}" y1="{TOP - 10}" y2="{LINE}"/>')
    film.add(
        f'<text class="quiet" x="{scale.centre}" y="{TOP - 16}" text-anchor="middle">true average {run["truth"]:.3f}</text>'
    )
    for s, value in enumerate(run["values"]):
        y = TOP + ROW * (s + 0.5)
        film.add(f'<text x="24" y="{y + 5}">{escape(run["names"][s])}</text>')
        film.add(f'<line class="rail" x1="{LANE}" x2="{RIGHT}" y1="{y}" y2="{y}"/>')
        ends = value, scale.masked[s], run["messages"][s]
        for kind, a, b, off, (begin, end) in (
            ("zero", *ends[:2], -6, turn(s, 3.4, 7.0)),
            ("local", *ends[1:], 6, turn(s, 7.9, 9.9)),
        ):
            bar = f'<line class="{kind}" x1="{scale.x(a):.1f}" x2="{scale.x(b):.1f}" y1="{y + off}" y2="{y + off}"/>'
            origin = f"transform-origin:{scale.x(a):.1f}px {y}px;transform:scaleX("
            film.add(bar, (0.0, origin + "0)"), (begin, origin + "0)"), (end, origin + "1)"))
        film.add(f'<circle class="dot" cx="{scale.x(value):.1f}" cy="{y}" r="5.5" data-value="{value!r}"/>')


def staircase(scale: Scale, name: str) -> tuple[str, list[float]]:
    """Path of a running sum: down from site to site, and sideways by its noise; and its length after each site."""
    path, y, length, lengths = f"M{scale.walk(0):.1f} {TOP - 4}", TOP - 4, 0.0, [0.0]
    for s, (before, total) in enumerate(pairwise(scale.sums[name])):
        below = TOP + ROW * (s + 0.5)
        length += below - y + abs(scale.walk(total) - scale.walk(before))
        path, y = path + f"V{below}H{scale.walk(total):.1f}", below
        lengths.append(length)
    lengths[-1] += FLOOR - y
    return path + f"V{FLOOR}", lengths


def running_sums(film: Film, scale: Scale) -> None:
    """The staircases: the zero-sum noise comes home to 0, the local noise does not."""
    middle = scale.walk(0)
    film.add(f'<line class="dashed" x1="{middle}" x2="{middle}" y1="{TOP - 10}" y2="{FLOOR}"/>')
    film.add(
        f'<text class="quiet" x="{middle}" y="{TOP - 16}" text-anchor="middle">running sums of the noise</text>'
    )
    for name, kind, begin, end in (("zero_sum", "zero", 3.4, 7.0), ("local", "local", 7.9, 9.9)):
        path, lengths = staircase(scale, name)
        whole = lengths[-1]
        moments = [(begin, lengths[0]), *((turn(s, begin, end)[1], lengths[s + 1]) for s in range(SITES))]
        drawn = [
            (second, f"stroke-dasharray:{whole:.1f};stroke-dashoffset:{whole - n:.1f}")
            for second, n in moments
        ]
        film.add(f'<path class="{kind}" d="{path}"/>', *drawn)
    left = scale.sums["local"][-1]
    # Each at its side of the middle, so that they do not meet.
    sides = (middle - 10, "end"), (middle + 10, "start")
    for words, (x, anchor), moment in zip(
        ("blue: 0", f"yellow: {_signed(left)}"), sides if left > 0 else sides[::-1], (7.1, 10.0), strict=True
    ):
        film.add(
            f'<text class="b" x="{x}" y="{FLOOR + 20}" text-anchor="{anchor}">{words}</text>', *fade(moment)
        )


def messages(film: Film, scale: Scale) -> None:
    """Messages travel and are averaged; so are those of the conventional scheme."""
    run = scale.run
    film.add(f'<text class="b" x="24" y="{LINE + 5}">average</text>')
    film.add(f'<line class="rail" x1="{LANE}" x2="{RIGHT}" y1="{LINE}" y2="{LINE}"/>')
    for s, (message, rival) in enumerate(zip(run["messages"], run["conventional_messages"], strict=True)):
        y, x, (begin, end) = TOP + ROW * (s + 0.5), scale.x(message), turn(s, 10.9, 12.6)
        place = f'x="{x - 6:.1f}" y="{y - 6}" width="12" height="12" rx="2"'
        film.add(f'<rect class="message" {place} data-value="{message!r}"/>', *fade(begin))
        flight = ((begin, y), (end, LINE), (13.4, LINE), (14.2, LINE, run["average"]))
        film.add(f'<rect class="message" {place}/>', *_flown(x, y, scale, *flight), passing=True)
        start = scale.x(rival)
        flight = ((15.0, y), (15.7, LINE), (15.8, LINE), (16.3, LINE, run["conventional"]))
        drawn = f'<path class="conventional" d="{diamond(start, y, 6)}"/>'
        film.add(drawn, *_flown(start, y, scale, *flight), passing=True)


def _flown(x, y, scale, *stops):
    """Moments of a sign that appears, moves to the stops (second, height, perhaps another number), and goes."""
    there = [
        (stop[0], moved(scale.x(stop[2]) - x if len(stop) > 2 else 0, stop[1] - y) + ";opacity:")
        for stop in stops
    ]
    first, last = there[0], there[-1]
    return [
        (first[0], first[1] + "0"), (first[0] + 0.1, first[1] + "1"), *((t, style + "1") for t, style in there[1:]),
        (last[0] + 0.3, last[1] + "0"),
    ]  # fmt: skip


def averages(film: Film, scale: Scale) -> None:
    """Both averages on a wider axis of errors."""
    run, bottom = scale.run, LANES[1] + 18
    film.add(
        f'<path class="lens" d="M{scale.centre - scale.lens:.1f} {LINE + 2}H{scale.centre + scale.lens:.1f}'
        f'L{RIGHT} {LINE + 20}V{bottom}H{LANE}V{LINE + 20}z"/>'
    )
    film.add(f'<line class="dashed" x1="{scale.centre}" x2="{scale.centre}" y1="{LINE}" y2="{bottom}"/>')
    for scheme, label, key, y, born in (
        ("cape", "CAPE", "average", LANES[0], 14.3),
        ("conventional", "conventional", "conventional", LANES[1], 16.4),
    ):
        film.add(
            f'<text x="24" y="{y + 5}">{label}</text>'
            + f'<line class="rail" x1="{LANE}" x2="{RIGHT}" y1="{y}" y2="{y}"/>'
        )
        x, error = scale.error(run[key]), run[key] - run["truth"]
        mark = f'<circle class="mark cape" cx="{x:.1f}" cy="{y}" r="9" data-value="{run[key]!r}"/>'
        if scheme == "conventional":
            mark = f'<path class="mark conventional" d="{diamond(x, y, 10)}" data-value="{run[key]!r}"/>'
        above = moved(scale.x(run[key]) - x, LINE - y)
        film.add(
            mark,
            (born, "opacity:0;" + above),
            (born + 0.3, "opacity:1;" + above),
            (born + 1.0, "opacity:1;" + moved(0, 0)),
        )
        film.add(
            f'<text class="big" x="{SUMS - 20}" y="{y + 7}">off by {abs(error):.2g}'
            f'<tspan class="quiet" dx="10">typically ±{short_text(run["bands"][scheme])}</tspan></text>',
            *fade(born + 1.0),
        )


def captions(film: Film, scale: Scale) -> None:
    """One sentence or two for each step; the last one is there without motion, too."""
    said = scale.run["captions"]
    for i, (words, begin) in enumerate(zip(said, CAPTIONS, strict=True)):
        last = i == len(said) - 1
        lines = _bold(textwrap.wrap(words, 92))
        text = "".join(
            f'<text class="say" x="24" y="{34 + 22 * n}">{line}</text>' for n, line in enumerate(lines)
        )
        film.add(text, *fade(begin, None if last else CAPTIONS[i + 1]), passing=not last)


def _bold(lines):
    """Lines with the parts between stars in bold, also where such a part goes over the end of a line."""
    inside, done = False, []
    for line in lines:
        parts = []
        for i, part in enumerate(re.split(r"\*", line)):
            inside = inside if i == 0 else not inside
            parts.append(f'<tspan class="b">{escape(part)}</tspan>' if inside and part else escape(part))
        done.append("".join(parts))
    return done


def _signed(number):
    return f"{number:+.2g}".replace("-", "−")


def picture() -> str:
    """The SVG document of the run that Protocol plays first."""
    run = played(ProtocolModel(Controls(**PROTOCOL.opens)).plan().run, noun="hospital")
    film, scale = Film(), Scale(run)
    film.add(f'<rect class="paper" x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="12"/>')
    for part in (captions, rows, running_sums, messages, averages):
        part(film, scale)
    return film.svg("One run of the CAPE protocol", " ".join(run["captions"]).replace("*", ""))


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
