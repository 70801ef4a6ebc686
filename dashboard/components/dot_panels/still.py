"""The panels before scripts run: the same markup, without movement."""

from __future__ import annotations

import html

from dashboard.components.dot_panels.component import SHEET
from dashboard.components.dot_panels.picture import ARM, SIDE, TINTS


def still(state: dict) -> str:
    """HTML of what `Picture.state` returns; "" for nothing."""
    if not state:
        return ""
    panels = "".join(_panel(panel, state, first=not i) for i, panel in enumerate(state["panels"]))
    under = f'<p class="under">{html.escape(state["under"])}</p>' if state["under"] else ""
    items = "".join(f"<span>{html.escape(item)}</span>" for item in state["told"])
    told = f'<p class="told{" key" * (len(state["told"]) > 1)}">{items}</p>'
    return f'<style>{SHEET}</style><div class="dot-panels">{told}<div class="row">{panels}</div>{under}</div>'


def _panel(panel, state, *, first):
    places = state["rings"]
    groups = panel["groups"] or [None] * len(panel["dots"][0])
    dots = "".join(
        f'<path class="dot" d="{_dots(panel["dots"], groups, group)}" stroke-width="{state["size"]}" '
        f'style="--dot: {panel["colour"] or "currentColor" if group is None else _tint(group)}"/>'
        for group in sorted(set(groups), key=lambda group: group or 0)
    )
    line = _line("level", state) + _line("line", state)
    near = "".join(
        f'<circle class="near{" hit" * (i in panel["right"])}" cx="{x}" cy="{y}" r="{r}"/>'
        for i, (x, y, r) in enumerate(zip(*places, state["near"], strict=False))
    )
    rings = "".join(f'<circle class="ring" cx="{x}" cy="{y}" r="46"/>' for x, y in zip(*places, strict=True))

    def wrong(i):
        return bool(state["near"]) and i not in panel["right"]

    misses = "".join(
        f'<path class="miss" d="M{x} {y}L{to_x} {to_y}"/>'
        for x, y, to_x, to_y in zip(*state["rings"], *panel["found"], strict=False)
    )
    found = "".join(
        _cross(x, y, _tint(-1 if wrong(i) else i) if panel["groups"] or wrong(i) else "currentColor")
        for i, (x, y) in enumerate(zip(*panel["found"], strict=True))
    )
    right = "".join(
        f'<path class="tick" d="{_tick(x, y, r)}"/>'
        for i, (x, y, r) in enumerate(zip(*state["rings"], state["near"], strict=False))
        if i in panel["right"]
    )
    flat = ' preserveAspectRatio="none"'  # See dot_panels.css.
    label, verdict = html.escape(panel["label"]), html.escape(panel["verdict"])
    captions = "".join(
        f'<span class="{name}">{html.escape(state[name])}</span>'
        for name in ("up", "across")
        if first and state[name]
    )
    return (
        f'<figure style="--look: {panel["colour"] or "currentColor"}">'
        f'<figcaption><b>{label}</b><span>{verdict or "&#160;"}</span></figcaption><div class="sheet">'
        f'<svg viewBox="0 0 {SIDE} {SIDE}"{"" if state["rings"][0] else flat} role="img" '
        f'aria-label="{label}: {verdict}">{line}{near}{dots}{rings}{misses}{found}{right}</svg>'
        f"{captions}</div></figure>"
    )


def _line(name, state):
    (x, y) = state[name]
    return f'<path class="{name}" d="M{x[0]} {y[0]}L{x[1]} {y[1]}"/>' if x else ""


def _tint(group):
    return TINTS[group % len(TINTS)] if group >= 0 else "var(--none)"


def _dots(places, groups, group):
    chosen = zip(*places, groups, strict=True)
    return "".join(f"M{x} {y}h0" for x, y, of in chosen if of == group)


def _tick(x, y, r):
    """As in dot_panels.js."""
    return f"M{round(x + (0.71 if x > SIDE / 2 else -0.71) * r) - 32} {round(y - 0.71 * r)}l22 26l42 -56"


def _cross(x, y, tint):
    return "".join(
        f'<path class="cross {name}" style="--tint: {tint}" d="M{x - ARM} {y}h{2 * ARM}m-{ARM} -{ARM}v{2 * ARM}"/>'
        for name in ("halo", "mark")
    )
