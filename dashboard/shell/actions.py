"""The row of actions under a picture: new noise, link, Python, CSV, SVG and PNG."""

from __future__ import annotations

import html
from importlib.metadata import PackageNotFoundError, version

import panel as pn
import panel_material_ui as pmui

from dashboard.compat.session_cleanup import on_click_in_browser
from dashboard.components.layout import FULL, LiveText, quiet_button
from dashboard.page.base import Page
from dashboard.shell.browser import Browser
from dashboard.state import seeds
from dashboard.theme import css

_COPY = """
const was = button.label
const done = () => { button.label = "Copied"; setTimeout(() => { button.label = was }, 1500) }
const by_hand = () => {
  const area = document.createElement("textarea")
  area.value = text
  document.body.appendChild(area); area.select()
  document.execCommand("copy"); area.remove(); done()
}
// The clipboard of the modern kind exists on https and localhost alone.
if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, by_hand)
else by_hand()
"""
_SAVE = """
for (const [i, plot] of plots.entries()) {
  const backend = plot.output_backend
  plot.output_backend = kind === "svg" ? "svg" : "canvas"
  const view = Bokeh.index.find_one(plot)
  await new Promise((resolve) => setTimeout(resolve, 150))
  const blob = await view.export(kind, true).to_blob()
  plot.output_backend = backend
  const link = document.createElement("a")
  link.href = URL.createObjectURL(blob)
  link.download = name + (plots.length > 1 ? "-" + (i + 1) : "") + "." + kind
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 2000)
}
"""


def action_bar(page: Page, browser: Browser) -> pn.viewable.Viewable:
    """The actions that mean something on this page."""
    buttons = []
    if "noise_seed" in page.shared:
        noise = quiet_button("New noise", "casino")
        noise.on_click(lambda event: new_noise(page))
        buttons.append(noise)
    link = quiet_button("Copy link", "link")
    on_click_in_browser(link, "const text = window.location.href;" + _COPY, {"button": link})
    buttons.append(link)
    bar = pn.Column(stylesheets=[css.SCREEN], **FULL)
    if _has_script(page):
        buttons.append(_python(page, bar))
    # Asked of the class: what a table is made of may be a release, and nothing is shown yet.
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
    """Whether there is a program, if not of the present settings, then of others."""
    try:
        return bool(page.script())
    except ValueError:
        return True


def new_noise(page: Page) -> None:
    """Draw everything anew with another noise seed; unless secret it is shown in the link and in every file."""
    page.controls.noise_seed = seeds.next_seed(page.controls.noise_seed)


def csv_text(page: Page) -> str:
    """The page's numbers as CSV, with version and settings in commented lines above them."""
    head = [f"# CAPE Lab {lab_version()}, page {page.name}"]
    head += [f"# {name} = {seeds.file_text(name, value)}" for name, value in page.settings_text()]
    return "\n".join(head) + "\n" + page.table().to_csv(index=False)


def lab_version() -> str:
    """The installed version, or that this is a plain checkout."""
    try:
        return version("cape-lab")
    except PackageNotFoundError:
        return "(source checkout)"


def _python(page, bar):
    """The button that shows the program; its dialog joins the bar when it is first opened."""
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
    """A program, and a button that copies it."""

    def __init__(self):
        self._code = LiveText(_CODE)
        self._source = pn.widgets.TextAreaInput(visible=False)
        copy = pmui.Button(label="Copy", icon="content_copy", size="small", margin=(0, 0, 8, 0))
        parts = {"button": copy, "source": self._source}
        on_click_in_browser(copy, "const text = source.value;" + _COPY, parts)
        self._dialog = pmui.Dialog(
            pn.pane.HTML("The numbers of this picture, computed by the package alone.", margin=(0, 0, 8, 0)),
            copy,
            self._code.pane,
            title="This picture in Python",
            width_option="md",
            show_close_button=True,
            close_on_click=True,  # Escape closes it, too.
        )
        self.layout = pn.Column(self._dialog, self._source, margin=0)

    def show(self, program: str) -> None:
        """Open with a program."""
        self._source.value = program
        self._code.show(f"<pre><code>{html.escape(program)}</code></pre>")
        self._dialog.open = True


_CODE = """
:host { color: var(--mui-palette-text-primary) }
pre { font-size: 13px; line-height: 1.5; overflow-x: auto; padding: 12px; border-radius: 6px; margin: 0;
      background: color-mix(in srgb, currentColor 6%, transparent) }
"""
