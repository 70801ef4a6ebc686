"""Widgets for parameters: the parameter's type selects the widget, its doc becomes the help text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import panel_material_ui as pmui
import param

from dashboard.compat.widgets.widget_echo import ReplacedValues
from dashboard.components.help import reach
from dashboard.state.controls import LogInteger, LogNumber
from dashboard.state.number_text import chosen_text
from dashboard.theme.assets import beside
from data.upload.table import shown

# For modules with sliders of their own: `steady(input)`.
STEADY = beside(__file__, "thumb.js")
_NICE = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


def control(source: param.Parameterized, name: str, *, live: bool, help: bool = True):
    """A widget bound in both directions to one parameter.

    Parameters
    ----------
    live : bool
        Update while a slider moves (for pictures that are computed immediately), or only when it is released.
    help : bool
        Show the parameter's help beside the widget.
    """
    parameter = source.param[name]
    build = next(build for kind, build in _BUILDERS if isinstance(parameter, kind))
    widget = build(source, name)
    # param docs are wrapped source text; the browser shows them as one line.
    doc = " ".join((parameter.doc or "").split())
    widget.param.update(label=parameter.label, sizing_mode="stretch_width", margin=(4, 0))
    if help and doc and "description" in widget.param:
        widget.description = doc
    _bind(source, name, widget, live=live)
    return widget


def distinct_options(names, values) -> dict:
    """Options of a menu by names that may be long, foreign and alike once they are cut; values beside them."""
    cut = [name if len(name) <= 60 else f"{name[:59]}…" for name in names]
    repeated = {name for name, count in Counter(cut).items() if count > 1}
    return {
        f"{name} ({place})" if name in repeated else name: value
        for place, (name, value) in enumerate(zip(cut, values, strict=False), start=1)
    }


def nice_numbers(low: float, high: float, *, whole: bool = False) -> list[float]:
    """List the round numbers from low to high, ten per decade."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    numbers = [float(f"{nice}e{decade}") for decade in decades for nice in _NICE]
    numbers = sorted({n for n in numbers if low <= n <= high and not (whole and n % 1)} | {low, high})
    return [int(n) for n in numbers] if whole else numbers


def buttons_fit(options: Iterable) -> bool:
    """Whether options are buttons, as all of them fit side by side, or a menu."""
    return len("".join(map(str, options))) <= 26


def _log_slider(source, name):
    """A slider over round numbers on a log scale; a value between them (from a link) becomes a further stop."""
    parameter, value = source.param[name], getattr(source, name)
    stops = nice_numbers(*parameter.bounds, whole=isinstance(parameter, LogInteger))

    def options(value):
        return {chosen_text(parameter, stop): stop for stop in sorted({*stops, value})}

    widget = pmui.DiscreteSlider(options=options(value), value=value)

    def admit(event):
        if event.new not in widget.options.values():
            widget.param.update(options=options(event.new), value=event.new)

    source.param.watch(admit, name)
    return widget


def _int_slider(source, name):
    low, high = source.param[name].bounds
    widget = pmui.IntSlider(start=low, end=high, value=getattr(source, name))

    def follow(*events):
        low, high = source.param[name].bounds
        widget.param.update(start=low, end=max(low, high))

    source.param.watch(follow, name, what="bounds")
    # The browser may send old bounds back; it must not set them.
    widget.param.watch(follow, ["start", "end"])
    return widget


def _float_slider(source, name):
    parameter = source.param[name]
    low, high = parameter.bounds
    return pmui.FloatSlider(
        start=low,
        end=high,
        step=parameter.step or (high - low) / 100,
        value=getattr(source, name),
        format="0[.]000",
    )


def _switch(source, name):
    return pmui.Switch(value=getattr(source, name))


def _choice(source, name):
    options = source.param[name].get_range()
    kind = pmui.RadioButtonGroup if buttons_fit(options) else pmui.Select
    return kind(options=options, value=getattr(source, name), size="small")


def _choices(source, name):
    return pmui.CheckBoxGroup(options=source.param[name].get_range(), value=getattr(source, name))


_BUILDERS = (
    ((LogNumber, LogInteger), _log_slider),
    (param.Integer, _int_slider),
    (param.Boolean, _switch),
    (param.Number, _float_slider),
    (param.ListSelector, _choices),
    (param.Selector, _choice),
)


def set_by_user(source: param.Parameterized, name: str, value) -> None:
    """Set a parameter to a browser's value; raises ValueError with a readable message for an invalid one."""
    parameter = source.param[name]
    if not (isinstance(value, bool) and isinstance(parameter, param.Number)):  # To Python, True is a number.
        try:
            setattr(source, name, value)
            return
        except ValueError:
            if getattr(source, name) == value:  # The value is valid; the error came from a callback.
                raise
    raise ValueError(f"{parameter.label} cannot be {shown(value)}. {reach(parameter)} Nothing was changed.")


def _bind(source, name, widget, *, live):
    throttled = not live and "value_throttled" in widget.param
    replaced = ReplacedValues()

    def to_source(event):
        # For a slider over stops, value_throttled is the index of the stop, not its value.
        if widget.value is None:
            widget.value = getattr(source, name)
        if widget.value == getattr(source, name) or undo_echo(event):
            return
        try:
            set_by_user(source, name, widget.value)
        except ValueError:
            widget.value = getattr(source, name)
            raise
        replaced.clear()

    def undo_echo(event):
        echoed = widget.value != getattr(source, name) and replaced.echoed(widget.value)
        if echoed:
            widget.value = getattr(source, name)
        return echoed

    def to_widget(event):
        replaced.note(event.old)
        if widget.value != event.new:
            widget.value = event.new

    widget.param.watch(to_source, "value_throttled" if throttled else "value")
    if throttled:
        widget.param.watch(undo_echo, "value")
    source.param.watch(to_widget, name)
