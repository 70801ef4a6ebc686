"""What a browser sends and a widget cannot read is refused in words, and the widget shows its value again.

Every browser can be made to send anything: text where a number belongs, an option that there is not. The library
translates what comes, a place among options into the option say, and raises whatever that raises; it also writes
all of it to the log, however long it is. Here, before any of the app's own code, what cannot be read ends.
"""

from __future__ import annotations

from panel.reactive import Syncable
from panel_material_ui import DiscreteSlider
from panel_material_ui.base import MaterialComponent

from data.upload.table import shown

_TAKE = Syncable._process_events


def refuse_in_words() -> None:
    """Have all widgets do so; once is enough, twice does no harm."""
    Syncable._process_events = _process_events


def _process_events(self, events):
    if isinstance(self, MaterialComponent):
        try:
            if isinstance(self, DiscreteSlider) and events.get("value", 0) < 0:
                raise IndexError("Python would count it from the end")
            self._process_property_change(dict(events))
        except Exception:
            # What is shown in the browser is no value of the widget: send that again.
            self.param.trigger(*(name for name in events if name in self.param))
            what = ", ".join({shown(value): None for value in events.values()})
            name = getattr(self, "label", "") or "This control"
            raise ValueError(f"{name} cannot be {what}. Nothing was changed.") from None
    _TAKE(self, events)
