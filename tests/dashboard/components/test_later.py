"""Parts below a picture: at once without a browser, and after the picture where there is one."""

from __future__ import annotations

import asyncio

import panel as pn
from bokeh.events import DocumentReady
from sessions import Session

from dashboard.components.layout import LATER, Later


def texts(document):
    return {model.text for model in document.models if hasattr(model, "text")}


def test_without_a_browser_parts_are_in_their_places():
    later = Later()
    place = later.place(pn.pane.HTML("figure"))
    assert [part.object for part in place] == ["figure"]
    assert later.place(None) is None


def test_in_a_browser_they_come_once_the_document_stands():
    def build(document):
        later = Later()
        pn.Column(pn.pane.HTML("picture"), *map(later.place, map(pn.pane.HTML, "ab"))).server_doc(document)

    async def come():
        async with Session(build) as session:
            before = texts(session.document)
            await session.locked(lambda: session.document.callbacks.trigger_event(DocumentReady()))
            await session.settled()
            return (
                before,
                texts(session.document),
                [getattr(m, "css_classes", []) for m in session.document.models],
            )

    before, after, classes = asyncio.run(come())
    assert "picture" in before and not {"a", "b"} & before
    assert {"picture", "a", "b"} <= after
    assert sum(LATER in names for names in classes) == 2  # Browsers see by it what is still to come.
