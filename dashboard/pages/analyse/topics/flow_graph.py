"""The flow graph of spectral LDA with the edges that carry noise: these edges cut the documents from the topics."""

from __future__ import annotations

import html

from core.topics import Topics
from dashboard.pages.analyse.topics.model import noisy_edges
from dashboard.state.number_text import number_text
from dashboard.theme.assets import beside
from dashboard.theme.colours import NOISY

# [Lda] Figure 1. Node: centre and text; edge: from, to.
_NODES = {
    "docs": (70, 120, "documents"),
    "M2": (250, 50, "M2"),
    "M3": (250, 190, "M3"),
    "W": (420, 50, "W"),
    "T": (560, 190, "T = M3(W,W,W)"),
    "back": (600, 50, "(Wᵀ)†"),
    "pairs": (760, 190, "eigenpairs λ, v"),
    "topics": (880, 90, "topics μ, α"),
    "out": (1010, 90, "released"),
}
_EDGES = {
    "e0": ("docs", "M2"),
    "e1": ("docs", "M3"),
    "e2": ("M2", "W"),
    "e3": ("M3", "T"),
    "e4": ("W", "T"),
    "e5": ("W", "back"),
    "e6": ("T", "pairs"),
    "e7": ("pairs", "topics"),
    "e8": ("back", "topics"),
    "e9": ("topics", "out"),
}
_WIDTHS = {
    "docs": 92,
    "M2": 50,
    "M3": 50,
    "W": 44,
    "T": 128,
    "back": 64,
    "pairs": 124,
    "topics": 100,
    "out": 80,
}
# The released array whose noise is written at a noisy edge.
_LEVELS = {
    "E": {"raw": ("E2", "E1"), "e6": ("T",)},
    "1": {"e3": ("M3",), "e4": ("M2",), "e8": ("M2 again", "M2")},
    "1-pure": {"e3": ("M3",), "e4": ("M2",)},
    "2": {"e6": ("main",), "e8": ("M2",)},
    "3": {"e7": ("main",), "e8": ("M2",)},
    "4": {"e9": ("main",)},
}
# Centre of that text, away from the lines.
_PLACES = {
    "raw": (120, 62),
    "e3": (400, 210),
    "e4": (520, 105),
    "e6": (660, 235),
    "e7": (880, 160),
    "e8": (740, 45),
    "e9": (950, 60),
}
SHEET = beside(__file__, "flow_graph.css")


def flow_graph(configuration: str, found: Topics | None) -> str:
    """SVG of the graph; with a fit, every noisy edge has the standard deviation of its noise."""
    noisy = noisy_edges(configuration)
    # Configuration E perturbs the raw moments behind both M2 and M3.
    drawn = [_edge(name, name in noisy or (name == "e0" and "raw" in noisy)) for name in _EDGES]
    labels = [_level(configuration, edge, found) for edge in noisy]
    parts = "".join((*drawn, *map(_node, _NODES), *labels))
    title = f"Flow graph of spectral LDA; noise on {', '.join(_names(configuration))}"
    return (
        f"<h3>Where configuration {html.escape(configuration)} adds noise</h3>"
        f"<div class='scroll'><svg viewBox='0 0 1070 250' role='img' aria-label='{html.escape(title)}'>"
        f"<defs>{_arrow('plain', 'currentColor')}{_arrow('noisy', NOISY)}</defs>{parts}</svg></div>"
        f"<p>{_sentence(configuration, found)}</p>"
    )


def _names(configuration):
    return [
        "E1, E2 and T" if edge == "raw" else edge for edge in noisy_edges(configuration) if edge != "e6"
    ] or ["e6"]


def _arrow(name, colour):
    return (
        f"<marker id='{name}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        f"<path d='M0 0L8 4L0 8z' fill='{colour}'/></marker>"
    )


def _node(name):
    x, y, text = _NODES[name]
    width = _WIDTHS[name]
    return (
        f"<rect x='{x - width / 2}' y='{y - 17}' width='{width}' height='34' rx='8' fill='none' stroke='currentColor'/>"
        f"<text x='{x}' y='{y + 5}' text-anchor='middle' fill='currentColor'>{html.escape(text)}</text>"
    )


def _ends(name):
    """Where an edge leaves one box and meets the other."""
    (a, b) = _EDGES[name]
    (x0, y0, _), (x1, y1, _) = _NODES[a], _NODES[b]
    points = []
    for node, (x, y), (u, v) in ((a, (x0, y0), (x1, y1)), (b, (x1, y1), (x0, y0))):
        dx, dy = u - x, v - y
        reach = min(
            (_WIDTHS[node] / 2 + 2) / abs(dx) if dx else float("inf"), 19 / abs(dy) if dy else float("inf")
        )
        points.append((x + dx * reach, y + dy * reach))
    return points


def _edge(name, noisy):
    (x0, y0), (x1, y1) = _ends(name)
    colour, width, dash = (NOISY, 3, "7 4") if noisy else ("currentColor", 1.2, "none")
    line = (
        f"<line x1='{x0:.0f}' y1='{y0:.0f}' x2='{x1:.0f}' y2='{y1:.0f}' stroke='{colour}' stroke-width='{width}' "
        f"stroke-dasharray='{dash}' opacity='{1 if noisy else 0.6}' marker-end='url(#{'noisy' if noisy else 'plain'})'/>"
    )
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    return (
        line
        + f"<text x='{x:.0f}' y='{y - 6:.0f}' font-size='12' fill='{colour}' text-anchor='middle'>{name}</text>"
    )


def _level(configuration, edge, found):
    names = _LEVELS[configuration][edge]
    if found is None or not any(name in found.noise for name in names):
        return ""
    name = next(name for name in names if name in found.noise)
    x, y = _PLACES[edge]
    where = {"main": "", "M2 again": "M2 "}.get(name, f"{name} ")
    text = f"{where}σ = {number_text(found.noise[name], digits=2)}"
    return (
        f"<text x='{x}' y='{y}' font-size='13' font-weight='600' fill='{NOISY}' "
        f"text-anchor='middle'>{html.escape(text)}</text>"
    )


def _sentence(configuration, found):
    if configuration == "E":
        first = (
            "E adds noise to the raw moments E1 and E2, which do not depend on α₀, "
            "and to T after W is public: every path is covered."
        )
    else:
        first = "Every path from the documents to the topics crosses a noisy edge."
    if found is None:
        return first
    tail = found.abstained or found.guarantee.reason
    return f"{first} {html.escape(tail)}"
