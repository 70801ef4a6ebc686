"""Work that every session would pay for, done once before the first visitor comes."""

from __future__ import annotations

import gc
import logging

import panel as pn
from bokeh.document import Document
from bokeh.settings import settings
from panel.io.state import set_curdoc

from dashboard.pages import PAGES
from dashboard.runs.sharing import Opening
from dashboard.session.app import App
from dashboard.state import packs

_LOG = logging.getLogger("cape-lab")


def warm_up() -> list[Opening]:
    """Build a session and drop it, and take all that stays in memory out of the garbage collector's sight.

    The libraries define the classes of their models when the first session needs them. Modules and classes are most of
    a process's objects: a full collection that goes through them takes longer than building a session.

    A document that is sent to a browser names the models of all components that are known by then. A component that is
    imported later cannot be shown in a browser that is open already, so this module imports the components of all pages,
    and those that packs name.

    Documents of sessions are not validated: the tests validate every page, and for each visitor the validation would
    take a tenth of the time in which the page is built.

    Returns
    -------
    list of Opening
        What pages open with and is still to be computed, see `dashboard.session.idle`.
    """
    settings.perform_document_validation = False
    list(packs.loaded("warm"))
    document = Document()
    with set_curdoc(document):
        pn.extension("tabulator")
        App({}).frame.server_doc(document)
    document.clear()
    openings = []
    for kind in PAGES:
        try:
            openings += [] if (opening := kind.warm()) is None else [opening]
        except Exception:  # A page that cannot be opened says so in its own place.
            _LOG.exception("the page %s could not be prepared", kind.name)
    gc.collect()
    gc.freeze()
    return openings
