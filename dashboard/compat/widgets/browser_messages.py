"""Messages between a component and its half in the browser, by names that Panel does not mark as its own."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

_KEPT = ("value", "filename", "mime_type")  # What the library's widget keeps of a file.


class BrowserMessages:
    """For a component of Panel: `send` to the browser; `received` is called with what comes from it."""

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the component's half in the browser."""
        self._send_msg(message)

    def received(self, message: dict[str, Any]) -> None:
        """What a component does with a message; nothing of it can be trusted. One that expects none leaves it alone."""

    def _handle_msg(self, message):
        self.received(message)


class FileMessages(BrowserMessages, pmui.FileInput):
    """The library's file input, whose files come as messages alone.

    As a value, a file would be kept whatever its size, and be sent back to the browser.
    """

    def _process_property_change(self, msg):
        return super()._process_property_change({k: v for k, v in msg.items() if k not in _KEPT})
