"""A button that saves its file whenever it is pressed, also the same file once more."""

from __future__ import annotations

import base64
import mimetypes

import panel_material_ui as pmui


class RepeatedDownload(pmui.FileDownload):
    """The library's button; its `callback` returns the text of the moment.

    The library's browser half saves when the data change: whoever saves a file, and then the same file, gets one. The
    address of the data therefore counts how often it was saved, as a parameter of the kind of file, which the browser
    half drops.
    """

    def _sync_data(self, fileobj):
        held = base64.b64encode(fileobj.read().encode("utf-8")).decode()
        kind, _ = mimetypes.guess_type(self.filename)
        self._transfers += 1
        self.data = f"data:{kind or 'text/plain'};saved={self._transfers};base64,{held}"
