"""Exceptions of a session's callbacks, shown on the page and logged."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from weakref import WeakKeyDictionary, WeakMethod

import panel as pn

_LOG = logging.getLogger("cape-lab")
# Weak, by document: the method that shows a session's errors references the document and would keep it alive.
_SAY: WeakKeyDictionary = WeakKeyDictionary()
_LONGEST = 500  # Characters of a message; it may quote text from a browser.
_UNEXPECTED = (
    "The last change could not be shown completely ({}), so the picture and the controls may disagree. "
    "Reload the page: its link keeps your settings."
)


def report_to(say: Callable[[str], None]) -> None:
    """Send this session's error messages to `say`, a method of an object that lives as long as the session."""
    if pn.state.curdoc is not None:
        _SAY[pn.state.curdoc] = WeakMethod(say)


def handle(exception: BaseException) -> None:
    """Log an exception and show it in the session in which it happened: Panel's `exception_handler`."""
    if isinstance(exception, ValueError):  # Its words are for the user, and may quote what is theirs.
        where = "".join(traceback.format_tb(exception.__traceback__))
        _LOG.error("a callback failed: %s\n%s", type(exception).__name__, where)
    else:
        _LOG.error("a callback failed", exc_info=exception)
    text = str(exception) if isinstance(exception, ValueError) else ""
    tell(text or _UNEXPECTED.format(type(exception).__name__))


def tell(text: str) -> None:
    """Show words in the session in which something happened, e.g. that what was typed is no number: nothing is logged."""
    known = _SAY.get(pn.state.curdoc) if pn.state.curdoc is not None else None
    if known is not None and (say := known()) is not None:
        say(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …")
