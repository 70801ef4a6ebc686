"""A user's own text: one document a line, held only in this session's memory."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL
from dashboard.components.upload import MEGABYTE, upload_for
from dashboard.own_table.file import LIMITS, OwnFile, reading_text
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


def own_text_bar(own: OwnText) -> pn.viewable.Viewable:
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
            said.object = (
                f"<p>A .txt file of up to {LIMITS.size / MEGABYTE:.0f} MB, one document a line. It goes to this server "
                "alone. Nothing is written to disk; all is deleted when the session ends.</p>"
            )

    own.param.watch(follow, ["used", "problem", "came"])
    own.runs.param.watch(follow, "before")
    follow()
    return Stack(button, drop, said, **{**FULL, "margin": (14, 0, 0, 0)})
