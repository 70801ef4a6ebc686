"""A user's own text: one document a line, held only in this session's memory."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui

from core import sweep
from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL
from dashboard.components.upload import MEGABYTE, upload_for
from dashboard.own_table.file import LIMITS, OwnFile, reading_text, unwatched
from dashboard.problems.topics import problem
from dashboard.state import session_end
from dashboard.state.html_text import plain
from dashboard.state.number_text import count_text
from dashboard.theme import css
from data.catalogue import corpora
from data.text import Documents
from data.upload import UploadError
from data.upload.table import shown


class OwnText(OwnFile):
    """The text that one session uploads; `used` is a `corpora.OwnText`."""

    def read(self, found, file):
        if not isinstance(found, Documents):
            raise UploadError(
                f"{shown(file)} is a table, but a text is expected: a .txt file, one document a line."
            )
        return corpora.OwnText(found)


_NOTE = (
    f"<p>A .txt file of up to {LIMITS.size / MEGABYTE:.0f} MB, one document a line. Nothing is written to disk; all is "
    "deleted when the session ends.</p>"
)


class OwnDocuments:
    """The documents that the user of a page brings; their results go with them.

    Attributes
    ----------
    text : OwnText
    """

    def __init__(self, page: Any):
        self._page, self.text = page, OwnText()
        page.own_files = (self.text,)
        self.text.param.watch(self._take, "used")
        session_end.at_end(self.end)

    still = f"<span class='upload'>Use your own text</span>{_NOTE}"  # What the first answer shows.

    def bar(self) -> pn.viewable.Viewable:
        """The button that brings them, and what is said of them."""
        return _bar(self.text)

    def end(self) -> None:
        """The session has ended: delete the text, and touch nothing that was drawn."""
        page = self._page
        with unwatched(self.text, page.state, page.runs):
            session_end.each(self._forget, self.text.end, page.closed)

    def _take(self, event):
        page = self._page
        self._release()
        page.model.own_text = event.new
        if event.new is not None and page.model.measure in ("error", "found", "overlap"):
            # Of a short vocabulary the ten top words hold rare ones, whose order is chance.
            page.model.measure = "mass"
        page.life.changed()

    def _release(self):
        if self._page.model.own_text is not None:
            self._forget()
            self._page.clear()

    def _forget(self):
        """Delete the text, its results here and in the workers, and what was made of them."""
        page = self._page
        text, page.model.own_text = page.model.own_text, None
        forgets = () if text is None else (lambda: sweep.forget(problem(text)),)
        session_end.each(page.runs.clear, *forgets, page.forget)


def _bar(own):
    """An upload button, and a text on the state of the upload."""
    said = pn.pane.HTML("", stylesheets=[css.FINE, css.NOTICE], **FULL)
    button = upload_for(own, limit=LIMITS.size, label="Use your own text", margin=(4, 0))
    drop = pmui.Button(label="Delete my text", size="small", variant="text", visible=False)
    drop.on_click(lambda event: own.forget())

    def follow(*events):
        text = own.used
        drop.visible = text is not None
        if own.problem:
            said.object = f"<div class='notice error' role='alert'>{plain(own.problem)}</div>"
        elif own.came > 0:
            words = reading_text(own) if own.came == 1 else f"{100 * own.came:.0f} % of the file received …"
            said.object = f"<p role='status'>{words}</p>"
        elif text is not None:
            count = count_text(len(text.documents), "document")
            said.object = f"<p role='status'>Your own text: {count} of {plain(text.documents.source)}.</p>"
        else:
            said.object = _NOTE

    for source, names in ((own, ["used", "problem", "came"]), (own.runs, ["before"])):
        source.param.watch(follow, names)
    follow()
    return Stack(button, drop, said, **{**FULL, "margin": (14, 0, 0, 0)})
