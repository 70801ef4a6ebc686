"""The progress of a page's run: one line with a stop button; after an error its message and a retry button."""

from __future__ import annotations

import html

import panel as pn

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.layout import FULL, LiveText
from dashboard.state.background_runs import Runs
from dashboard.state.number_text import count_text
from dashboard.theme import css
from dashboard.theme.assets import beside

_LINE = beside(__file__, "progress.css")
# The line takes what the button leaves.
_ROW = ":host { display: flex; flex-direction: row } :host > :not(:last-child) { flex: 1 1 0; min-width: 0; width: 0 }"
_END = ".row { justify-content: center }"


def progress(runs: Runs) -> pn.viewable.Viewable:
    """A line that shows the progress of `runs`, "12 of 90 runs", with a button that stops or restarts them."""
    line, problem = LiveText(_LINE), LiveText(css.NOTICE)

    def press():
        if runs.state == "running":
            runs.stop()
        else:
            runs.again()

    def follow(*events):
        running = runs.state == "running"
        line.show(_line(runs))
        button.update(
            label="Stop" if running else "Continue" if runs.state == "stopped" else "Try again",
            visible=running or runs.state in ("stopped", "failed"),
        )
        failed = f"<div class='notice error' role='alert'>The run stopped: {html.escape(runs.message)}</div>"
        problem.show(failed if runs.state == "failed" else "")
        problem.pane.visible = runs.state == "failed"

    buttons = Buttons(width=90, sheets=[_END])
    button = buttons.add("Stop", look="primary", act=press)
    runs.param.watch(follow, ["state", "done", "total", "message"])
    follow()
    row = Stack(line.pane, buttons, height=34, stylesheets=[_ROW], **FULL)
    return Stack(row, problem.pane, css_classes=["runs"], **FULL)


def _line(runs):
    if not runs.total:
        return "<span>&nbsp;</span>"
    share = 100 * runs.done / runs.total
    text = (
        f"{count_text(runs.total, runs.unit, runs.units)} done"
        if runs.state == "finished"
        else f"{runs.done} of {count_text(runs.total, runs.unit, runs.units)}"
    )
    if runs.state == "stopped":
        text += ", stopped"
    return (
        f"<span role='status'>{text}</span>"
        f"<div class='track' role='progressbar' aria-label='Progress of the run' aria-valuenow='{share:.0f}' "
        f"aria-valuemin='0' aria-valuemax='100'><div style='width: {share:.1f}%'></div></div>"
    )
