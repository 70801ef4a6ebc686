"""Whatever a browser sends to a control of any page: the app says so in words or leaves it, and goes on."""

from __future__ import annotations

import asyncio
import base64
import gzip
import logging
import math

import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.core.serialization import DeserializationError, Deserializer
from bokeh.protocol.messages.patch_doc import patch_doc
from bokeh.protocol.receiver import Receiver
from panel.io.server import WSHandler
from panel.reactive import Syncable
from panel_material_ui.base import MaterialComponent
from panel_material_ui.widgets.base import MaterialWidget
from pictures import held
from sessions import Session

from dashboard.compat.server.allowed_changes import COMPONENTS, allow_listed_changes
from dashboard.compat.server.message_limits import MOST_BYTES, limit_messages
from dashboard.compat.widgets.bad_messages import refuse_in_words
from dashboard.compat.widgets.document_lock import keep_lock
from dashboard.components.buttons import Buttons
from dashboard.components.control_panel import ControlPanel
from dashboard.components.upload import Upload
from dashboard.own_table.file import ROOM
from dashboard.pages import FRONT, PAGES
from dashboard.session.app import App
from dashboard.state import background_runs
from dashboard.state import errors as failures

LONG = "x" * 100_000
NESTED: dict = {"a": {"b": [{"c": None}]}}
NUMBERS = (math.nan, math.inf, 1e308, -1, 0, 10**300, True, "7", None, NESTED)
OTHERS = (-1, math.nan, "no such option", LONG, [1, "x"], None, NESTED)
# Of what is built alike one gets all of them, every further one these.
FEW = (math.nan, LONG, NESTED)
SLIDERS = (pmui.IntSlider, pmui.FloatSlider)
KINDS = (*SLIDERS, pmui.TextInput, pmui.Select, pmui.RadioButtonGroup, pmui.CheckBoxGroup, pmui.Switch)
INPUTS = set(COMPONENTS) - {MaterialComponent}
WITHOUT_VALUE = {
    "Button",
    "IconButton",
    "RepeatedDownload",
    "Upload",
    "LinearProgress",
}  # They send events, or nothing.
QUIET = "Nothing was changed."
MOST_JOBS = 2000  # Of one run; the largest page asks for 700 with the settings it opens with.


class Visitor:
    """A session of the app."""

    def __init__(self):
        self.jobs: list[int] = []
        # What is built alike on many pages is attacked once where pictures answer at once and once where they do not.
        self.seen: set = set()

    async def begin(self):
        self.session = await Session(self._build).__aenter__()
        self.session.loaded()

    def _build(self, document):
        self.app = App({"page": "protocol"})
        self.app.frame.server_doc(document)

    async def open(self, name):
        await self.session.locked(lambda: self.app.open(name))
        return self.app.page

    def widgets(self, kinds=KINDS):
        """The widgets of the page in front."""
        view = self.app.pages.view(self.app.page.name)
        return [w for w in view.select(lambda part: isinstance(part, kinds)) if w._models]

    def panels(self):
        """The panels of controls of the page in front."""
        return self.widgets(ControlPanel)


@pytest.fixture(scope="module")
def world():
    """A loop, two sessions of one server, and what the app's handler got; runs are counted instead of run."""
    one, other, errors = Visitor(), Visitor(), []
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner() as runner:
        patch.setattr(Syncable, "_debounce", 1)
        patch.setattr(
            Syncable, "_process_events", Syncable._process_events
        )  # Put back at the end, as the next.
        patch.setattr(Deserializer, "_decode_bytes", Deserializer._decode_bytes)
        patch.setattr(Receiver, "consume", Receiver.consume)
        patch.setattr(WSHandler, "max_message_size", WSHandler.max_message_size)
        patch.setattr(patch_doc, "apply_to_document", patch_doc.apply_to_document)
        patch.setattr(pn.config, "exception_handler", lambda e: (errors.append(e), failures.handle(e)))
        patch.setattr(background_runs.Runs, "start", lambda self, jobs, paint: one.jobs.append(len(jobs)))
        logging.disable(logging.CRITICAL)
        keep_lock()
        refuse_in_words()
        limit_messages()
        allow_listed_changes()
        runner.run(one.begin())
        runner.run(other.begin())
        yield runner, one, other, errors
        for visitor in (one, other):
            runner.run(visitor.session.__aexit__())
        logging.disable(logging.NOTSET)


def data(widget):
    """The part of a widget's model that the browser reads and writes."""
    model = next(iter(widget._models.values()))[0]
    return getattr(model, "data", model)


def state(page):
    """What a page's settings are, as a link has them; every one of them is a value that a link may hold."""
    texts = page.settings.texts()
    values, problems = page.settings.decode(texts)
    assert problems == []
    assert all(value == getattr(source_of(page, name), name) for name, value in values.items())
    return texts


