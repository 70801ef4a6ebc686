"""Controls as HTML that does not move yet: what the first answer shows at the place of a control panel."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from dashboard.components.control_panel import ENDS, Control


def still(
    controls: Sequence[Control], *, plays: bool = False, folded: bool = False, protects: str = ""
) -> str:
    """A panel of controls, in the elements of the live one.

    Parameters
    ----------
    plays : bool
        Whether its sliders have a button that plays them.
    folded : bool
        Whether further controls are folded below them.
    """
    parts = "".join(_item(control, plays) for control in controls)
    fold = "<details class='more'><summary>More settings</summary></details>" if folded else ""
    return f"<div class='controls'>{parts}{fold}</div>"


def _item(control, plays):
    spec, state = control.spec, control.state
    inside = _KINDS.get(spec["kind"], _switch)(spec, state, plays)
    return f"<div class='item'><div class='body {spec['kind']}'>{inside}</div></div>"


def _named(spec, state):
    return f"<span class='name{' helps' * bool(spec['help'])}'>{html.escape(state['label'])}</span>"


def _slider(spec, state, plays):
    value, low, high = state["value"], state["start"], state["end"]
    share = (value - low) / (high - low) if high > low else 0.0
    text = str(spec["texts"][value] if "texts" in spec else value)
    label = (
        f"<div class='label'>{_named(spec, state)}<span class='aside'>: </span>"
        f"<strong>{html.escape(text)}</strong></div>"
    )
    marks = ""
    if plays:
        sign = "<button type='button' class='play' disabled>▶<span class='aside'> Play</span></button>"
        label, marks = f"<div class='line'>{label}{sign}</div>", "<div class='marks'></div>"
    meaning = "<span class='meaning'></span>" if spec["name"] == "epsilon" else ""
    words = meaning.join(f"<span>{word}</span>" for word in ENDS.get(spec["name"], ()))
    ends = f"<div class='ends'>{words}</div>" if words else ""
    return f"{label}<i class='track' style='--part:{share:.4f}'></i>{ends}{marks}"


def _choice(spec, state, plays):
    buttons = "".join(
        f"<button type='button' disabled aria-pressed='{'true' if place == state['value'] else 'false'}'>"
        f"{html.escape(option)}</button>"
        for place, option in enumerate(spec["options"])
    )
    return f"<div class='label'>{_named(spec, state)}</div><div class='choice' role='group'>{buttons}</div>"


def _menu(spec, state, plays):
    options: Mapping | Sequence = spec["options"]
    text = options[state["value"]] if state["value"] < len(options) else ""
    return _field(spec, state, f"<button type='button' disabled>{html.escape(text)}</button>")


def _text(spec, state, plays):
    return _field(
        spec, state, f"<input type='text' disabled value='{html.escape(str(state['value']), quote=True)}'>"
    )


def _field(spec, state, inside):
    return f"<div class='field'><span class='legend'>{_named(spec, state)}</span>{inside}</div>"


def _switch(spec, state, plays):
    checked = " checked" if state["value"] is True else ""
    return f"<div class='switch'><input type='checkbox' disabled{checked}>{_named(spec, state)}</div>"


_KINDS = {"slider": _slider, "choice": _choice, "menu": _menu, "text": _text}
