"""What the Plan page asks about: a setting that is sought, what is released, from which records, judged by what."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.control_panel import ControlPanel
from dashboard.components.inputs import control
from dashboard.components.layout import LiveText
from dashboard.packs.consortium.plan.metrics import KINDS, LEVELS, METRICS, OWN
from dashboard.packs.consortium.plan.model import PlanModel
from dashboard.page.own_table import OwnTable
from dashboard.state.number_text import number_text
from dashboard.theme import css

# On a phone what is asked stands above the answer, and of what below it.
_SHEET = """
@media (max-width: 899px) { :host { display: contents } :host > * { order: 7 } :host > .asked { order: 1 } }
"""


def question_bar(model: PlanModel, own: OwnTable) -> pn.viewable.Viewable:
    """The choices of the question; the menu of records has the controls of a user's `own` table."""
    free = ControlPanel([(model, "free")], live=False, sheets=[".choice button { padding-inline: 5px }"])
    problem = control(model, "problem", live=False, help=False)
    metric = _menu(model, "metric", lambda kind: {METRICS[name].title: name for name in kind.metrics})
    plain, inside = (_menu(model, "data", _records) for _ in range(2))
    column = ControlPanel([(model, name) for name in ("column", "category", "also")], live=False)
    bar, error, aside = own.bar(inside), _error_field(model, own.data), LiveText(css.FINE + css.NOTICE)

    def follow(*events):
        kind = KINDS[model.problem]
        bar.visible = own.place.visible = model.problem in OWN
        unused = model.unused_columns()
        column.hide(unused)
        column.visible = "column" not in unused
        plain.visible = not bar.visible and len(kind.records) > 1
        metric.visible = len(kind.metrics) > 1
        aside.show(_unused(kind) if model.own_records and not bar.visible else "")
        aside.pane.visible = bool(aside.text)

    model.param.watch(follow, ["problem", "own_records"])
    follow()
    parts = free, problem, aside.pane, column, error, metric, plain, bar
    free.css_classes = ["asked"]
    return Stack(*parts, stylesheets=[_SHEET], sizing_mode="stretch_width", margin=(6, 0, 0, 0))


def _unused(kind):
    return (
        f"<div class='notice' role='note'>Your table is not used here: {html.escape(kind.title)} need documents, and the "
        "records are those chosen below.</div>"
    )


def _error_field(model, table):
    """The allowed error of a mean, in the unit of its column: what the slider shows as a share of the range."""
    field = pmui.TextInput(size="small", sizing_mode="stretch_width", margin=(4, 0))

    def follow(*events):
        part = model.mean if model.free != "error" else None
        field.visible = part is not None
        if part is not None:
            unit = f" in {part.unit}" if part.unit else ""
            value = number_text(model.level * part.summary.span)
            field.param.update(label=f"Allowed error{unit}", value=value, error_state=False)

    def take(event):
        part = model.mean
        if part is None or event.new == number_text(model.level * part.summary.span):
            return
        try:
            model.type_error(event.new)
        except ValueError as error:
            field.error_state = True
            raise ValueError(f"{field.label} {error}. Nothing was changed.") from None

    model.param.watch(follow, ["problem", "own_records", "column", "free", "level"])
    table.param.watch(follow, "used")  # With a range, and perhaps a unit, of its own.
    field.param.watch(take, "value")
    follow()
    return field


def _records(kind):
    return {title: name for name, title in kind.records.items()}


def _menu(model, name, offered):
    """A menu of this problem's choices; the parameter itself accepts those of all problems."""
    parameter = model.param[name]
    menu = pmui.Select(
        label=parameter.label,
        options=offered(KINDS[model.problem]),
        value=getattr(model, name),
        size="small",
        sizing_mode="stretch_width",
        margin=(4, 0),
    )

    def to_menu(*events):
        options, value = offered(KINDS[model.problem]), getattr(model, name)
        if value in options.values() and (menu.options != options or menu.value != value):
            menu.param.update(options=options, value=value)

    def to_model(event):
        if event.new in offered(KINDS[model.problem]).values() and event.new != getattr(model, name):
            model.param.update({name: event.new} | _level(model, name, event.new))

    model.param.watch(to_menu, ["problem", name])
    menu.param.watch(to_model, "value")
    return menu


def _level(model, name, chosen):
    """The level that a choice brings: a metric has its own units, and some records are harder."""
    data, metric = (chosen, model.metric) if name == "data" else (model.data, chosen)
    own, before = (LEVELS.get((one, metric), METRICS[metric].level) for one in (data, model.data))
    return {"level": own} if name == "metric" or own != before else {}