def source_of(page, name):
    return page.model if name in page.own else page.controls


def bound(page, widgets):
    """Names and widgets of the settings that a control of the page shows."""
    found = []
    for name in (*page.own, *page.shared):
        source = source_of(page, name)
        label, value = source.param[name].label, getattr(source, name)
        found += [(name, w) for w in widgets if w.label == label and w.value == value]
    return found


def all_may_be_changed(one, page):
    """Every control of a page is listed as one that its browser may change."""
    controls = one.app.pages.view(page.name).select(lambda part: isinstance(part, MaterialWidget))
    silent = {type(c).__name__ for c in controls if INPUTS.isdisjoint(type(c).__mro__)}
    assert silent <= WITHOUT_VALUE and len(controls) + len(one.panels()) + len(one.widgets(Buttons)) > 0


async def attack(one, name, errors):
    """Send everything to every control; settings that became others that there are, are put back."""
    page = await one.open(name)
    all_may_be_changed(one, page)
    before, pictures, widgets = state(page), held(page), one.widgets()
    known = {widget: parameter for parameter, widget in bound(page, widgets)}
    for widget in widgets:
        alike = (type(widget), widget.label, page.live)
        if alike in one.seen and known.get(widget) not in page.own:
            continue
        one.seen.add(alike)
        everything = NUMBERS if isinstance(widget, SLIDERS) else OTHERS
        values = FEW if type(widget) in one.seen else everything
        one.seen.add(type(widget))
        attributes = [a for a in ("value", "value_throttled", "value_input") if hasattr(data(widget), a)]
        for value in values:
            await one.session.change(data(widget), **dict.fromkeys(attributes, value))
            judge(one, errors, widget, value)
            if one.app.page is not page:
                await one.open(name)  # A tab was chosen.
            await put_back(one, page, before)
    for panel in one.panels():
        for name in panel.controls:
            await attack_control(one, page, panel, name, errors, before)
    for widget, parameter in known.items():
        assert widget.value == getattr(source_of(page, parameter), parameter), parameter
    assert state(page) == before and held(page) == pictures
    assert max(one.jobs, default=0) < MOST_JOBS


async def put_back(one, page, before):
    """Undo a change of the settings; what they became must be a state that there is."""
    if page.settings.texts() != before:
        assert state(page) != before
        await one.session.locked(lambda: page.set(page.settings.decode(before)[0]))


async def attack_control(one, page, panel, name, errors, before):
    """Send everything to one control of a panel."""
    control = panel.controls[name]
    if (control.label, page.live) in one.seen and name not in page.own:
        return
    one.seen.add((control.label, page.live))
    model = next(iter(panel._models.values()))[0]
    values = FEW if control.kind in one.seen else (*NUMBERS, *OTHERS, 10**9, [-1], [10**6], [None])
    one.seen.add(control.kind)
    for value in values:
        await one.session.tell(model, name=name, value=value)
        for error in errors:
            assert isinstance(error, ValueError), (name, str(value)[:40], repr(error)[:200])
            assert QUIET in str(error) and len(str(error)) < 400 and QUIET in one.app.notice
        errors.clear()
        (told,) = (one for one in panel.state if one["label"] == control.label)
        assert told["stamp"] == control.state["stamp"], (name, str(value)[:40])
        if one.app.page is not page:
            await one.open(page.name)
        await put_back(one, page, before)
    value = getattr(
        control.source, name
    )  # Of the page, of the session, or of a part as the replay of a training.
    assert control.value == (value if control.most is None else min(value, control.most))


def judge(one, errors, widget, value):
    """Nothing but refusals in words reached the app's handler, and the browser shows what the widget has."""
    for error in errors:
        assert isinstance(error, ValueError), (widget, str(value)[:40], repr(error)[:200])
        assert QUIET in str(error) and len(str(error)) < 400, (widget, str(value)[:40], str(error)[:400])
        assert QUIET in one.app.notice
    errors.clear()
    shown = widget._process_param_change({"value": widget.value}).get("value")
    assert data(widget).value == shown, (widget, str(value)[:40])


@pytest.mark.parametrize("name", [kind.name for kind in PAGES])
def test_every_control_may_be_changed_and_no_value_harms_the_page(world, name):
    runner, one, other, errors = world
    page = other.app.page
    untouched = state(page), held(page), other.app.notice
    runner.run(attack(one, name, errors))
    assert (state(page), held(page), other.app.notice) == untouched
    runner.run(answers(one))
    assert errors == []


