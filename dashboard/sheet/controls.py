"""The controls of a page at its left: sliders, further settings, examples; and which of them a slide has."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.control_panel import ENDS, ControlPanel, Instead
from dashboard.components.layout import FULL
from dashboard.page.played import Play
from dashboard.state.number_text import setting_text

PAUSE = 60  # Milliseconds between two values of a moving slider.
_SIDE = """
:host > * { flex: none }
:host > .scroll-button { display: none }
:host(.slide) > :not(.primary, .on-slide) { display: none }
@media (max-width: 899px) {
  :host { display: contents } :host > * { order: 7 } :host > .primary { order: 3 } :host > .primary.above { order: 1 }
  /* Its button, 3 px higher than its line, is as far from the picture above it as parts are from each other: 10 px. */
  :host(:not(.slide)) > .primary:not(.above) { margin-top: 13px !important }
  /* A slide's control stands above the picture, as in a hall: below it the buttons might cover it. */
  :host(.slide) > :is(.primary, .on-slide) { order: 1 }
}
"""


def side(parts: Iterable[Any]) -> Stack:
    """The column of controls; the class `primary` marks what a phone shows first."""
    return Stack(*parts, css_classes=["side"], stylesheets=[_SIDE], **FULL)


def panel(page: Any, names: Sequence[str], **options: Any) -> ControlPanel:
    """A panel of some settings, up to the largest values that the plan allows.

    It leaves out what has no effect. On a slide that names one of them it leaves out the others, and folds nothing.
    """
    found = ControlPanel(
        [(page.source(name), name) for name in names], protects=page.model.protects, ends=ENDS, **options
    )

    first = found.first

    def follow(*events):
        step = page.state.step
        alone = bool(step) and step.control in names
        others = set(names) - {step.control} if alone else set()
        found.first = -1 if alone else first
        found.hide({*page.state.absent, *others}, instead={} if step else _instead(page))

    page.state.param.watch(follow, ["absent", "step"])
    page.state.param.watch(lambda event: found.limit(event.new), "most")
    follow()
    found.limit(page.state.most)
    return found


def _instead(page):
    """What stands in the place of controls that another setting takes away."""
    controls = page.controls
    if not {"dropouts", "adversary"} <= {*page.shared} or controls.adversary != "message":
        return {}
    parameter = controls.param.adversary
    one, every = (setting_text(parameter, value) for value in ("message", "aggregator"))
    words = f"are planned for under a target against {every} or colluders, not against {one}."
    act = partial(page.set, {"adversary": "aggregator"})
    return {"dropouts": Instead(words, f"Let it hold against {every}", act)}


def follow_play(page: Any, panel: ControlPanel) -> None:
    """Let a playing slider go on once everything stands that its value asked for, and keep marks of what it showed."""
    play = Play(lambda results: page.spec.reached(results.plan, results))
    panel.busy = "computing …"
    held: dict[str, Any] = {"about": None}

    def about():
        return {name: text for name, text in page.settings.texts().items() if name != page.primary}

    def answer(*events):
        if page.arrived():
            panel.busy = ""
            panel.answer()

    def note(event):
        if panel.stop == 0:
            play.begin()
        if panel.stop >= 0 and page.arrived():
            play.note(getattr(page.source(page.primary), page.primary), page.results)
        held["about"] = about()
        panel.marks = play.marks()

    def forget(*events):
        if held["about"] is not None and about() != held["about"]:
            held["about"] = None
            play.begin()
            panel.marks = {}

    def halt(event):
        if event.new in ("failed", "stopped"):
            panel.halt()

    answer()
    page.state.param.watch(answer, "shown")
    page.state.param.watch(forget, "shown")
    page.runs.param.watch(halt, "state")
    panel.param.watch(note, "answered")


def for_slides(page: Any, primary: ControlPanel, sliders: ControlPanel) -> None:
    """Let a slide have the one control that it names."""

    def follow(event):
        name = event.new.control if event.new else ""
        primary.visible = name in ("", page.primary)
        sliders.css_classes = ["on-slide"] if name and name != page.primary else ["sliders"]

    page.state.param.watch(follow, "step")


def pins(page: Any) -> Buttons:
    """Buttons that keep copies of the curves, and forget them."""
    row = Buttons(gap="0 8px")
    row.add("Pin", look="foot", act=page.pin)
    unpin = row.add("Unpin", look="foot", act=page.unpin, visible=False)
    page.state.param.watch(lambda event: unpin.update(visible=bool(page.pins)), "shown")
    return row


def examples(names: Sequence[str]) -> str:
    """The examples as chips to press."""
    parts = [
        f"<button type='button' class='chip example' data-press='example' data-number='{place}'>{html.escape(name)}"
        "</button>"
        for place, name in enumerate(names)
    ]
    return f"<h2>Examples</h2><div class='chips'>{''.join(parts)}</div>" if names else ""


def problem(words: str) -> str:
    """Why the settings have no picture; the last one stands."""
    return f"<div class='notice error' role='alert'>{html.escape(words)}</div>" if words else ""
