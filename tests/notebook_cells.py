"""What runs a notebook's cells in IPython. A process imports this once, and each notebook runs in a copy of it."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

# Every notebook's imports, so that a copy of this process has them already.
import core.sweep  # noqa: F401
import dashboard.plots  # noqa: F401
import data  # noqa: F401


def run(path: str, answer) -> None:
    """Run the code cells of a notebook in its folder; answer with the number of pictures and tables, or the fault."""
    os.chdir(Path(path).parent)
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    shown = 0
    for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type != "code":
            continue
        with capture_output() as caught:
            result = shell.run_cell(cell.source)
        shown += len(caught.outputs) + (result.result is not None)
        if not result.success or caught.stderr:
            fault = result.error_before_exec or result.error_in_exec or caught.stderr
            answer.send((shown, f"cell {number}: {type(fault).__name__}: {fault}\n{cell.source}"))
            return
    answer.send((shown, ""))
