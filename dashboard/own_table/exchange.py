"""The description of a table as a file, in and out, and invented records for a table that may not be handed in."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import FULL, quiet_button, text_download
from dashboard.components.upload import small_upload
from dashboard.own_table.state import OwnData
from dashboard.theme import css
from data.columns.description import LIMIT
from data.upload.sample import TEMPLATE

FILE_NAME = "table-description.json"
_TEMPLATE_NAME = "table-description-template.json"
_EXPLAIN = (
    "<p><b>A table that may not be handed in?</b> Write down its columns, public ranges and categories in a description, "
    "a short file without any record, and plan on records invented from it. The template shows how.</p>"
)


def files(own: OwnData, *, ask) -> tuple[pn.viewable.Viewable, dict[str, Any]]:
    """Buttons that open and save a description, and what an opened one without its table is good for.

    Returns
    -------
    layout : Viewable
    parts : dict
        Those that `dashboard.own_table.view` gives their values, by name.
    """
    take = small_upload(
        own.describe,
        limit=LIMIT,
        refused=lambda words: setattr(own, "objection", words),
        label="Open a description",
        uploaded_label="Open another description",
    )
    sizes = pmui.TextInput(
        label="Records of every site, such as 1200, 800, 500",
        value="",
        size="small",
        margin=(8, 0),
        width=340,
    )
    use = pmui.Button(label="Use invented records", variant="contained", size="small", margin=0)
    drop = quiet_button("Remove the description", "delete")
    about = _html("")
    box = pn.Column(
        about,
        sizes,
        pn.FlexBox(use, drop, gap="8px", align_items="center", margin=(8, 0, 0, 0)),
        visible=False,
        **FULL,
    )
    parts = {
        "explain": _html(_EXPLAIN),
        "template": text_download("Template", _TEMPLATE_NAME, lambda: TEMPLATE),
        "save": text_download("Save the description", FILE_NAME, lambda: _text(own)),
        "alone": box,
        "alone_words": about,
        "sizes": sizes,
    }

    def start(event):
        if sizes.visible and sizes.value_input:
            own.use_sizes(sizes.value_input)
        if not own.objection or not sizes.visible:
            ask()
            own.use_invented()

    use.on_click(start)
    drop.on_click(lambda event: own.forget())  # With the records that were invented from it.
    row = pn.FlexBox(
        take, parts["template"], parts["save"], gap="8px", align_items="center", margin=(4, 0, 0, 0)
    )
    whole = pn.Column(parts["explain"], row, box, margin=(8, 0, 0, 0), sizing_mode="stretch_width")
    return whole, parts


def _text(own):
    """The file; only of the columns where nothing else is known."""
    found = own.described()
    if found is None:
        own.objection = "Enter the public ranges and categories first: a description consists of them."
    return "" if found is None else found.text()


def _html(text, **options):
    return pn.pane.HTML(text, stylesheets=[css.FINE, css.NOTICE], **FULL, **options)
