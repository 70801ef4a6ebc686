"""Invalid values from a browser: the app shows an error message, and the widget shows its last value again.

A browser can be made to send anything: text in place of a number, an option that does not exist. The library
converts the value, for example an index into an option, passes on any exception, and writes the whole value to the
log, whatever its length. This module refuses invalid values before they reach the app's own code.
"""

from __future__ import annotations

from panel.reactive import Syncable
from panel_material_ui import DiscreteSlider
from panel_material_ui.base import MaterialComponent

from data.upload.table import shown

_TAKE = Syncable._process_events


def refuse_in_words() -> None:
    """Install this for all widgets. Calling it twice has no further effect."""
    Syncable._process_events = _process_events


def _process_events(self, events):
    if isinstance(self, MaterialComponent):
        try:
            if isinstance(self, DiscreteSlider) and events.get("value", 0) < 0:
                raise IndexError("Python would count it from the end")
            self._process_property_change(dict(events))
        except Exception:
            # The browser shows something other than the widget's value: send the value again.
            self.param.trigger(*(name for name in events if name in self.param))
            what = ", ".join({shown(value): None for value in events.values()})
            name = getattr(self, "label", "") or "This control"
            raise ValueError(f"{name} cannot be {what}. Nothing was changed.") from None
    _TAKE(self, events)
