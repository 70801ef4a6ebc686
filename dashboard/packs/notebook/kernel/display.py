"""A Panel object in a notebook: every change reaches the browser, also after the notebook was opened again.

Panel sends the changes of its own objects; of a Bokeh model, such as a figure's data, it sends a change only when it is
told to, or with the next change of its own. A change that comes before the browser is ready is tried ten times a second
until it is, which is for ever where no browser will come. Panel takes a browser that has opened its connection for ready,
but one that has not drawn the output yet drops what comes, and of a message in parts the first parts, after which it
understands no other: the output says itself when it is `drawn`. A notebook that is opened again shows what the cell
showed when it was run, although its kernel is in another state. Jupyter may hand messages of a browser to a thread of
their own, while a cell runs. And the text of a replaced output stays in memory.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import panel as pn
from bokeh.core.serialization import Serializer
from bokeh.document import Document
from bokeh.document.events import (
    ColumnDataChangedEvent,
    ColumnsPatchedEvent,
    ColumnsStreamedEvent,
    ModelChangedEvent,
)
from bokeh.document.json import PatchJson
from bokeh.model import Model
from bokeh.models import ImportedStyleSheet, InlineStyleSheet, UIElement
from bokeh.protocol.messages.patch_doc import patch_doc
from panel.io.notebook import push, replace_inline_css, send
from panel.io.resources import CDN_DIST, DIST_DIR, bundled_files, set_resource_mode
from panel.io.state import state
from panel.models.tabulator import DataTabulator
from panel.viewable import Viewable
from pyviz_comms import JupyterComm, JupyterCommManager

from dashboard.compat.server.allowed_changes import Refused, allowed

Bundle = tuple[dict[str, Any], dict[str, Any]]
_LONG = 100_000  # Characters of a program that an output holds once, however many components it has.
_CHANGES = (ModelChangedEvent, ColumnDataChangedEvent, ColumnsStreamedEvent, ColumnsPatchedEvent)
_SCRIPT = '<script type="application/javascript">'
_PROGRAM, _DOCUMENT = re.compile(r'"esm":\s*(?=")'), "var docs_json ="


class Display:
    """One output of a notebook's cell, until `close`.

    Parameters
    ----------
    view : Viewable
        What it shows.
    opened : callable
        Called when a browser has drawn the output, before it is brought to the present state.
    """

    def __init__(self, view: Viewable, *, opened: Callable[[], None]):
        self._view, self._opened, self._document = view, opened, Document()
        self._comm, self._drawn = _Comm(), ""
        self._changed: dict[tuple[str, str], Model] = {}  # Since the output was made, by model and property.
        self._due = False
        with carried():
            root = view._render_model(self._document, self._comm)
            with self._document.models.freeze():  # Or all models are collected again after each change.
                _carry_sheets(root)
            self.bundle = _once(view._render_mimebundle(root, self._document, self._comm), _tables(root))
        self._root = root.ref["id"]
        client = view._comms[self._root][1]
        client._on_msg = here(client._on_msg)
        self._sent = frozenset(self._document.models)  # What the output itself brings to a browser.
        self._follow()

    def drawn(self, by: str) -> None:
        """A browser has drawn the output as the cell made it: from now on send, and first what has changed since.

        `by` names the drawing, which may say so several times.
        """
        if by != self._drawn:
            self._drawn = by
            self._comm.begin()
            self._catch_up()

    def close(self) -> None:
        """The output was replaced: release all that belongs to it."""
        view = state._views.pop(self._root, (self._view,))[0]
        client = view._comms.get(self._root, (None, None))[1]
        with contextlib.suppress(Exception):  # A browser may have closed them already.
            view._cleanup(self._document.roots[0])
        for comm in filter(None, (client, self._comm)):
            JupyterCommManager._comms.pop(comm.id, None)
        state._handles.pop(self._root, None)
        del self._document.callbacks.trigger_on_change
        self._changed, self._sent = {}, frozenset()
        self._document.clear()
        _forget(self.bundle[0]["text/html"])

    def _follow(self):
        callbacks = self._document.callbacks
        trigger = type(callbacks).trigger_on_change

        def changed(event):
            trigger(callbacks, event)
            if isinstance(event, _CHANGES):
                self._changed[event.model.id, event.attr] = event.model
            self._soon()

        callbacks.trigger_on_change = changed

    def _soon(self):
        """Send what has changed, once for all changes of this moment."""
        if self._due:
            return
        try:
            asyncio.get_running_loop().call_soon(self._push)
            self._due = True
        except RuntimeError:
            self._push()

    def _push(self):
        self._due = False
        push(self._document, self._comm)

    def _catch_up(self):
        """Bring the output from what the cell made to the present state."""
        document = self._document
        self._opened()
        document.callbacks._held_events = []
        # Ranges come before the data that are placed in them.
        changed = sorted(self._changed.items(), key=lambda change: change[0][1] == "data")
        events = [
            ModelChangedEvent(document, model, name, getattr(model, name))
            for (_, name), model in changed
            if model.document is document
        ]
        if not events:
            return
        serializer = Serializer(references=self._sent, deferred=True)
        content = PatchJson(events=serializer.encode(events))
        message = patch_doc(patch_doc.create_header(), {"use_buffers": True}, content)
        for buffer in serializer.buffers:
            message.add_buffer(buffer)
        document.models.flush_synced(lambda model: not serializer.has_ref(model))
        send(self._comm, message)


class Answering:
    """For the root of an output: accepts from a browser what a server accepts, and is told of errors in callbacks.

    BokehJS also sends what it changed by itself, such as the colours of a theme, in forms that Bokeh refuses. An output
    that was replaced may still stand in a browser.
    """

    def failed(self, error: Exception) -> None:
        """A callback of a widget has raised."""

    def _on_msg(self, ref, manager, msg):
        if ref not in state._views:
            return
        document, kept = state._views[ref][2], []
        for event in msg["content"]["events"]:
            with contextlib.suppress(Refused):
                kept += allowed({"events": [event]}, document)
        try:
            if kept:
                super()._on_msg(ref, manager, msg | {"content": {"events": kept}})
        except Exception as error:
            self.failed(error)


def here(take: Callable[..., None]) -> Callable[..., None]:
    """`take`, called in the event loop that runs now, that of the cells, whichever thread calls it."""
    try:
        home = asyncio.get_running_loop()
    except RuntimeError:
        return take
    thread = threading.get_ident()

    def taken(*given):
        if threading.get_ident() == thread:
            take(*given)
        else:
            home.call_soon_threadsafe(take, *given)

    return taken


@contextlib.contextmanager
def carried() -> Iterator[None]:
    """Within a `with`, let outputs bring their scripts and sheets along, in place of addresses in a network."""
    with set_resource_mode("inline"), pn.config.set(inline=True):
        yield


class _Comm(JupyterComm):
    """The way to the browser. Nothing is sent before the output is drawn there; that a browser came is not enough."""

    def __init__(self):
        super().__init__()
        self._comm = _Nobody()

    def init(self, on_msg=None):
        """A browser came; what it drew before, if anything, is gone."""
        self._comm = _Nobody()

    def begin(self):
        """Send from now on."""
        super().init()

    def send(self, data=None, metadata=None, buffers=()):
        self._comm.send(data, metadata=metadata, buffers=list(buffers))


class _Nobody:
    """No browser yet."""

    def send(self, *args, **options):
        return None

    def close(self):
        return None


def _carry_sheets(root):
    """Have an output hold the style sheets that it would fetch from a network, each once."""
    found: dict[str, InlineStyleSheet] = {}
    for part in root.select({"type": UIElement}):
        sheets = [_carried(sheet, found) for sheet in part.stylesheets]
        if sheets != part.stylesheets:
            part.stylesheets = sheets


def _carried(sheet, found):
    if not isinstance(sheet, ImportedStyleSheet):
        return sheet
    if sheet.url not in found:
        found[sheet.url] = replace_inline_css(sheet)
    return found[sheet.url]


def _tables(root) -> str:
    """The library of tables, if an output has one: it need not be named in the notebook's extension."""
    if not root.select({"type": DataTabulator}):
        return ""
    files = (DIST_DIR / url.removeprefix(CDN_DIST) for url in bundled_files(DataTabulator))
    programs = "\n".join(file.read_text(encoding="utf-8") for file in files)
    # Its files would hand themselves to a module loader, if the notebook has one, in place of the window.
    program = f"function (define, exports, module) {{\n{programs}\nwindow.luxon = luxon }}"
    return f"if (!window.Tabulator) ({program}).call(window);\n"


