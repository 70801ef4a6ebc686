"""Components of the app that cost a session little: they follow only what their half in the browser may set."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from typing import Any, ClassVar

import panel as pn
from bokeh.core.property.descriptors import UnsetValueError
from bokeh.models import ImportedStyleSheet
from panel.custom import JSComponent, ReactiveESM
from panel.reactive import Reactive
from panel.viewable import Viewable, is_viewable_param

from dashboard.compat.widgets.browser_messages import BrowserMessages


class Light(Reactive):
    """For a part of a page: what Panel works out anew for each is kept by class, and nobody sees it loading."""

    __abstract = True

    @property
    def _synced_params(self) -> tuple[str, ...]:
        return _synced(type(self))

    def _process_param_change(self, params):
        found = super()._process_param_change(params)
        if "stylesheets" in found:
            found["stylesheets"] = [sheet for sheet in found["stylesheets"] if not _of_loading(sheet)]
        return found


@functools.cache
def _synced(kind):
    """What `Syncable._synced_params` finds, which depends on the class alone."""
    without = {"default_layout", "loading", "background", *kind._manual_params}
    return tuple(name for name in kind.param if name not in without)


def _of_loading(sheet):
    if isinstance(sheet, ImportedStyleSheet):
        return sheet.url.split("?")[0].endswith("/loading.css")
    return isinstance(sheet, str) and sheet.lstrip().startswith(":host(.pn-loading)")


class LightComponent(BrowserMessages, Light, JSComponent):
    """A component whose half in the browser is a JavaScript module; it has no parts and no parameters of type Event.

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
        # As `ReactiveESM` does, which copies every parameter of every component for it.
        kind = type(self)
        found = super(ReactiveESM, self)._get_properties(doc)
        own, others = _split(kind)
        values = {name: found.pop(name) for name in own if name in found}
        for name in others:
            found.pop(name, None)
        definitions = [] if kind._data_model__initialized else [kind._data_model]
        kind._data_model__initialized = True
        return found | {
            "_defs": definitions,
            "bundle": _name_of(self._esm),
            "css_bundle": None,
            "class_name": kind.__name__,
            "data": self._data_model(**values, esm_constants=self._constants),
            "dev": False,
            "esm": self._esm,
            "events": [],
            "importmap": self._process_importmap(),
            "render_policy": self._render_policy,
            "name": kind.__name__,
        }

    def _get_children(self, data_model, doc, root, parent, comm):
        return {}, []

    def _update_model(self, *args, **kwargs):
        # At the end of a session its models lose all values; what stops then, such as a run, may still tell its parts.
        with contextlib.suppress(UnsetValueError):
            super()._update_model(*args, **kwargs)


@functools.cache
def _split(kind):
    """Parameters that the browser's half gets as its data, and those that are no properties of the model."""
    ignored = {
        name
        for name in Reactive.param
        if not issubclass(kind.param[name].owner, ReactiveESM)
        or (name in Viewable.param and type(Reactive.param[name]) is type(kind.param[name]))
    }
    others = {
        name
        for name in kind.param
        if is_viewable_param(kind.param[name]) or kind._property_mapping.get(name, "") is None
    }
    own = [
        name
        for name in kind.param
        if name not in ignored | others and (kind.param[name].precedence or 0) >= 0
    ]
    return own, (*others, "name")


@functools.cache
def _name_of(module: str) -> str:
    """The name under which a browser keeps a module."""
    return hashlib.sha256(module.encode()).hexdigest()


class Stack(Light, pn.Column):
    """A column of parts, whose properties no browser may change: Panel does not follow them."""

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return ()
