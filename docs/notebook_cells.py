"""What runs a notebook's cells in IPython and draws what they show, without a kernel and without scripts.

A process imports this once, and each notebook runs in a copy of it (`copies`). `docs/build.py` prints what is shown,
`docs/notebook_pictures.py` stores it in the notebooks, and `tests/test_notebooks.py` compares both.
"""

from __future__ import annotations

import multiprocessing
import os
import re
from dataclasses import dataclass
from html import escape, unescape
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import holoviews as hv
import nbformat
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from static_figures import layout_picture

# Every notebook's imports, so that a copy of this process has them already.
import core.sweep  # noqa: F401
import data  # noqa: F401
from dashboard import explore, plots  # noqa: F401
from dashboard.sheet.first import inside
from dashboard.sheet.layout import CARDS
from dashboard.state.number_text import setting_text

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
_HERE = Path(__file__).parent
_FEW = 2  # Settings that a button can name.
_LINK = re.compile(r"</?a\b[^>]*>")  # Links of a page lead to pages of the app.
_TAG = re.compile(r"<style.*?</style>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """One output of a cell.

    Attributes
    ----------
    kind : str
        "text", "table" (HTML of a DataFrame) or "picture".
    text : str
        What is printed, the table as text, or the words and numbers of the picture.
    states : tuple of (str, str)
        Of a table its HTML; of a picture HTML without scripts; of an `explore` cell one picture for each state. The
        first of each pair is the label.
    """

    kind: str
    text: str
    states: tuple[tuple[str, str], ...] = ()


def copies():
    """Processes that begin with everything imported: each notebook would import it for five seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["notebook_cells"])
    before = os.environ.get("PYTHONPATH")
    try:
        # The process that is copied imports before it is told where modules lie.
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), str(_HERE), before]))
        forkserver.ensure_running()
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
    return context


def run(path: str, *, states: bool = False, limit: float = 600) -> list[list[Shown]]:
    """What every code cell of a notebook shows, run in a copy of this process.

    Parameters
    ----------
    states : bool
        Draw the further states that the metadata of `explore` cells name.
    limit : float
        Seconds that it may take.

    Raises
    ------
    RuntimeError
        If a cell fails, warns, or the time is over.
    """
    context = copies()
    ours, theirs = context.Pipe()
    process = context.Process(target=_answer, args=(str(path), states, theirs))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            raise RuntimeError(f"{path}: not done within {limit:g} seconds")
        shown, fault = ours.recv()
    finally:
        process.kill()
        process.join()
    if fault:
        raise RuntimeError(f"{path}, {fault}")
    return shown


class _Kept(DisplayHook):
    """Keeps a cell's result without printing it."""

    def write_output_prompt(self):
        pass

    def compute_format_data(self, result):
        return {}, {}

    def finish_displayhook(self):
        pass


def _answer(path, states, answer):
    os.chdir(Path(path).parent)
    shell = InteractiveShell.instance(displayhook_class=_Kept)
    shell.history_manager.enabled = False
    shown: list[list[Shown]] = []
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    try:
        shown.extend(_shown(shell, cell, states) for cell in cells)
    except Exception as error:
        cell = cells[len(shown)]
        answer.send((shown, f"code cell {len(shown)}: {type(error).__name__}: {error}\n{cell.source}"))
    else:
        answer.send((shown, ""))


def _shown(shell, cell, states):
    with capture_output() as caught:
        result = shell.run_cell(cell.source)
    result.raise_error()
    if caught.stderr:
        raise RuntimeError(f"it warns: {caught.stderr}")
    further = cell.metadata.get("states", ()) if states else ()
    return list(_outputs(caught.stdout, result.result, further))


def _outputs(printed, result, further):
    if printed:
        yield Shown("text", printed)
    if result is None:
        return
    if hasattr(result, "controls"):
        drawn = tuple(_states(result, further))
        yield Shown("picture", words(drawn[0][1]), drawn)
    elif isinstance(result, hv.core.Dimensioned):
        markup = layout_picture.picture(hv.render(result, backend="bokeh"))
        yield Shown("picture", words(markup), (("", markup),))
    elif hasattr(result, "_repr_html_"):
        yield Shown("table", str(result), (("", result._repr_html_()),))
    else:
        yield Shown("text", f"{result!r}\n")


def _states(view, further):
    """The pictures of a live page: as it opens, and at each of the further settings."""
    names = list(dict.fromkeys(name for state in further for name in state))
    first = {name: getattr(view.controls, name) for name in names}
    for state in ({}, *further):
        view.controls.update(**(first | state))
        moved = list(state) or (names if len(names) <= _FEW else ())
        said = _LINK.sub("", f'<div class="said">{view.page.state.words}</div>')
        yield _label(view, moved), _drawn(view) + said
    view.controls.update(**first)


def _drawn(view):
    """The main figure; of a page without one, the parts that the server draws."""
    if view.page.figures():
        return layout_picture.picture(view.figure)
    view.table()  # Everything is computed.
    sheet, parts = inside(CARDS + view.page.spec.sheet), "".join(view.page.shown.sections.values())
    return f"<style>{sheet}</style><div class='board'>{parts}</div>"


def _label(view, names):
    if not names:
        return "as it opens"
    parts: list[Any] = [view.page.source(name).param[name] for name in names]
    return ", ".join(
        f"{parameter.label or name}: {setting_text(parameter, getattr(view.controls, name))}"
        for name, parameter in zip(names, parts, strict=True)
    )


def words(markup: str) -> str:
    """The text of HTML: labels, ticks and legends of a picture."""
    return " ".join(unescape(_TAG.sub(" ", markup)).split())


def switchable(name: str, shown: Shown) -> str:
    """The pictures of an output as HTML: one, or several with a button each, which needs no script."""
    if len(shown.states) == 1:
        return shown.states[0][1]
    buttons = "".join(
        f'<input type="radio" name="{name}" id="{name}-{i}"{"" if i else " checked"}>'
        f'<label for="{name}-{i}">{escape(label)}</label>'
        for i, (label, _) in enumerate(shown.states)
    )
    pictures = "".join(f'<div class="state">{markup}</div>' for _, markup in shown.states)
    note = "<p class='note'>Pictures of a live page: run the notebook to move every control.</p>"
    return f'<div class="states" role="group" aria-label="States">{buttons}{pictures}{note}</div>'