def _forget(text):
    """Delete an output that was replaced: IPython keeps the text of each, 2 MB, as long as the kernel lives."""
    from IPython import get_ipython  # Comes with a kernel, and only there.

    history = getattr(get_ipython(), "history_manager", None)
    for kept in getattr(history, "outputs", {}).values():
        for output in kept:
            if output.bundle.get("text/html") == text:
                output.bundle = {"text/plain": output.bundle.get("text/plain", "")}


def _once(bundle: Bundle, before: str) -> Bundle:
    """An output whose components share the long text of their program, in place of a copy in each."""
    data, about = bundle
    text = data["text/html"].replace(_SCRIPT, _SCRIPT + before, 1)
    for number, program in enumerate(sorted(set(_programs(text)))):
        name = f"program_{number}"
        text = text.replace(program, name).replace(_DOCUMENT, f"const {name} = {program};\n  {_DOCUMENT}", 1)
    return {**data, "text/html": text}, about


def _programs(text):
    """Long programs of components, as they are written in an output."""
    decoder, place = json.JSONDecoder(), 0
    while (found := _PROGRAM.search(text, place)) is not None:
        place = decoder.raw_decode(text, found.end())[1]
        if place - found.end() > _LONG:
            yield text[found.end() : place]


def is_loaded() -> bool:
    """Whether this kernel has sent Bokeh's and Panel's scripts to its notebook."""
    if pn.extension._loaded:
        return True
    holoviews = sys.modules.get("holoviews")
    return holoviews is not None and bool(getattr(holoviews.extension, "_loaded", False))
