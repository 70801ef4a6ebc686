"""Exceptions of a session's callbacks, said on the page instead of vanishing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from weakref import WeakKeyDictionary

import panel as pn

_LOG = logging.getLogger("cape-lab")
_SAY: WeakKeyDictionary = WeakKeyDictionary()
_UNEXPECTED = (
    "Something went wrong in showing the last change ({}), so picture and controls may disagree. "
    "Reload the page: its link keeps your settings."
)


def report_to(say: Callable[[str], None]) -> None:
    """Have the failures of this session told to `say`."""
    if pn.state.curdoc is not None:
        _SAY[pn.state.curdoc] = say


def handle(exception: BaseException) -> None:
    """Log an exception and tell the session in which it happened: Panel's `exception_handler`."""
    _LOG.error("a callback failed", exc_info=exception)
    say = _SAY.get(pn.state.curdoc) if pn.state.curdoc is not None else None
    if say is not None:
        text = str(exception)
        say(
            text
            if isinstance(exception, ValueError) and text
            else _UNEXPECTED.format(type(exception).__name__)
        )
