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
# The line takes what the button leaves, and a message the row below.
_ROW = """
:host { display: flex; flex-flow: row wrap; align-items: center; align-content: center; column-gap: 4px; min-height: 35px }
.line { flex: 1 1 0; min-width: 0; width: 0 }
.stop { flex: 0 0 auto; min-width: 52px }
.problem { flex: 1 1 100% }
.scroll-button { display: none }
"""
_END = "button { min-width: 52px }"


def progress(runs: Runs) -> pn.viewable.Viewable:
    """A line that shows the progress of `runs`, "12 of 90 runs", with a button that stops or restarts them.

    It has the class "failed" while it shows a message, which needs more width.
    """
    line, problem = LiveText(_LINE), LiveText(css.NOTICE)
    line.pane.object.css_classes, problem.pane.object.css_classes = ["line"], ["problem"]

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
        row.css_classes = ["runs", *(["failed"] if runs.state == "failed" else [])]

    # The place of the button is kept while there is none: the line does not jump.
    buttons = Buttons(sheets=[_END], css_classes=["stop"])
    row = Stack(line.pane, buttons, problem.pane, css_classes=["runs"], stylesheets=[_ROW], **FULL)
    button = buttons.add("Stop", look="primary", act=press)
    runs.param.watch(follow, ["state", "done", "total", "message"])
    follow()
    return row


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
    done = " class='done'" if runs.state == "finished" else ""
    return (
        f"<div{done}><span role='status'>{text}</span>"
        f"<div class='track' role='progressbar' aria-label='Progress of the run' aria-valuenow='{share:.0f}' "
        f"aria-valuemin='0' aria-valuemax='100'><div style='width: {share:.1f}%'></div></div></div>"
    )
