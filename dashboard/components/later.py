"""Parts of a page below its picture: they come once the picture stands in the browser."""

from __future__ import annotations

import panel as pn

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.layout import FULL
from dashboard.state import errors

_SOON = 40  # Milliseconds: enough for a browser to paint what was sent before.
AWAITED = "awaited"  # The class of a place whose part has not come yet, in the browser.


class Later:
    """Places for parts that come later, all in one message.

    Until then the parts are no models of the document: it is built, sent and drawn in less time. Without a browser
    they are in their places from the beginning.
    """

    def __init__(self):
        self._awaited: list[tuple[Stack, pn.viewable.Viewable]] = []
        self._asked = False

    def place(self, part: pn.viewable.Viewable | None) -> Stack | None:
        """The place of a part; None if there is no part."""
        if part is None:
            return None
        doc = pn.state.curdoc
        if doc is None or doc.session_context is None:
            return Stack(part, **FULL)
        place = Stack(css_classes=[AWAITED], **FULL)
        self._awaited.append((place, part))
        if not self._asked:
            self._asked = True
            if pn.state.loaded:
                doc.add_timeout_callback(self._come, _SOON)
            else:
                pn.state.onload(self._come)
        return place

    def _come(self):
        try:
            with pn.io.hold(pn.state.curdoc):
                for place, part in self._awaited:
                    place.param.update(objects=[part], css_classes=[])
            self._awaited.clear()
        except Exception as error:
            errors.handle(error)
