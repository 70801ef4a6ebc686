"""What the Plan page asks about: a setting that is sought, what is released, from which records, judged by what."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.control_panel import ControlPanel
from dashboard.components.inputs import control
from dashboard.components.layout import FULL, LiveText
from dashboard.page.own_table import OwnTable
from dashboard.pages.decide.plan.metrics import EXACT, KINDS, LEVELS, METRICS, OWN
from dashboard.pages.decide.plan.model import PlanModel
from dashboard.theme import css
from dashboard.theme.assets import beside

_SWITCH = beside(__file__, "free_switch.css")
_OTHER = "Use your own table, or release something else ↓"
_WAY = "@media (min-width: 900px) { :host { display: none !important } } a { line-height: 44px }"


def free_switch(model: PlanModel) -> pn.viewable.Viewable:
    """The setting that is sought, in one row; a phone, whose settings are screens below, has the way to them, too."""
    way = LiveText(css.FINE + _WAY, text=f"<p><a href='#settings'>{_OTHER}</a></p>", margin=(4, 0, 0, 0))
    return Stack(ControlPanel([(model, "free")], live=False, sheets=[_SWITCH]), way.pane, **FULL)


def question_bar(model: PlanModel, own: OwnTable) -> pn.viewable.Viewable:
    """The choices of the question; the menu of records has the controls of a user's `own` table."""
    problem = control(model, "problem", live=False, help=False)
    metric = _menu(model, "metric", lambda kind: {METRICS[name].title: name for name in kind.metrics})
    plain, inside = (_menu(model, "data", _records) for _ in range(2))
    column = ControlPanel([(model, "column")], live=False)
    bar = own.bar(inside)

    def follow(*events):
        kind = KINDS[model.problem]
        bar.visible = own.place.visible = model.problem in OWN
        column.visible = model.problem in EXACT and model.table is not None
        plain.visible = not bar.visible and len(kind.records) > 1
        metric.visible = len(kind.metrics) > 1

    model.param.watch(follow, ["problem", "own_records"])
    follow()
    return Stack(problem, column, metric, plain, bar, sizing_mode="stretch_width", margin=(6, 0, 0, 0))


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
