"""Components of the app that cost a session little: they follow only what their half in the browser may set."""

from __future__ import annotations

import contextlib
from typing import ClassVar

import panel as pn
from bokeh.core.property.descriptors import UnsetValueError
from panel.custom import JSComponent

from dashboard.compat.widgets.browser_messages import BrowserMessages


class LightComponent(BrowserMessages, JSComponent):
    """A component whose half in the browser is a JavaScript module.

    Panel follows every property of a component's model, also those that a browser may not change (the server's
    allow-list drops such changes), and looks up the signature of a new function for each.
    """

    __abstract = True

    from_browser: ClassVar[tuple[str, ...]] = ()  # Parameters that the browser may set.
    events_from_browser: ClassVar[tuple[str, ...]] = ("data_event",)  # Events that the browser may send.

    def __init__(self, **params):
        super().__init__(**{"margin": 0, **params})

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return self.from_browser

    def _update_model(self, *args, **kwargs):
        # At the end of a session its models lose all values; what stops then, such as a run, may still tell its parts.
        with contextlib.suppress(UnsetValueError):
            super()._update_model(*args, **kwargs)


class Stack(pn.Column):
    """A column of parts, whose properties no browser may change: Panel does not follow them."""

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return ()
