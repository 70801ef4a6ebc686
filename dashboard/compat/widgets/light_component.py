"""Components of the app that cost a session little: they follow only what their half in the browser may set."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from typing import Any, ClassVar

import panel as pn
from bokeh.core.property.descriptors import UnsetValueError
from panel.custom import JSComponent

from dashboard.compat.widgets.browser_messages import BrowserMessages


class LightComponent(BrowserMessages, JSComponent):
    """A component whose half in the browser is a JavaScript module.

    Panel follows every property of a component's model, also those that a browser may not change (the server's
    allow-list drops such changes), and looks up the signature of a new function for each. For every model it looks for
    files that may belong to the component, and the browser translates its module from TypeScript. A module of the app
    is plain JavaScript in one text: it says so by the name of a bundle, under which the browser keeps it.
    """

    __abstract = True

    from_browser: ClassVar[tuple[str, ...]] = ()  # Parameters that the browser may set.
    events_from_browser: ClassVar[tuple[str, ...]] = ("data_event",)  # Events that the browser may send.

    def __init__(self, **params):
        super().__init__(**{"margin": 0, **params})

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return self.from_browser

    # What the library looks for in files.
    _bundle_path = None

    @classmethod
    def _esm_path(cls, compiled: Any = True) -> None:
        return None

    @classmethod
    def _render_esm(cls, compiled: Any = True, server: bool = False) -> str:
        return cls._esm

    def _get_properties(self, doc):
        return super()._get_properties(doc) | {"bundle": _name_of(self._esm)}

    def _update_model(self, *args, **kwargs):
        # At the end of a session its models lose all values; what stops then, such as a run, may still tell its parts.
        with contextlib.suppress(UnsetValueError):
            super()._update_model(*args, **kwargs)


@functools.cache
def _name_of(module: str) -> str:
    """The name under which a browser keeps a module."""
    return hashlib.sha256(module.encode()).hexdigest()


class Stack(pn.Column):
    """A column of parts, whose properties no browser may change: Panel does not follow them."""

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return ()
