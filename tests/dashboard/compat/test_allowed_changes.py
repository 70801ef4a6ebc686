"""What a browser may change: a model that it writes out in full is the one of that name, and no more is read of it."""

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.models import ColumnDataSource, Selection
from bokeh.plotting import figure

from dashboard.compat.server.allowed_changes import Refused, allowed


@pytest.fixture
def slider():
    """A document with one slider, and the slider's model, whose values its `data` holds."""
    document = pn.Column(pmui.IntSlider(label="Sites", value=3, start=1, end=9)).server_doc()
    (model,) = [m for m in document.models if hasattr(getattr(m, "data", None), "value")]
    return document, model


def written_out(model, **attributes):
    """A model as BokehJS writes it when it first speaks of one that the server added after the page was opened."""
    return {"type": "object", "name": model.__qualified_model__, "id": model.id, "attributes": attributes}


def change(reference):
    return {"events": [{"kind": "ModelChanged", "model": reference, "attr": "value", "new": 5}]}


def click(reference):
    entries = [["model", reference], ["node", "button"], ["data", {"type": "map", "entries": []}]]
    data = {"type": "event", "name": "dom_event", "values": {"type": "map", "entries": entries}}
    return {"events": [{"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": data}]}


def test_a_model_that_is_written_out_is_taken_by_its_id_alone(slider):
    document, values = slider[0], slider[1].data
    bare = allowed(change({"id": values.id}), document)
    assert bare == change({"id": values.id})["events"]
    assert allowed(change(written_out(values, value=7, tags=["x" * 1000])), document) == bare


def test_an_event_of_a_model_that_is_written_out_is_taken_by_its_id_alone(slider):
    document, model = slider
    (bare,) = allowed(click({"id": model.id}), document)
    (event,) = allowed(click(written_out(model, start=-7)), document)
    assert event == bare and "attributes" not in str(event)


def test_a_model_that_the_document_does_not_hold_changes_nothing(slider):
    document, values = slider[0], slider[1].data
    assert allowed(change(written_out(values) | {"id": "p999999"}), document) == []


@pytest.mark.parametrize(
    "changes", [{"id": 5}, {"id": ["p1"]}, {"type": "map"}, {"type": "symbol"}, {"path": "/etc/passwd"}]
)
def test_what_is_no_model_of_bokeh_s_is_refused(slider, changes):
    document, values = slider[0], slider[1].data
    with pytest.raises(Refused):
        allowed(change(written_out(values) | changes), document)


@pytest.mark.parametrize("boxes", [True, False])
def test_what_is_selected_is_taken_of_a_table_with_boxes_alone(boxes):
    table = pn.widgets.Tabulator(pd.DataFrame({"a": [1, 2]}), selectable="checkbox")
    chart = figure()
    chart.scatter([1, 2], [1, 2])
    document = pn.Column(table if boxes else pn.pane.Bokeh(chart)).server_doc()
    (source,) = document.select({"type": ColumnDataSource})
    assert isinstance(source.selected, Selection)
    event = {"kind": "ModelChanged", "model": {"id": source.selected.id}, "attr": "indices", "new": [1]}
    assert allowed({"events": [event]}, document) == ([event] if boxes else [])
