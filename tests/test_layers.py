"""Who may import whom: the contracts of pyproject.toml hold and see breaches; what they cannot say stands here."""

import ast
import functools
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "data", "dashboard")
SCREEN = {"panel", "panel_material_ui", "param", "holoviews", "bokeh", "dashboard"}
# Outside numpy and scipy, core knows only these, each in one module.
ALONE = {
    "pandas": {"core/sweep/runs.py"},
    "sklearn": {"core/topics/variational.py"},
    "pydantic": {"core/parties/plan_file.py"},
}
# Where an import is added, and which contract (its name starts so) must then be broken.
BREACHES = {
    "dashboard/pages/learn/protocol/drawing.py": (
        "from dashboard.pages.learn.protocol import page",
        "no package and no module is part of a circle",
    ),
    "dashboard/pages/learn/gain/model.py": (
        "from dashboard.pages.learn.protocol import model",
        "a page does not import another page",
    ),
    "dashboard/packs/trust/audit/looks.py": (
        "from dashboard.packs.consortium.limits import model",
        "a pack does not import another pack",
    ),
    "dashboard/session/app.py": (
        "def late():\n    from dashboard.packs.notebook import plots",
        "dashboard: ",
    ),
    "dashboard/state/seeds.py": ("from dashboard.page import link", "dashboard: "),
    "core/noise.py": ("from data import sites", "core knows neither data nor the screen"),
    "core/sweep/search.py": ("from core import pca", "core: "),
    "data/bounds.py": ("def late():\n    import param", "data knows the checks of core alone, and no screen"),
    "data/sites.py": ("from core import noise", "data knows the checks of core alone, and no screen"),
    "data/text/corpus.py": ("from data.catalogue import tables", "data: "),
}


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def imports(path):
    return [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Import | ast.ImportFrom)]


def imported(path):
    """Names of all modules that a file imports, or imports names of, and those names in full."""
    for node in imports(path):
        yield from (a.name for a in node.names) if isinstance(node, ast.Import) else [node.module]
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def linted(folder, **options):
    """What import-linter says of the checkout; in a process of its own, since it configures logging anew."""
    options |= {"config_filename": str(folder / "pyproject.toml"), "no_cache": True, "no_logo": True}
    code = f"import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(**{options!r}))"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_the_contracts_hold():
    done = linted(ROOT)
    assert done.returncode == 0 and "8 kept" in done.stdout, done.stdout + done.stderr


def test_names_for_annotations_come_from_below_or_beside(tmp_path):
    # What only a type checker imports may close a circle within a package, but not reach up.
    text = (ROOT / "pyproject.toml").read_text()
    option = "exclude_type_checking_imports = "
    assert f"{option}true" in text
    (tmp_path / "pyproject.toml").write_text(text.replace(f"{option}true", f"{option}false"))
    contracts = ("core", "data", "core-layers", "data-layers", "dashboard-layers", "pages", "packs")
    done = linted(tmp_path, limit_to_contracts=contracts)
    assert done.returncode == 0 and "7 kept" in done.stdout, done.stdout + done.stderr


def test_every_contract_sees_a_breach(tmp_path):
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path, (line, _) in BREACHES.items():
        with (tmp_path / path).open("a") as file:
            file.write(f"\n{line}\n")
    code = "from importlinter.cli import lint_imports; lint_imports(no_cache=True, no_logo=True)"
    report = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    lines = [re.sub(r" \(\d+ ignored.*", "", line.strip()) for line in report.splitlines()]
    broken = [line for line in lines if line.endswith("BROKEN")]
    for _, contract in BREACHES.values():
        assert any(line.startswith(contract) for line in broken), report
    assert not any(line.endswith("KEPT") for line in lines), report


@pytest.mark.parametrize("package", PACKAGES)
def test_no_import_is_relative(package):
    # A relative import loads a second copy under the server.
    for path in modules(package):
        assert not any(getattr(node, "level", 0) for node in imports(path)), path


def test_no_module_asks_its_package_for_what_the_package_asks_of_it():
    # Contracts see circles between modules side by side, not one of a module and the package that holds it.
    known = {name_of(path): path for package in PACKAGES for path in modules(package)}
    for name, path in known.items():
        home = name.rpartition(".")[0]
        if home in PACKAGES or home not in known or name not in imported(known[home]):
            continue
        for node in imports(path):
            if isinstance(node, ast.ImportFrom) and node.module == home:
                assert all(f"{home}.{alias.name}" in known for alias in node.names), path


@pytest.mark.parametrize("library", ALONE)
def test_some_libraries_stay_in_one_room_of_core(library):
    users = {
        str(p.relative_to(ROOT))
        for p in modules("core")
        if any(n.split(".")[0] == library for n in imported(p))
    }
    assert users <= ALONE[library]


def test_core_imports_without_the_screen_or_scikit_learn():
    code = "import sys, core.schemes, core.pca; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert not set(loaded.split()) & (SCREEN | {"sklearn"})


def test_no_file_of_the_dashboard_shadows_a_module():
    # `panel serve dashboard` puts the folder first on the path.
    taken = set(sys.stdlib_module_names) | {
        "core",
        "data",
        "param",
        "panel",
        "bokeh",
        "numpy",
        "scipy",
        "pandas",
    }
    names = {path.stem for path in (ROOT / "dashboard").glob("*.py")} - {"__init__", "__main__"}
    names |= {
        path.name for path in (ROOT / "dashboard").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert not names & taken
