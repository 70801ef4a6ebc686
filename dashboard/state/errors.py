"""Exceptions of a session's callbacks, said on the page instead of vanishing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from weakref import WeakKeyDictionary, WeakMethod

import panel as pn

_LOG = logging.getLogger("cape-lab")
# By document, and weakly: what speaks for a session holds its document, and would hold it for ever.
_SAY: WeakKeyDictionary = WeakKeyDictionary()
_LONGEST = 500  # Letters of what is said; it may quote what a browser sent.
_UNEXPECTED = (
    "Something went wrong in showing the last change ({}), so picture and controls may disagree. "
    "Reload the page: its link keeps your settings."
)


def report_to(say: Callable[[str], None]) -> None:
    """Have the failures of this session told to `say`, a method of something that lives as long as the session."""
    if pn.state.curdoc is not None:
        _SAY[pn.state.curdoc] = WeakMethod(say)


def handle(exception: BaseException) -> None:
    """Log an exception and tell the session in which it happened: Panel's `exception_handler`."""
    _LOG.error("a callback failed", exc_info=exception)
    known = _SAY.get(pn.state.curdoc) if pn.state.curdoc is not None else None
    if known is not None and (say := known()) is not None:
        text = str(exception) if isinstance(exception, ValueError) else ""
        text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
        say(text or _UNEXPECTED.format(type(exception).__name__))
