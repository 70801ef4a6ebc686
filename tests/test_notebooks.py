"""Every notebook runs from its first cell to its last, without an error or a warning; one of them in a kernel."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing import forkserver
from pathlib import Path

import notebook_cells
import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LIMIT = 300  # Seconds that a busy machine may take for one.


@pytest.fixture(scope="module")
def copies():
    """Processes that begin with everything imported: each notebook would import it for five seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["notebook_cells"])
    with pytest.MonkeyPatch.context() as patch:
        # The process that is copied imports before it is told where modules lie.
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
        forkserver.ensure_running()
    return context


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_without_an_error_or_a_warning(copies, path):
    ours, theirs = copies.Pipe()
    process = copies.Process(target=notebook_cells.run, args=(str(path), theirs))
    process.start()
    theirs.close()
    try:
        assert ours.poll(LIMIT), "it did not come to its end"
        shown, fault = ours.recv()
    finally:
        process.kill()
        process.join()
    assert fault == ""
    assert shown > 1


def test_a_notebook_runs_in_a_kernel_of_its_own():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient", reason="the extra 'test' is not installed")
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=LIMIT, resources={"metadata": {"path": str(ROOT / "notebooks")}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("text/html" in output.get("data", {}) for output in outputs)
