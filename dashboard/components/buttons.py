"""A row of buttons as one component: each further button adds text to it, and no model."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import param

from dashboard.compat.widgets.light_component import LightComponent
from dashboard.theme.assets import beside

_MODULE = beside(__file__, "buttons.js") + beside(__file__, "save_figures.js")
_SHEET = beside(__file__, "buttons.css")
_STILL = f"<style>.first .buttons {{ {_SHEET.replace(':host', '&')} }}</style>"


def still(buttons: Iterable[tuple[str, str]], *, gap: str = "4px") -> str:
    """A row as HTML that does nothing yet, for the first answer: labels and looks of buttons that have an icon."""
    drawn = "".join(
        f"<button type='button' class='{look}' disabled><span class='material-icons' aria-hidden='true'></span>"
        f"<span class='label'>{html.escape(label)}</span></button>"
        for label, look in buttons
    )
    row = f"display: flex; flex-wrap: wrap; align-items: center; gap: {gap}"
    return f"{_STILL}<div class='buttons' style='{row}'>{drawn}</div>"


class Button:
    """One button of a row.

    Attributes
    ----------
    label, icon : str
        Its text, and the name of a Material icon before it; "" for none.
    look : str
        "text", "outlined", "contained", "header", or "choice" for one of a group of which one is pressed.
    visible, disabled, pressed : bool
    """

    def __init__(self, row: Buttons, label: str, icon: str, *, act: Callable[[], Any], **state):
        self._row, self._act = row, act
        self._state = {
            "label": label,
            "icon": icon,
            "look": "text",
            "visible": True,
            "disabled": False,
        } | state

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._state:
            raise AttributeError(name)
        return self._state[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self.update(**{name: value})

    def update(self, **state: Any) -> None:
        """Change several of its attributes at once."""
        if any(self._state.get(name) != value for name, value in state.items()):
            self._state.update(state)
            self._row.show()

    def click(self) -> None:
        """What a click does; nothing while the button is disabled or not shown."""
        if self.visible and not self.disabled:
            self._act()

    @property
    def state(self) -> dict[str, Any]:
        """What the browser shows."""
        return dict(self._state)


class Buttons(LightComponent):
    """Buttons side by side, in as many rows as necessary.

    Parameters
    ----------
    gap : str
        Space between buttons, in CSS.
    label : str
        Name of the group for screen readers; "" for none.
    """

    items = param.List([], doc="State of every button.")
    gap = param.String("4px")
    label = param.String("")

    _esm = _MODULE

    def __init__(self, *, sheets: Sequence[str] = (), **params):
        super().__init__(stylesheets=[_SHEET, *sheets], **params)
        self.buttons: list[Button] = []
        self._held = False

    def add(self, label: str, icon: str = "", *, act: Callable[[], Any] = lambda: None, **state) -> Button:
        """Add a button that calls `act`.

        Parameters
        ----------
        **state
            Attributes of the button. With `copies`, a text or "address", a click copies that in the browser. With
            `saves`, ids of figures with their file's `name` and `kind`, a click saves them from the browser.
        """
        button = Button(self, label, icon, act=act, **state)
        self.buttons.append(button)
        self.show()
        return button

    def show(self) -> None:
        """Send the state of all buttons."""
        self.items = [button.state for button in self.buttons]

    def received(self, message) -> None:
        """A click on a button."""
        place = message.get("pressed") if isinstance(message, dict) else None
        if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(self.buttons):
            self.buttons[place].click()
