"""The row of actions under a picture: new noise, link, Python, CSV, SVG and PNG."""

from __future__ import annotations

import html
from importlib.metadata import PackageNotFoundError, version

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.session_cleanup import on_click_in_browser
from dashboard.components.layout import FULL, LiveText, quiet_button
from dashboard.page.base import Page
from dashboard.shell.browser import Browser
from dashboard.state import seeds
from dashboard.theme import css
from dashboard.theme.assets import beside

_COPY = beside(__file__, "copy_text.js")
_SAVE = beside(__file__, "save_figures.js")


def action_bar(page: Page, browser: Browser) -> pn.viewable.Viewable:
    """The actions that apply to this page."""
    buttons = []
    if "noise_seed" in page.shared and page.noise_button:
        noise = quiet_button("New noise", "casino")
        noise.on_click(lambda event: new_noise(page))
        buttons.append(noise)
    link = quiet_button("Copy link", "link")
    on_click_in_browser(link, "const text = window.location.href;" + _COPY, {"button": link})
    buttons.append(link)
    bar = pn.Column(stylesheets=[css.SCREEN], **FULL)
    if _has_script(page):
        buttons.append(_python(page, bar))
    # Check the class, not the result: computing a table may be a release, and nothing is shown yet.
    if type(page).table is not Page.table:
        table = quiet_button("CSV", "download")
        table.on_click(lambda event: browser.save(f"cape-lab-{page.name}.csv", csv_text(page)))
        buttons.append(table)
    if page.figures():
        for kind in ("svg", "png"):
            save = quiet_button(kind.upper(), "image")
            args = {"plots": list(page.figures()), "kind": kind, "name": f"cape-lab-{page.name}"}
            on_click_in_browser(save, f"(async () => {{ {_SAVE} }})()", args)
            buttons.append(save)
    bar.append(pn.FlexBox(*buttons, gap="4px", margin=(8, 0)))
    return bar


def _has_script(page):
    """Whether the page has a program, for the current or for other settings."""
    try:
        return bool(page.script())
    except ValueError:
        return True


def new_noise(page: Page) -> None:
    """Draw all noise again with another seed; unless it is secret, the link and every file show the seed."""
    page.controls.noise_seed = seeds.next_seed(page.controls.noise_seed)


def csv_text(page: Page) -> str:
    """The page's numbers as CSV, below comment lines with the version and the settings."""
    head = [f"# CAPE Lab {lab_version()}, page {page.name}"]
    head += [f"# {name} = {seeds.file_text(name, value)}" for name, value in page.settings_text()]
    return "\n".join(head) + "\n" + page.table().to_csv(index=False)


def lab_version() -> str:
    """The installed version, or "(source checkout)"."""
    try:
        return version("cape-lab")
    except PackageNotFoundError:
        return "(source checkout)"


def _python(page, bar):
    """The button that shows the program; its dialog is created when it is first opened."""
    opener, dialogs = quiet_button("Python", "code"), []

    def show(event):
        program = seeds.without_seed(page.script(), page.controls.noise_seed)
        if not dialogs:
            dialogs.append(_PythonDialog())
        dialogs[0].show(program)
        if dialogs[0].layout not in bar:
            bar.append(dialogs[0].layout)

    opener.on_click(show)
    return opener


class _PythonDialog:
    """A dialog with a program and a button that copies it."""

    def __init__(self):
        self._code = LiveText(_CODE)
        self._source = pn.widgets.TextAreaInput(visible=False)
        copy = pmui.Button(label="Copy", icon="content_copy", size="small", margin=(0, 0, 8, 0))
        parts = {"button": copy, "source": self._source}
        on_click_in_browser(copy, "const text = source.value;" + _COPY, parts)
        self._dialog = pmui.Dialog(
            pn.pane.HTML(
                "This program computes the numbers of the picture without the app.", margin=(0, 0, 8, 0)
            ),
            copy,
            self._code.pane,
            title="This picture in Python",
            width_option="md",
            show_close_button=True,
            close_on_click=True,  # The Escape key closes it as well.
        )
        self.layout = pn.Column(self._dialog, self._source, margin=0)

    def show(self, program: str) -> None:
        """Open the dialog with a program."""
        self._source.value = program
        self._code.show(f"<pre><code>{html.escape(program)}</code></pre>")
        self._dialog.open = True


_CODE = beside(__file__, "python_dialog.css")
