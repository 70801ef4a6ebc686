"""Cleanup of the library's registries, which would keep the objects of an ended session alive."""

from __future__ import annotations

import panel as pn


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
