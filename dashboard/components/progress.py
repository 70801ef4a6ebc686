"""The progress of a page's run: one line with a stop button; after an error its message and a retry button."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import FULL
from dashboard.state.background_runs import Runs
from dashboard.state.number_text import count_text
from dashboard.theme import css
from dashboard.theme.assets import beside

_LINE = beside(__file__, "progress.css")


def progress(runs: Runs) -> pn.viewable.Viewable:
    """A line that shows the progress of `runs`, "12 of 90 runs", with a button that stops or restarts them."""
    line = pn.pane.HTML("", stylesheets=[_LINE], sizing_mode="stretch_width", margin=0)
    button = pmui.Button(label="Stop", size="small", variant="text", margin=0, width=90)
    problem = pn.pane.HTML("", visible=False, stylesheets=[css.NOTICE], **FULL)

    def press(event):
        if runs.state == "running":
            runs.stop()
        else:
            runs.again()

    def follow(*events):
        running = runs.state == "running"
        line.object = _line(runs)
        button.label = "Stop" if running else "Continue" if runs.state == "stopped" else "Try again"
        button.visible = running or runs.state in ("stopped", "failed")
        problem.visible = runs.state == "failed"
        problem.object = (
            f"<div class='notice error' role='alert'>The run stopped: {html.escape(runs.message)}</div>"
        )

    button.on_click(press)
    runs.param.watch(follow, ["state", "done", "total", "message"])
    follow()
    row = pn.Row(line, button, height=34, sizing_mode="stretch_width", margin=0)
    return pn.Column(row, problem, **FULL)


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
