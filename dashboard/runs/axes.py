"""The settings along which a curve may run, and the points of the curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import param

from dashboard.state.controls import Controls
from dashboard.state.number_text import range_text


@dataclass(frozen=True)
class Axis:
    """A setting along which a curve may run.

    Attributes
    ----------
    name : str
        Name of the setting.
    symbol : str
        Symbol in a line of settings.
    label : str
        Label of the figure's axis.
    values : tuple
        Values at which the curve has points, increasing.
    log : bool
        Whether the figure's axis is logarithmic.
    menu : str
        Text in the menu of axes; "" means its symbol.
    """

    name: str
    symbol: str
    label: str
    values: tuple
    log: bool = True
    menu: str = ""


def shared_axis(name: str, values: Iterable, *, log: bool = True) -> Axis:
    """The axis of a shared control, with the control's label; the label ends with the symbol."""
    label = Controls.param[name].label
    return Axis(name, label.rpartition(" ")[2], label, tuple(values), log)


def axes(*found: Axis) -> dict[str, Axis]:
    """Axes by name."""
    return {axis.name: axis for axis in found}


def axis_selector(found: Mapping[str, Axis], **changes) -> param.Selector:
    """The parameter that selects one of these axes; the first is the default."""
    options = {
        "default": next(iter(found)),
        "objects": {axis.menu or axis.symbol: name for name, axis in found.items()},
        "label": "Curve along",
        "doc": "The curve's horizontal axis shows this setting. All other settings keep their values.",
    }
    return param.Selector(**options | changes)


def cells_along(
    axis: Axis, cell: Callable[[Mapping[str, Any]], dict], *, fits: Callable[[dict], bool] = lambda cell: True
) -> tuple[dict, ...]:
    """All settings of every feasible point of the curve; equal settings are one point.

    Parameters
    ----------
    cell : callable
        Maps a change of settings to all settings of the changed point.
    """
    found = (cell({axis.name: value}) for value in axis.values)
    return tuple({tuple(one.items()): one for one in found if fits(one)}.values())


def settings_line(here: Mapping[str, Any], symbols: Mapping[str, str], *, without: str = "") -> str:
    """Settings in one line, e.g. "ε = 1, S = 10", without the one on the curve's axis; of unequal sites the sizes."""
    used = dict(here) | {"samples": here["sizes"]} if "sizes" in here else here
    return ", ".join(
        f"{symbol} = {range_text(used[name])}" for name, symbol in symbols.items() if name != without
    )
