"""Releases memory that the libraries allocate for every session and that a complete page does not need."""

from __future__ import annotations

from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.document import Document


def drop_empty_defaults(document: Document) -> int:
    """Delete the empty lists, dicts and sets that Bokeh's models hold as defaults; returns their number.

    Bokeh creates one for every property of such a type, and a set that names its owner: half a kilobyte each, a
    quarter of a session's memory. A later access creates a new one, so code must not keep a reference to such a value
    and change it later. Defaults that are models stay, since the browser knows them by id.
    """
    dropped = 0
    for model in document.models:
        defaults = model._unstable_default_values
        kept = {name: value for name, value in defaults.items() if not _is_empty(value)}
        dropped += len(defaults) - len(kept)
        model._unstable_default_values = kept
    return dropped


def _is_empty(value):
    return isinstance(value, PropertyValueContainer) and not value
