"""Allow-list of the components and properties that a browser may change, checked before a change is applied.

Bokeh lets a browser set every property of every model, add and remove roots, and replace the document. Some
properties read files of the server (a tool's `icon`), others are stored without a limit (`tags`). The app needs few:
the values of its widgets, which parts are open, and the theme. All other changes are not applied.

A property that is not listed is dropped and counted, without an error, since BokehJS itself sends many
unnecessary ones: sizes and ranges of figures, and the colours of a theme. A message of a kind that no widget sends
is refused as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import panel_material_ui as pmui
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import ColumnDataSource, Selection
from bokeh.protocol.messages.patch_doc import patch_doc
from panel.custom import ReactiveESM
from panel_material_ui.base import MaterialComponent

# Components of Panel, whose properties the browser holds in a data model. A component of the app declares the
# parameters that its browser part may set in `from_browser`, and the events that it sends in `events_from_browser`.
COMPONENTS: dict[type, tuple[str, ...]] = {
    MaterialComponent: ("dark_theme",),
    pmui.IntSlider: ("value", "value_throttled"),
    pmui.FloatSlider: ("value", "value_throttled"),
    pmui.DiscreteSlider: ("value", "value_throttled"),
    pmui.TextInput: ("value", "value_input"),
    pmui.Select: ("value",),
    pmui.RadioButtonGroup: ("value",),
    pmui.CheckBoxGroup: ("value",),
    pmui.Switch: ("value",),
    pmui.Dialog: ("open",),
    pmui.Drawer: ("open",),
    pmui.MenuList: ("active",),
    pmui.Page: ("sidebar_open",),
}
# Bokeh's own models. Only the server changes a figure's data source or selection, unless the app listens to it.
MODELS: dict[type, tuple[str, ...]] = {ColumnDataSource: ("data",), Selection: ("indices",)}
# Events: the components or models that may send them, and their values.
EVENTS: dict[type, dict[str, frozenset[str]]] = {
    MaterialComponent: {"dom_event": frozenset({"model", "node", "data"})},
    pmui.FileInput: {"data_event": frozenset({"model", "data"})},
    pmui.MenuList: {"data_event": frozenset({"model", "data"})},
}
_OWN_EVENT = frozenset({"model", "data"})
_VALUE = {"ModelChanged": "new", "ColumnsPatched": "patches"}  # The key of the value in each kind of change.
MOST_VALUES = 100_000  # Maximal number of numbers, texts and containers in one message.
MOST_EVENTS = 2_000
DEEPEST = 30
_PLAIN = frozenset({"number", "map", "bytes", "ndarray"})
_ARRAYS = frozenset(
    {"bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64", "object"}
)
_WRITTEN_OUT = {"type", "name", "id", "attributes"}

dropped: Counter[str] = Counter()  # Number of unlisted changes and events, by kind.
_APPLY = patch_doc.apply_to_document
_components: dict[type, type | None] = {}


class Refused(ValueError):
    """A message that no widget of the app sends; the error text quotes nothing of it."""


def allow_listed_changes() -> None:
    """Apply only listed changes to a document. Calling this twice has no further effect."""
    patch_doc.apply_to_document = _apply_to_document


def allowed(content: Any, document: Document) -> list[dict]:
    """The events of a message that may be applied to a document.

    Parameters
    ----------
    content : dict
        The content of a PATCH-DOC message, not yet decoded.
    document : Document
        The session's document.

    Raises
    ------
    Refused
        If the message contains what no widget sends: roots, titles, objects, references, or too many values.
    """
    events = content.get("events") if isinstance(content, dict) else None
    if not isinstance(events, list) or len(events) > MOST_EVENTS:
        raise Refused(f"a patch must hold a list of at most {MOST_EVENTS} events")
    kept = [event for event in map(_with_bare_model, events) if _listed(event, document)]
    _check_plain([_value(event) for event in kept])
    return kept


def _apply_to_document(self, doc, setter=None):
    kept = allowed(self.content, doc)
    if kept:
        self.content = {"events": kept}
        _APPLY(self, doc, setter)


def _with_bare_model(event):
    """The event with its model named by its id alone.

    BokehJS writes out a model with all its attributes when it first speaks of it after the server added it, as of a
    button in a dialog that has just been opened. The server knows the model: what is written of it is not read.
    """
    if not isinstance(event, dict):
        return event
    event = dict(event)
    if "model" in event:
        event["model"] = _bare(event["model"])
    data = event.get("msg_data")
    values = data.get("values") if isinstance(data, dict) else None
    entries = values.get("entries") if isinstance(values, dict) else None
    if isinstance(entries, list):
        entries = [["model", _bare(e[1])] if _names_model(e) else e for e in entries]
        event["msg_data"] = {**data, "values": {**values, "entries": entries}}
    return event


def _names_model(entry):
    return isinstance(entry, list) and len(entry) == 2 and entry[0] == "model"


def _bare(reference):
    whole = isinstance(reference, dict) and {"type", "id"} <= set(reference) <= _WRITTEN_OUT
    return {"id": reference["id"]} if whole and reference["type"] == "object" else reference


def _listed(event, document):
    kind = event.get("kind") if isinstance(event, dict) else None
    if kind in _VALUE:
        model, name = _model(event.get("model"), document), event.get("attr")
        known = isinstance(name, str) and model is not None and name in _properties(model, name)
        return _count(known and (kind == "ModelChanged" or isinstance(model, ColumnDataSource)), "change")
    if kind == "MessageSent":
        return _count(_listed_event(event, document), "event")
    raise Refused("a browser may change properties and send events, nothing else")


def _count(listed, what):
    if not listed:
        dropped[what] += 1
    return listed


def _model(reference, document) -> Model | None:
    """The referenced model; None if it no longer exists, as is common when a browser's answer arrives late."""
    if not isinstance(reference, dict) or set(reference) != {"id"} or not isinstance(reference["id"], str):
        raise Refused("a model is named by its id alone")
    return document.get_model_by_id(reference["id"])


