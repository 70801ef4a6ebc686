"""The menu of records on a page that computes on tables, and the description of the user's own table."""

from __future__ import annotations

import html
from collections.abc import Callable

import panel as pn
import param

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons, still
from dashboard.components.layout import LiveText
from dashboard.own_table.panel import Panel
from dashboard.own_table.state import OwnData
from dashboard.own_table.view import NOT_PUBLIC
from dashboard.state import packs
from dashboard.state.number_text import count_text, number_text
from dashboard.theme import css
from data.upload.table import shown

_ROW = """
:host { display: flex; flex-flow: row wrap; gap: 8px 12px; align-items: center }
:host > :not(.own, .scroll-button) { flex: 0 1 var(--menu, 300px); min-width: 0 !important }
:host > .scroll-button { display: none } /* The library's own, never shown, would take its part. */
:host > .own { flex: none; max-width: 100%; width: max-content !important }
@media (max-width: 600px) {
  :host(.built-in) { flex-wrap: nowrap }
  :host(.built-in) > :not(.own, .scroll-button) { flex: 1 1 0; width: 0 !important }
  :host(.built-in) > .own { margin-top: 12px } /* Beside the menu, below the room of its name. */
}
"""


_OWN = "Use your own table"


def records(menu: str) -> str:
    """The menu of records and the button beside it in the first answer."""
    return f"<div class='own-data'>{menu}<div class='own'>{still([(_OWN, 'primary')])}</div></div>"


class Adapted(param.Parameterized):
    """What a page changed so that its settings fit the user's table."""

    words = param.String("", doc="A sentence; empty if nothing was changed.")


def records_bar(
    own: OwnData,
    model,
    menu,
    *,
    ask: Callable[[], None],
    use: Callable[[], None],
    adapted: Adapted,
    place: Stack,
) -> pn.viewable.Viewable:
    """The page's menu of records, with buttons; in a `place` the user's own table is described and uploaded.

    Parameters
    ----------
    own : OwnData
    model : Parameterized
        Its parameter `own_records` states whether the page uses the user's table, if there is one.
    menu : widget
        The control of the built-in records.
    ask, use : callable
        `ask` is called before a table that was described on this page is used, `use` to compute on the existing one.
    adapted : Adapted
        The sentence that stands with the description of the table in use.
    place : Stack
        Takes the description of the user's own table, and the panel to upload one.
    """
    card = LiveText(css.FINE + css.NOTICE, margin=(0, 0, 12, 0))
    panels: list[Panel] = []

    def toggle():
        if panels:
            panels[0].toggle()
        else:  # Built when it is first opened.
            panels.append(Panel(own, ask))
            place.append(panels[0].layout)

    buttons = Buttons(gap="8px 12px", css_classes=["own"])
    menu.param.update(sizing_mode="stretch_width", margin=0)
    row = Stack(menu, buttons, stylesheets=[_ROW], margin=(8, 0), sizing_mode="stretch_width")
    opener = buttons.add(_OWN, "upload_file", look="primary", act=toggle)
    again = buttons.add("", "history", act=use)
    change = buttons.add("Change", "tune", act=toggle)
    back = buttons.add(
        "Use the built-in records again", "undo", act=lambda: setattr(model, "own_records", False)
    )
    met = model.own_records  # Whether this page has computed on the table.

    def follow(*events):
        nonlocal met
        table, used = own.used, own.used is not None and model.own_records
        met = (met or used) and table is not None
        menu.visible = opener.visible = not used
        back.visible = change.visible = used
        again.visible = table is not None and not used
        if table is not None:
            again.label = f"Use {table.name} again" if met else f"Use your table {table.name} here too"
        row.css_classes = [] if table is not None else ["built-in"]
        card.show(
            _card(own, model.counted or own.used, adapted.words)
            if used
            else _missing()
            if model.own_records
            else ""
        )
        card.pane.visible = bool(card.text)
        if panels and table is not None and any(event.name == "used" for event in events):
            panels[0].layout.visible = False

    for source, names in (
        (own, ["used"]),
        (model, ["own_records", *model.counted_by]),
        (adapted, ["words"]),
    ):
        source.param.watch(follow, names)
    follow()
    place.append(card.pane)
    return row


def _card(own, table, adapted):
    """The description of the records in use, in HTML, and what was changed for them."""
    choice, count, width = own.chosen, len(table.records), len(table.columns)
    sites = "assigned to the sites at random"
    if table.sizes is not None:
        span = f"{number_text(min(table.sizes))} to {number_text(max(table.sizes))} records each"
        sites = f"{count_text(len(table.sizes), 'site')} by column {shown(choice.description.site_column)} ({span})"
    parts = [
        f"<b>{html.escape(table.name)}</b>: {number_text(count)} records of {count_text(width, 'number')},"
    ]
    parts.append(f"{html.escape(sites)}.")
    if table.local:
        how = "" if choice.description.local else ", the largest"
        parts.append(
            html.escape(
                f"“Local” is {shown(table.local)} alone{how} ({number_text(table.sizes[0])} records)."
            )
        )
        parts += packs.links("own_table.local")
    if adapted:
        parts.append(f"<b>{html.escape(adapted)}</b>")
    if table.invented:
        parts.append(
            "<b>These records are invented</b>: uniform in the public ranges of a description, columns independent. They "
            "show what the noise does to records of this form, not what real records hold."
        )
        return f"<p>{' '.join(parts)}</p>"
    left = [f"{count_text(table.clipped, 'record was', 'records were')} clipped to the bounds"]
    if table.incomplete:
        left.append(
            f"{count_text(table.incomplete, 'row was', 'rows were')} left out because of a missing value: the result "
            "describes complete cases only"
        )
    if table.marked:
        left.append(
            f"{count_text(table.marked, 'row has', 'rows have')} a constant in place of a missing value"
        )
    if table.unlisted:
        left.append(f"{count_text(table.unlisted, 'row holds', 'rows hold')} a category that is not listed")
    parts.append(f"{_capital('; '.join(left))}; this is not private.")
    parts.append("The link of this page holds the settings, not the table.")
    if choice.description.declared:
        parts.append("You declared ranges that were taken from the records public knowledge.")
    warning = "" if table.public_bounds else f"<div class='notice' role='note'>{NOT_PUBLIC}</div>"
    return f"<p>{' '.join(parts)}</p>{warning}"


def _capital(text):
    return text[0].upper() + text[1:]


def _missing():
    return (
        "<div class='notice' role='note'>This link was made with someone's own table, which a link does not hold. "
        "The page shows the built-in records; upload the table to see the same picture.</div>"
    )
