"""What the Plan page asks about: a setting that is sought, what is released, from which records, judged by what."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.control_panel import ControlPanel
from dashboard.components.layout import LiveText
from dashboard.packs.consortium.plan.metrics import KINDS, LEVELS, METRICS, OWN, Kind
from dashboard.packs.consortium.plan.model import PlanModel
from dashboard.page.own_table import OwnTable
from dashboard.problems.columns import Part
from dashboard.state import errors
from dashboard.state.controls import Menu
from dashboard.state.number_text import number_text
from dashboard.theme import css

# On a phone what is asked stands above the answer, and of what below it.
_SHEET = """
@media (max-width: 899px) { :host { display: contents } :host > * { order: 7 } :host > .asked { order: 1 } }
"""


@dataclass(frozen=True)
class Asked:
    """What the bar shows, of the model's settings; `mean` is the mean whose error has a unit, if one is asked for."""

    problem: str
    metric: str
    data: str
    level: float
    own_records: bool
    unused: tuple[str, ...]
    mean: Part | None

    @classmethod
    def of(cls, model: PlanModel) -> Asked:
        """The present settings."""
        names = ("problem", "metric", "data", "level", "own_records")
        mean = model.mean if model.free != "error" else None
        return cls(*(getattr(model, name) for name in names), unused=tuple(model.unused_columns()), mean=mean)

    @property
    def kind(self) -> Kind:
        """What is released."""
        return KINDS[self.problem]


def view(asked: Asked) -> dict[str, dict[str, Any]]:
    """Values of the bar's parts, by name; the bar with the user's own table shows itself what it has."""
    own = asked.problem in OWN
    return {
        "bar": {"visible": own},
        "place": {"visible": own},
        "column": {"visible": "column" not in asked.unused},
        "plain": {"visible": not own and len(asked.kind.records) > 1},
        "metric": {"visible": len(asked.kind.metrics) > 1},
        "error": _error(asked),
    }


class Offered(param.Parameterized):
    """The records and the measures that what is released leaves to choose from; a choice is the model's."""

    data = Menu(objects={}, label=PlanModel.param.data.label, doc=PlanModel.param.data.doc, allow_None=True)
    metric = Menu(
        objects={}, label=PlanModel.param.metric.label, doc=PlanModel.param.metric.doc, allow_None=True
    )

    def __init__(self, model: PlanModel):
        super().__init__()
        self._model = model
        self.follow()
        model.param.watch(self.follow, ["problem", "data", "metric"])
        for name in ("data", "metric"):
            self.param.watch(partial(self._take, name), name)

    def follow(self, *events) -> None:
        """Offer what this problem has; for a moment the model may have a choice of the problem before."""
        kind = KINDS[self._model.problem]
        offered = {
            "data": {title: name for name, title in kind.records.items()},
            "metric": {METRICS[name].title: name for name in kind.metrics},
        }
        for name, options in offered.items():
            value, menu = getattr(self._model, name), self.param[name]
            if value not in options.values():
                continue
            if list(menu.objects) != list(options.values()):
                menu.objects = {
                    **menu.get_range(),
                    **options,
                }  # What stands is among them until the new one does.
                setattr(self, name, value)
                menu.objects = options
            setattr(self, name, value)

    def _take(self, name, event):
        if event.new != getattr(self._model, name):
            _choose(self._model, name, event.new)


def _error(asked):
    """The allowed error of a mean, in the unit of its column: what the slider shows as a share of the range."""
    part = asked.mean
    if part is None:
        return {"visible": False}
    unit = f" in {part.unit}" if part.unit else ""
    return {
        "visible": True,
        "label": f"Allowed error{unit}",
        "value": number_text(asked.level * part.summary.span),
        "error_state": False,
    }


def _unused(asked):
    """That the user's table does not matter here, in HTML."""
    if not asked.own_records or asked.problem in OWN:
        return ""
    return (
        f"<div class='notice' role='note'>Your table is not used here: {html.escape(asked.kind.title)} need documents, and "
        "the records are those chosen below.</div>"
    )


def question_bar(model: PlanModel, own: OwnTable) -> pn.viewable.Viewable:
    """The choices of the question; the menu of records has the controls of a user's `own` table."""
    offered = Offered(model)
    free = ControlPanel(
        [(model, "free")], live=False, sheets=[".choice [role] button { padding-inline: 5px }"]
    )
    problem = ControlPanel([(model, "problem")])
    column = ControlPanel([(model, name) for name in ("column", "category", "also")], live=False)
    aside = LiveText(css.FINE + css.NOTICE)
    metric, plain = (ControlPanel([(offered, name)]) for name in ("metric", "data"))
    error = pmui.TextInput(size="small", sizing_mode="stretch_width", margin=(8, 0, 4, 0))
    bar = own.bar(ControlPanel([(offered, "data")]))
    parts = {"metric": metric, "plain": plain, "error": error} | {
        "bar": bar,
        "place": own.place,
        "column": column,
    }

    def show(*events):
        asked = Asked.of(model)
        column.hide(list(asked.unused))
        aside.show(_unused(asked))
        aside.pane.visible = bool(aside.text)
        for name, values in view(asked).items():
            part = parts[name]
            if any(getattr(part, key) != value for key, value in values.items()):
                part.param.update(**values)

    shown = ["problem", "own_records", "column", "free", "level", "metric", "data"]
    # With the table comes a range, and perhaps a unit, of its own.
    for source, names in ((model, shown), (own.data, ["used"])):
        source.param.watch(show, names)
    error.param.watch(lambda event: _take_error(model, error, event.new), "value")
    show()
    free.css_classes = ["asked"]
    found = free, problem, aside.pane, column, error, metric, plain, bar
    return Stack(*found, stylesheets=[_SHEET], sizing_mode="stretch_width", margin=0)


def _take_error(model, field, typed):
    """Take a typed error; a wrong one is marked in its field and said on the page, and changes nothing."""
    part = model.mean
    if part is None or typed == number_text(model.level * part.summary.span):
        return
    try:
        model.type_error(typed)
    except ValueError as error:
        field.error_state = True
        errors.tell(f"{field.label} {error}. Nothing was changed.")


def _choose(model, name, chosen):
    """Take what a menu offers of this problem."""
    offered = KINDS[model.problem].metrics if name == "metric" else KINDS[model.problem].records
    if chosen in offered and chosen != getattr(model, name):
        model.param.update({name: chosen} | _level(model, name, chosen))


def _level(model, name, chosen):
    """The level that a choice brings: a metric has its own units, and some records are harder."""
    data, metric = (chosen, model.metric) if name == "data" else (model.data, chosen)
    own, before = (LEVELS.get((one, metric), METRICS[metric].level) for one in (data, model.data))
    return {"level": own} if name == "metric" or own != before else {}
