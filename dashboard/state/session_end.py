"""The end of a session: what it held goes first, and a step that fails stops no other."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import panel as pn

_LOG = logging.getLogger("cape-lab")
_SOON: dict[Callable[[], object], asyncio.TimerHandle] = {}


def at_end(action: Callable[[], None]) -> None:
    """Call `action` when the session that is being built ends; outside of a server nobody does."""
    if pn.state.curdoc is not None and pn.state.curdoc.session_context is not None:
        pn.state.on_session_destroyed(lambda context: action())


def each(*steps: Callable[[], object]) -> None:
    """Take all steps in their order; one that fails is logged, and the others are taken all the same."""
    for step in steps:
        try:
            step()
        except Exception:
            _LOG.exception("a step of a session's end failed")


def soon(action: Callable[[], object], seconds: float) -> None:
    """Call `action` so many seconds after this was last asked for; without an event loop nobody does."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    if (asked := _SOON.pop(action, None)) is not None:
        asked.cancel()
    _SOON[action] = loop.call_later(seconds, action)
