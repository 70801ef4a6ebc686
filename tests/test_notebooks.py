"""Every notebook runs without an error or a warning, shows what is stored in it, and has something to move."""

from __future__ import annotations

import ast
from pathlib import Path

import notebook_cells
import notebook_pictures
import pytest

nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = notebook_cells.NOTEBOOKS
LIMIT = 300  # Seconds that a busy machine may take for one.
LONGEST = 1200  # Words that a reader takes in within ten minutes, beside the code.
SOON = ("01", "03")  # Those that take two seconds; the others, up to ten, run with --slow.
by_name = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path):
    return nbformat.read(path, as_version=4)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_the_notebooks_of_the_readers_path_are_there():
    assert [path.stem[:2] for path in NOTEBOOKS] == [f"{number:02d}" for number in range(14)]


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] * (path.stem[:2] not in SOON)) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_a_notebook_runs_and_shows_what_is_stored_in_it(path):
    notebook = read(path)
    shown = notebook_cells.run(str(path), limit=LIMIT)
    assert sum(output.kind == "picture" for cell in shown for output in cell) > 1
    stale = notebook_pictures.differences(notebook, shown)
    assert not stale, f"run `python docs/notebook_pictures.py {path.stem[:2]}`: " + "\n".join(stale)


@by_name
def test_a_notebook_is_short_moves_and_checks_its_answers(path):
    notebook = read(path)
    first, *rest = code(notebook)
    assert 'hv.extension("bokeh", inline=True' in first.source
    assert any("explore(" in cell.source for cell in rest)
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "**Try:**" in text and "**Exercise" in text
    assert len(text.split()) <= LONGEST
    answers = [cell for cell in rest if "answer" in cell.metadata.get("tags", ())]
    assert answers and all("assert " in cell.source for cell in answers)
    assert all(cell.metadata.jupyter.source_hidden for cell in answers)


@by_name
def test_stored_pictures_are_small_and_need_no_script(path):
    assert path.stat().st_size <= notebook_pictures.LARGEST
    outputs = [output for cell in code(read(path)) for output in cell.outputs]
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert "image/png" in kinds and kinds <= {"image/png", "text/html", "text/plain"}
    assert "<script" not in path.read_text(encoding="utf-8")


def test_further_states_of_live_pages_are_settings_that_these_pages_have():
    from dashboard import explore
    from dashboard.packs.notebook.explorer.settings import checked

    seen = 0
    for path in NOTEBOOKS:
        for cell in code(read(path)):
            states = cell.metadata.get("states", [])
            if states:
                assert len(states) == 3
                call = next(
                    n
                    for n in ast.walk(ast.parse(cell.source))
                    if getattr(getattr(n, "func", 0), "id", "") == "explore"
                )
                page = explore(call.args[0].value).page
                for state in states:
                    assert checked(page, state)
                seen += 1
    assert seen >= 11


def test_changed_code_and_changed_outputs_are_stale():
    notebook = read(NOTEBOOKS[1])
    shown = [
        [
            notebook_cells.Shown("text", o.text) if o.output_type == "stream" else _picture(o)
            for o in cell.outputs
        ]
        for cell in code(notebook)
    ]
    assert notebook_pictures.differences(notebook, shown) == []
    moved = [
        [notebook_cells.Shown(o.kind, o.text.replace("exact", "other"), o.states) for o in c] for c in shown
    ]
    assert len(notebook_pictures.differences(notebook, moved)) == 1
    code(notebook)[1].source += "\n# changed"
    assert "code" in notebook_pictures.differences(notebook, shown)[0]


def _picture(output):
    return notebook_cells.Shown("picture", "", (("", output.metadata.words),))


@pytest.mark.slow
def test_a_notebook_runs_in_a_kernel_of_its_own():
    nbclient = pytest.importorskip("nbclient", reason="the extra 'test' is not installed")
    notebook = read(NOTEBOOKS[0])
    client = nbclient.NotebookClient(
        notebook, timeout=LIMIT, resources={"metadata": {"path": str(ROOT / "notebooks")}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("text/html" in output.get("data", {}) for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    # Only the page brings its components along; a picture needs no script from elsewhere.
    picture = outputs[-1].data["text/html"]
    assert "Figure" in picture and "panel-material-ui.bundle" not in picture
