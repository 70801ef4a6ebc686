"""What goes wrong around a session without a browser: events out of turn, echoes, runs that die."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel.models.reactive_html import DOMEvent
from sessions import Session, until

from core.sweep.workers import Call
from dashboard.compat.widgets import widget_echo
from dashboard.compat.widgets.document_lock import keep_lock
from dashboard.compat.widgets.widget_echo import ReplacedValues
from dashboard.components.inputs import control
from dashboard.components.layout import LiveText
from dashboard.session.app import App
from dashboard.state import background_runs, errors
from dashboard.state.controls import Controls


def test_a_click_right_after_a_slider_may_change_bokehs_own_models(monkeypatch):
    """Panel alone handles such a click without the document's lock, and Bokeh refuses changes without it."""
    problems, made = [], {}
    monkeypatch.setattr(pn.config, "exception_handler", problems.append)
    keep_lock()

    def build(document):
        text, button, slider = LiveText(""), pmui.Button(label="Preset"), pmui.IntSlider(start=0, end=9)
        button.on_click(lambda event: text.show("changed"))
        pn.Column(slider, button, text.pane).server_doc(document)
        made.update(slider=slider, button=button, text=text)

    async def main():
        async with Session(build) as one:
            document, (ref,) = one.document, made["button"]._models
            one.loaded()

            def arrive():
                made["slider"]._server_change(document, ref, None, "value", 0, 5)
                click = DOMEvent(made["button"]._models[ref][0], node="click", data={})
                made["button"]._server_event(document, click)

            await one.locked(arrive)
            await until(lambda: problems or made["text"].text)
            assert problems == []
            assert made["text"].text == "changed"
            assert made["slider"].value == 5

    asyncio.run(main())


def test_what_speaks_for_a_session_does_not_keep_it():
    class Speaker:
        def __init__(self):
            self.document = Document()

        def say(self, text):
            raise AssertionError(text)

    speaker = Speaker()
    with set_curdoc(speaker.document):
        errors.report_to(speaker.say)
    gone = weakref.ref(speaker.document)
    del speaker
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("page", ("guarantee", "topics"))
def test_a_session_that_ended_is_freed(page, caplog, monkeypatch):
    """All of it: the app with its pages, models and pictures, and what it registered with the library; nothing fails."""
    gone, watched = [], dict(pn.state.param.watchers)
    monkeypatch.setattr(logging.getLogger("panel"), "propagate", True)

    def build(document):
        app = App({"page": page})
        app.frame.server_doc(document)
        gone.extend(map(weakref.ref, (app, app.page, app.frame, document)))

    async def main():
        async with Session(build) as one:
            assert all(ref() is not None for ref in gone)
            await one.end()

    asyncio.run(main())
    gc.collect()
    assert [ref() for ref in gone] == [None] * 4
    assert pn.state.param.watchers == watched
    ended = [one for one in caplog.records if one.name == "panel.io.application"]
    assert ended and all(one.levelno < logging.WARNING for one in ended)


# Values that a browser sends back.


def test_a_value_that_was_replaced_a_moment_ago_is_an_echo_and_a_choice_is_not(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(widget_echo.time, "monotonic", lambda: now[0])
    replaced = ReplacedValues()
    replaced.note(3)
    replaced.note(["cape"])
    assert replaced.echoed(3) and replaced.echoed(["cape"])
    assert not replaced.echoed(4)
    now[0] += widget_echo.MOMENT + 0.1
    assert not replaced.echoed(3)
    replaced.note(3)
    replaced.clear()
    assert not replaced.echoed(3)


@pytest.mark.parametrize("live", (True, False))
@pytest.mark.parametrize(
    ("name", "values"), [("sites", (2, 50)), ("epsilon", (0.3, 3.0)), ("schemes", ([], ["cape"]))]
)
def test_an_echo_changes_nothing_and_is_put_right_in_the_browser(live, name, values):
    controls = Controls()
    widget = control(controls, name, live=live)
    first, second = values
    setattr(controls, name, first)
    setattr(controls, name, second)
    widget.value = first  # As if the browser sent back what it has painted by now.
    assert getattr(controls, name) == second
    assert widget.value == second


def test_what_a_user_chooses_is_taken_even_if_it_was_there_before():
    controls = Controls()
    widget = control(controls, "sites", live=True)
    controls.sites = 20
    for value in (21, 20, 10):
        widget.value = value
        assert controls.sites == value


def test_bounds_of_a_moment_ago_are_not_taken_from_the_browser():
    controls = Controls()
    widget = control(controls, "colluding", live=True)
    controls.sites = 3
    assert widget.end == 2
    controls.sites = 30
    widget.end = 2
    assert widget.end == 29


# Runs that die.


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (MemoryError(), "Out of memory"),
        (SystemExit(1), "SystemExit"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
    ],
)
def test_a_job_that_dies_leaves_server_worker_and_other_sessions_alive(error, words):
    def die(stop):
        raise error

    async def main():
        dying, other, painted = background_runs.Runs(), background_runs.Runs(), []

        def paint(found):
            painted.extend(result for _, result in found)

        dying.start([Call(lambda stop: "first"), Call(die)], paint=paint)
        other.start([Call(lambda stop: "other")] * 3, paint=paint)
        await until(lambda: "running" not in (dying.state, other.state))
        assert dying.state == "failed" and words in dying.message
        assert other.state == "finished" and painted.count("other") == 3
        # Another try is to be had at once, from the same worker.
        dying.start([Call(lambda stop: "again")], paint=paint)
        await until(lambda: dying.state != "running")
        return painted

    assert "again" in asyncio.run(main())