async def answers(one):
    """A good value is taken by the same controls."""
    page = one.app.page
    for panel in one.panels():
        model = next(iter(panel._models.values()))[0]
        for name, control in panel.controls.items():
            if control.kind == "slider" and control.visible and isinstance(control.state["value"], int):
                before, shown = state(page), control.state
                next_one = shown["value"] + (1 if shown["value"] < shown["end"] else -1)
                await one.session.tell(model, name=name, value=next_one)
                assert state(page).get(name) != before.get(name)
                await one.session.locked(lambda before=before: page.set(page.settings.decode(before)[0]))
                return


def test_a_row_of_buttons_takes_clicks_of_its_buttons_alone(world):
    runner, one, _, errors = world
    page = runner.run(one.open("sites"))
    before = state(page)
    rows = one.widgets(Buttons)
    row, place = next(
        (row, i) for row in rows for i, button in enumerate(row.buttons) if button.label == "New noise"
    )
    model = next(iter(row._models.values()))[0]
    for message in ({}, *({"pressed": value} for value in (-1, 99, 10**9, True, "0", None, [0], math.nan))):
        runner.run(one.session.tell(model, **message))
        assert state(page) == before and errors == []
    runner.run(one.session.tell(model, pressed=place))
    assert state(page) != before and errors == []
    runner.run(one.session.locked(lambda: page.set(page.settings.decode(before)[0])))


@pytest.mark.parametrize(("size", "taken"), [(1000, True), (MOST_BYTES + 1, False)])
def test_a_message_that_would_unpack_to_too_much_is_refused(world, size, taken):
    message = {"type": "bytes", "data": base64.b64encode(gzip.compress(bytes(size), 9)).decode()}
    if taken:
        assert Deserializer().decode(message) == bytes(size)
    else:
        with pytest.raises(DeserializationError, match="unpack"):
            Deserializer().decode(message)


def test_messages_of_components_are_read_with_care(world):
    """The library hands them on as they come; `bytes` of a number would make as many zeros."""
    runner, one, _, errors = world
    page = runner.run(one.open("pca"))
    before, free = state(page), ROOM.free
    piece = {"status": "upload_event", "name": "a.csv", "chunk": 1, "total_chunks": 1}
    opener = next(b for row in one.widgets(Buttons) for b in row.buttons if b.icon == "upload_file")
    runner.run(one.session.locked(opener.click))
    upload = one.widgets(Upload)[0]
    model = next(iter(upload._models.values()))[0]
    for changes in (
        {"data": 10**11},
        {"data": b"1", "total_chunks": -(10**6)},
        {"data": b"1", "name": NESTED},
        {},
    ):
        page.own_table.data.problem = ""
        runner.run(one.session.tell(model, status="initializing"))
        runner.run(one.session.tell(model, **(piece | changes)))
        assert "piece of" in page.own_table.data.problem
        assert ROOM.free == free
    runner.run(one.session.change(data(upload), value=base64.b64encode(b"1" * 9000).decode()))
    assert upload.value is None
    browser = next(iter(one.app.browser._models.values()))[0]
    query = "?page=gain&" + "&".join(f"<img{i}>=1" for i in range(3000))
    for message in ({"query": query}, {"query": NESTED}, {"move": "<b>"}, {"leave": 0}):
        runner.run(one.session.tell(browser, **message))
        assert len(one.app.notice) < 1000 and "<img" not in one.app.notice
    assert one.app.page.name == FRONT  # Where a link without a page leads.
    page = runner.run(one.open("pca"))
    assert errors == [] and state(page) == before


def test_no_value_in_a_cell_harms_the_table_of_sites(world):
    runner, one, _, errors = world
    page = runner.run(one.open("sites"))
    turn = next(b for row in one.widgets(Buttons) for b in row.buttons if b.label == "Change the sites")
    runner.run(one.session.locked(turn.click))
    runner.run(one.session.settled())
    model = next(iter(one.widgets(pn.widgets.Tabulator)[0]._models.values()))[0]
    before, cells = page.model.rows, {name: list(column) for name, column in model.source.data.items()}

    def edit(value):
        runner.run(one.session.locked(lambda: one.app.say("")))
        column = [value, *cells["size"][1:]]
        runner.run(one.session.change(model.source, data={**cells, "size": column}))

    for value in (math.nan, math.inf, 1e308, -1, 0, 2.5, 10**300, None):
        edit(value)
        assert "from 1 to 10⁹" in page.state.problem and page.model.rows == before
        assert errors == []
    for value in (LONG, "<img src=x>", [1], NESTED):
        edit(value)
        assert 20 < len(one.app.notice) < 700 and "<img" not in one.app.notice
        assert page.model.rows == before
    errors.clear()
    edit(777)
    assert page.plan.rows[0].size == 777 and page.state.problem == "" and errors == []
