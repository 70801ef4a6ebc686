"""The foot of a page: new noise, link and files of its picture, and what unfolds below it."""

from __future__ import annotations

import html
import pkgutil
from collections.abc import Callable, Collection, Mapping
from importlib.metadata import PackageNotFoundError, version

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.layout import FULL, LiveText
from dashboard.page.base import SessionPage
from dashboard.page.lesson import Overlay
from dashboard.shell.browser import Browser
from dashboard.state import packs, safe_csv, seeds
from dashboard.theme import css
from dashboard.theme.assets import beside


def action_bar(page: SessionPage, browser: Browser) -> pn.viewable.Viewable:
    """The actions that apply to this page."""
    buttons = Buttons(gap="0 8px")
    bar = Stack(buttons, stylesheets=[css.SCREEN], **FULL)
    if "noise_seed" in page.shared and page.spec.work.noise_button:
        buttons.add("New noise", look="foot", act=lambda: new_noise(page))
    for button in packs.buttons(page.name):
        buttons.add(button.label, look="foot", act=_opening(button, page, bar))
    link = buttons.add("Link", title="Copy link", look="foot", copies=browser.link_to(page))
    page.settings.watch(lambda *events: link.update(copies=browser.link_to(page)))
    if page.programmed:
        buttons.add("Python", menu=_FILES, act=_python(page, bar))
    name = f"cape-lab-{page.name}.csv"
    buttons.add("CSV", menu=_FILES, act=lambda: browser.save(name, csv_text(page)))
    for kind in ("svg", "png") if page.figures() else ():
        saves = {"plots": [plot.id for plot in page.figures()], "kind": kind, "name": f"cape-lab-{page.name}"}
        buttons.add(kind.upper(), menu=_FILES, saves=saves)
    return bar


_FILES = "Export"


def unfolding(
    page: SessionPage, names: Mapping[str, str], *, absent: Callable[[], Collection[str]] = tuple
) -> Buttons:
    """Buttons that unfold what stands on a page.

    Parameters
    ----------
    names : mapping of str to str
        The words of each, and the selector of the title that unfolds.
    absent : callable
        The words of what does not stand on the page now.
    """
    row = Buttons(gap="0 8px", css_classes=["unfolding"], sheets=[css.SCREEN])
    found = {name: row.add(f"{name} ▸", look="foot", opens=selector) for name, selector in names.items()}

    left: Collection[str] = ()

    def follow(*events):
        nonlocal left
        if (now := absent()) != left:
            left = now
            for name, button in found.items():
                button.update(visible=name not in now)

    follow()
    page.state.param.watch(follow, "shown")
    return row


def background_names(page: SessionPage) -> dict[str, str]:
    """What every page has in its background."""
    known = {"Formulas": page.equation, "Code": page.code}
    return {name: f".background-{name.lower()} > summary" for name, text in known.items() if text}


def new_noise(page: SessionPage) -> None:
    """Draw all noise again with another seed; unless it is secret, the link and every file show the seed."""
    page.controls.noise_seed = seeds.next_seed(page.controls.noise_seed)


def csv_text(page: SessionPage) -> str:
    """The page's numbers as CSV, below comment lines with the version and the settings."""
    head = [f"CAPE Lab {lab_version()}, page {page.name}"]
    head += [f"{name} = {value}" for name, value in page.settings_text()]
    return safe_csv.written(page.table(), head)


def lab_version() -> str:
    """The installed version, or "(source checkout)"."""
    try:
        return version("cape-lab")
    except PackageNotFoundError:
        return "(source checkout)"


def _opening(button, page, bar):
    """Opens what belongs to a pack's button; it is built, and becomes part of the page, when it is first opened."""
    opened: list[Overlay] = []

    def act():
        if not opened:
            opened.append(pkgutil.resolve_name(button.opens)(page))
        opened[0].open()
        if opened[0].layout not in bar:
            bar.append(opened[0].layout)

    return act


def _python(page, bar):
    """Shows the program; its dialog is created when it is first opened."""
    dialogs = []

    def show():
        program = page.program()
        if not dialogs:
            dialogs.append(_PythonDialog())
        dialogs[0].show(program)
        if dialogs[0].layout not in bar:
            bar.append(dialogs[0].layout)

    return show


class _PythonDialog:
    """A dialog with a program and a button that copies it."""

    def __init__(self):
        self._code = LiveText(_CODE)
        row = Buttons(margin=(0, 0, 8, 0))
        self._copy = row.add("Copy", "content_copy", look="contained")
        self._dialog = pmui.Dialog(
            pn.pane.HTML(
                "This program computes the numbers of the picture without the app.", margin=(0, 0, 8, 0)
            ),
            row,
            self._code.pane,
            title="This picture in Python",
            width_option="md",
            show_close_button=True,
            close_on_click=True,  # The Escape key closes it as well.
        )
        self.layout = Stack(self._dialog, margin=0)

    def show(self, program: str) -> None:
        """Open the dialog with a program."""
        self._copy.update(copies=program)
        self._code.show(f"<pre><code>{html.escape(program)}</code></pre>")
        self._dialog.open = True


_CODE = beside(__file__, "python_dialog.css")