def _properties(model, name) -> Iterator[str]:
    if (component := _component(type(model))) is not None:
        for kind in component.__mro__:
            yield from COMPONENTS.get(kind, ())
        yield from getattr(component, "from_browser", ())
    elif model._callbacks.get(name):
        for kind in type(model).__mro__:
            yield from MODELS.get(kind, ())


def _listed_event(event, document):
    data = event.get("msg_data")
    if event.get("msg_type") != "bokeh_event" or not isinstance(data, dict) or data.get("type") != "event":
        raise Refused("a message must be an event")
    values = data.get("values")
    entries = values.get("entries", []) if isinstance(values, dict) and values.get("type") == "map" else None
    if not isinstance(entries, list) or not all(isinstance(e, list) and len(e) == 2 for e in entries):
        raise Refused("an event's values must be a map")
    names = [name for name, _ in entries if isinstance(name, str)]
    if len(set(names)) != len(entries):
        raise Refused("an event's values must have names, each one once")
    if data.get("name") == "document_ready":
        return not entries
    model = _model(dict(entries).get("model"), document) if "model" in names else None
    return model is not None and set(names) <= _event_values(model, data.get("name"))


def _event_values(model, name) -> frozenset[str]:
    component = _component(type(getattr(model, "data", None)))
    if component is not None and name in getattr(component, "events_from_browser", ()):
        return _OWN_EVENT
    for kind in (component or type(model)).__mro__:
        if isinstance(name, str) and name in EVENTS.get(kind, {}):
            return EVENTS[kind][name]
    return frozenset()


def _component(kind: type) -> type | None:
    """The Panel component to which a data model belongs; None for other models."""
    if kind not in _components:
        _components.update({part._data_model: part for part in _subclasses(ReactiveESM)})
        _components.setdefault(kind, None)
    return _components[kind]


def _subclasses(kind):
    yield kind
    for part in kind.__subclasses__():
        yield from _subclasses(part)


def _value(event):
    if event["kind"] in _VALUE:
        return event.get(_VALUE[event["kind"]])
    return [value for name, value in event["msg_data"]["values"].get("entries", []) if name != "model"]


def _check_plain(values):
    """Raise Refused unless values are numbers, texts, bytes, or lists and maps of them, within the limits."""
    left, level = MOST_VALUES, [values]
    for _ in range(DEEPEST):
        left -= sum(map(len, level))
        if left < 0:
            raise Refused(f"a message may hold at most {MOST_VALUES} values")
        below = []
        for part in level:
            inside = part
            if isinstance(part, dict):
                _check_kind(part)
                # Only bytes refer to a buffer of the message; elsewhere an id would name a model.
                bytes_of = part["type"] in ("bytes", "ndarray")
                inside = [value for value in part.values() if not (bytes_of and _is_buffer(value))]
            below += [value for value in inside if isinstance(value, list | dict)]
        level = below
        if not level:
            return
    raise Refused(f"values may be nested at most {DEEPEST} deep")


def _check_kind(part):
    """Raise Refused if a dictionary of a message represents a model or another object."""
    kind = part.get("type")
    if not isinstance(kind, str) or kind not in _PLAIN:
        raise Refused("a value may be a number, a text, bytes, or a list or map of those")
    if kind == "ndarray" and part.get("dtype") not in _ARRAYS:
        raise Refused("an array must be of numbers")


def _is_buffer(part):
    return isinstance(part, dict) and set(part) == {"id"} and isinstance(part["id"], str)
