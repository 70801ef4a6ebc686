"""The study of docs/research.md runs as it is printed: a scheme of one's own, all cores, a cluster, a figure."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import nbformat
import numpy as np
import pytest

from core import pca, schemes, sweep

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "research.md").read_text(encoding="utf-8")
SCHEME, STUDY = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_study_is_short_and_its_scheme_is_that_of_the_notebook():
    assert len([line for line in STUDY.splitlines() if line.strip()]) <= 25
    notebook = nbformat.read(ROOT / "notebooks" / "11_write_your_own_scheme.ipynb", as_version=4)
    cell = next(cell.source for cell in notebook.cells if "def noise" in cell.source)
    assert cell in SCHEME
    assert len([line for line in cell.splitlines() if line.strip()]) <= 30


def test_its_problem_and_its_scheme_give_a_row_for_every_cell():
    """The printed cells of four sites, once, in this process."""
    pairs = types.ModuleType("pairs")
    exec(SCHEME, vars(pairs))
    printed = textwrap.dedent(re.search(r"    problem = .*?\n\n", STUDY, re.DOTALL)[0])
    small = printed.replace("[4, 20]", "4").replace('"repeats": 8', '"repeats": 1')
    names = {"pca": pca, "sweep": sweep, "pairs": pairs}
    try:
        exec(small, names)
        rows = sweep.run(names["problem"], names["cells"], **names["study"])
    finally:
        schemes.unregister("pairs")
    shown = rows.groupby("scheme").size().to_dict()
    assert '"repeats": 1' in small and set(shown) == set(names["study"]["schemes"])
    assert all(count == len(names["cells"]) for scheme, count in shown.items() if scheme != "nonprivate")
    assert np.isfinite(rows["variance"]).all()


@pytest.mark.slow
def test_the_study_runs_as_it_is_printed(tmp_path):
    pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
    pytest.importorskip("matplotlib", reason="the extra 'notebooks' is not installed")
    (tmp_path / "pairs.py").write_text(SCHEME, encoding="utf-8")
    (tmp_path / "study.py").write_text(STUDY, encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    environment.pop("CAPE_LAB_WORKERS", None)
    done = subprocess.run(
        [sys.executable, "study.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
