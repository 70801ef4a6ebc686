"""The description of a table as a file, in and out, and invented records for a table that may not be handed in."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import FULL, quiet_button, text_download
from dashboard.components.upload import small_upload
from dashboard.own_table.state import OwnData
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import css
from data.columns.description import LIMIT
from data.upload.sample import TEMPLATE
from data.upload.table import shown

FILE_NAME = "table-description.json"
_TEMPLATE_NAME = "table-description-template.json"
_EXPLAIN = (
    "<p><b>A table that may not be handed in?</b> Write down its columns, public ranges and categories in a description, "
    "a short file without any record, and plan on records invented from it. The template shows how.</p>"
)


def files(own: OwnData, *, ask) -> pn.viewable.Viewable:
    """Buttons that open and save a description, and what an opened one without its table is good for."""
    take = small_upload(
        own.describe,
        limit=LIMIT,
        refused=lambda words: setattr(own, "objection", words),
        label="Open a description",
        uploaded_label="Open another description",
    )
    template = text_download("Template", _TEMPLATE_NAME, lambda: TEMPLATE)
    save = text_download("Save the description", FILE_NAME, lambda: _text(own))
    explain = _html(_EXPLAIN)
    about = _html("")
    sizes = pmui.TextInput(
        label="Records of every site, such as 1200, 800, 500",
        value="",
        size="small",
        margin=(8, 0),
        width=340,
    )
    use = pmui.Button(label="Use invented records", variant="contained", size="small", margin=0)
    drop = quiet_button("Remove the description", "delete")
    box = pn.Column(
        about,
        sizes,
        pn.FlexBox(use, drop, gap="8px", align_items="center", margin=(8, 0, 0, 0)),
        visible=False,
        **FULL,
    )

    def start(event):
        if sizes.visible and sizes.value_input:
            own.use_sizes(sizes.value_input)
        if not own.objection or not sizes.visible:
            ask()
            own.use_invented()

    def follow(*events):
        found = own.template if own.sheet is None else None
        explain.visible = template.visible = own.sheet is None
        save.visible = own.sheet is not None or own.template is not None
        box.visible = found is not None
        if found is not None:
            about.object = _about(found)
            sizes.visible = not found.sites

    use.on_click(start)
    drop.on_click(lambda event: own.forget())  # With the records that were invented from it.
    own.param.watch(follow, ["template", "sheet"])
    follow()
    row = pn.FlexBox(take, template, save, gap="8px", align_items="center", margin=(4, 0, 0, 0))
    return pn.Column(explain, row, box, margin=(8, 0, 0, 0), sizing_mode="stretch_width")


def _text(own):
    """The file; only of the columns where nothing else is known."""
    found = own.described()
    if found is None:
        own.objection = "Enter the public ranges and categories first: a description consists of them."
    return "" if found is None else found.text()


def _about(found):
    """An opened description without its table, in HTML."""
    count = count_text(len(found.used), "column")
    sites = "No sites are named."
    if found.sites:
        total = number_text(sum(size for _, size in found.sites))
        sites = f"{count_text(len(found.sites), 'site')} with {total} records in total."
    target = f" To be predicted: {shown(found.target)}." if found.target else ""
    return (
        f"<p><b>A description without its table</b>: {count} in a record. {html.escape(sites + target)} Hand in a table "
        "with these columns, or compute on invented records: uniform in the public ranges, columns independent. They "
        "show what the noise does to records of this form. They cannot show the structure of the real ones.</p>"
    )


def _html(text, **options):
    return pn.pane.HTML(text, stylesheets=[css.FINE, css.NOTICE], **FULL, **options)
