"""A button saves its file at every press, in the server's half; `compat/README.md` says what the browser's half does."""

from __future__ import annotations

import base64

from bokeh.document import Document

from dashboard.components.layout import text_download


def test_a_file_that_is_as_it_was_is_saved_at_every_press():
    text, sent = ["{}"], []
    button = text_download("Save the plan", "plan.json", lambda: text[0])
    model, doc = button.get_root(), Document()
    doc.add_root(model)
    doc.on_change(lambda event: sent.append(event))
    for content in ("{}", "{}", '{"ä": 1}', '{"ä": 1}', "{}"):
        text[0] = content
        sent.clear()
        button._handle_click()  # As a click of the browser does.
        addresses = [event.new for event in sent if getattr(event, "attr", "") == "data"]
        assert len(addresses) == 1, "the browser saves when the address of the data changes"
        kind, _, data = addresses[0].partition(",")
        assert base64.b64decode(data).decode() == content
        # The browser half takes what stands between the first colon and the first semicolon as the kind.
        assert kind.split(":")[1].split(";")[0] == "application/json"
