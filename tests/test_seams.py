"""What an import brings along: `core` without cryptography, a page without the others, foreign packages named."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# None of these is needed before it is used; each takes longer to import than all of `core`.
LATE = ("cryptography", "pandas", "sklearn", "scipy.optimize", "scipy.special", "scipy.sparse", "scipy.stats")


def python(code, *, path=(ROOT,), folder=ROOT):
    """What a program prints, with these folders first on its path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_releasing_an_average_imports_numpy_and_little_else():
    code = f"import sys; from core import release; print([m for m in {LATE} if m in sys.modules])"
    done = python(code)
    assert done.stdout.strip() == "[]", done.stderr


def test_core_works_without_cryptography_until_masks_are_drawn():
    code = """
import sys
sys.modules["cryptography"] = None
import numpy as np
from core import SCHEMES, Privacy, audit, cape, moments, pca, release, secure_sum
for scheme in SCHEMES:
    drawn = release(np.zeros(4), 0.1, Privacy(1.0, 1e-5), scheme=scheme, rng=np.random.default_rng(0))
    assert drawn.std >= 0
try:
    secure_sum.secure_sum(np.zeros((4, 2)), clip=1.0)
except ModuleNotFoundError as error:
    print(error)
"""
    done = python(code)
    assert "cryptography" in done.stdout, done.stderr


@pytest.mark.slow
def test_the_first_page_is_opened_without_the_modules_of_the_others_and_without_a_file():
    # As a converted page runs it: the script of the app has no `__file__`, and no server holds the session.
    code = """
import sys
from pathlib import Path
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc
document = Document()
with patch_curdoc(document):
    exec(compile(Path("dashboard/main.py").read_text(), "main", "exec"), {"__name__": "main"})
def opened():
    return sorted(m for m in sys.modules if m.startswith(("dashboard.pages.", "dashboard.packs.")) and m.endswith(".page"))
print("could not" in document.title, opened(), "dashboard.algorithms.pca.comparison" in sys.modules)
from dashboard.session.app import App
app = App({"page": "gain"})
print(opened(), app.browser.served)
"""
    lines = python(code).stdout.splitlines()
    assert lines[0] == "False [] True"
    assert lines[1] == "['dashboard.pages.learn.gain.page'] False"


def test_every_entry_of_the_navigation_opens_the_page_of_its_name():
    from dashboard.pages import LISTED, PAGES

    assert len(LISTED) == len(PAGES) > 15
    for entry, kind in zip(LISTED, PAGES, strict=True):
        assert (kind.name, kind.group) == (entry.name, entry.group) and not bool(kind.facts.error)
        assert bool(kind.steps) == entry.steps


@pytest.mark.parametrize(("name", "kind"), [("core", "package"), ("data", "module")])
def test_a_foreign_package_in_the_way_is_named(tmp_path, name, kind):
    place = tmp_path / f"{name}.py" if kind == "module" else tmp_path / name / "__init__.py"
    place.parent.mkdir(exist_ok=True)
    place.write_text("")
    code = "import sys; sys.argv[1:] = ['--no-show']; from dashboard.__main__ import main; sys.exit(main())"
    done = python(code, path=(tmp_path, ROOT), folder=tmp_path)
    assert done.returncode == 1
    assert f"package '{name}' in {ROOT / name}" in done.stderr and str(place) in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_of_a_server_names_it_too(tmp_path):
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("")
    code = f"""
from pathlib import Path
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc
document = Document()
with patch_curdoc(document):
    exec(compile(Path("{ROOT}/dashboard/main.py").read_text(), "main", "exec"), {{"__name__": "main"}})
print(document.roots[0].text)
"""
    done = python(code, path=(tmp_path, ROOT), folder=tmp_path)
    assert "could not" in done.stdout and str(tmp_path / "core") in done.stdout
