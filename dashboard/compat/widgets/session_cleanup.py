"""Cleanup of the library's registries, which would keep the objects of an ended session alive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import panel as pn


def on_click_in_browser(button: pn.viewable.Viewable, code: str, args: Mapping[str, Any]) -> None:
    """Run JavaScript when a button is clicked, for as long as the session lasts.

    Panel registers such code in a weak dictionary by its button. The code's arguments usually reference the button
    again, so neither would ever be deleted.
    """
    callback = button.js_on_click(args=dict(args), code=code)
    at_end(callback.unwatch)


def at_end(action) -> None:
    """Call `action` when the session ends; without a session (scripts, tests) it is never called."""
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        pn.state.on_session_destroyed(lambda context: action())


def unfollow_busy(frame: pn.viewable.Viewable) -> None:
    """Detach a `Page` of Panel Material UI from the server's busy state, whose watchers exist as long as the server.

    The app shows no busy indicator. With the watchers, every such page of every session would search all its models
    twice for every event of a browser.
    """
    with pn.util.edit_readonly(frame):
        frame.busy = False
    for watcher in list(pn.state.param.watchers.get("busy", {}).get("value", [])):
        if getattr(getattr(watcher.fn, "__self__", None), "self_or_cls", None) is frame:
            pn.state.param.unwatch(watcher)
