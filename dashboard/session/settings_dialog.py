"""The dialog that saves the session's settings as a file and opens such a file."""

from __future__ import annotations

import html
from collections.abc import Callable
from datetime import date

import panel as pn
import panel_material_ui as pmui

from dashboard.components.layout import FULL
from dashboard.components.upload import small_upload
from dashboard.session.settings_file import LIMIT
from dashboard.shell.browser import Browser
from dashboard.theme import css

_EXPLAIN = (
    "<p>The file holds a link to every page that you visited, the page in front first, as readable JSON. It holds no "
    "records: of your own table it holds the description, without what was taken from the records, and your text is "
    "not in it.</p>"
)


class SettingsDialog:
    """Dialog to save and open settings.

    Parameters
    ----------
    text : callable
        Returns the text of the file.
    take : callable
        Applies the bytes of a file; raises ValueError with a readable message if they are not valid.

    Attributes
    ----------
    layout : viewable
        The dialog, for the frame.
    """

    def __init__(self, browser: Browser, *, text: Callable[[], str], take: Callable[[bytes], None]):
        self._take = take
        save = pmui.Button(label="Save settings", icon="download", size="small", margin=0)
        save.on_click(
            lambda event: browser.save(
                f"cape-lab-settings-{date.today():%Y-%m-%d}.json", text(), kind="application/json"
            )
        )
        self._problem = pn.pane.HTML("", visible=False, stylesheets=[css.NOTICE], margin=(0, 0, 12, 0))
        upload = small_upload(
            self.receive,
            limit=LIMIT,
            refused=self._refuse,
            label="Open a settings file",
            uploaded_label="Open another file",
            variant="outlined",
            color="primary",
        )
        explain = pn.pane.HTML(_EXPLAIN, stylesheets=[css.FINE], margin=(0, 0, 12, 0))
        row = pn.FlexBox(save, upload, gap="12px", margin=(0, 0, 16, 0))
        self.layout = pmui.Dialog(
            self._problem,
            explain,
            row,
            title="Settings file",
            width_option="sm",
            show_close_button=True,
            close_on_click=True,  # The Escape key closes it as well.
            **FULL,
        )

    @property
    def notice(self) -> str:
        """The dialog's message about the last file, as HTML; "" for none."""
        return self._problem.object

    def open(self) -> None:
        """Show the dialog."""
        self._say("")
        self.layout.open = True

    def receive(self, content: bytes) -> None:
        """Apply an uploaded file and close the dialog, or show in the dialog why the file is not valid."""
        try:
            self._take(content)
        except ValueError as error:
            self._refuse(str(error))
        else:
            self.layout.open = False

    def _refuse(self, problem):
        self._say(f"{problem[:1].upper()}{problem[1:]}.".replace("..", "."))

    def _say(self, text):
        self._problem.object = (
            f"<div class='notice error' role='alert'>{html.escape(text)}</div>" if text else ""
        )
        self._problem.visible = bool(text)
