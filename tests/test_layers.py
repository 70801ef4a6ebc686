"""Who may import whom: dashboard → core, data; core and data know neither each other nor the screen."""

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCREEN = {"panel", "panel_material_ui", "param", "holoviews", "bokeh", "dashboard"}
FORBIDDEN = {
    "core": SCREEN | {"data"},
    "data": SCREEN | {"core"},
    "dashboard": {"tests", "notebooks"},
}
# Outside numpy and scipy, core knows only these, each in one module.
ALONE = {"pandas": {"core/sweep/runs.py"}, "sklearn": {"core/topics/variational.py"}}


def modules(package):
    return sorted((ROOT / package).rglob("*.py"))


def imported(path):
    """Names of all modules that a file imports, with the package's own ones in full."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import loads a second copy under the server"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("package", FORBIDDEN)
def test_no_package_imports_what_it_may_not_know(package):
    for path in modules(package):
        roots = {name.split(".")[0] for name in imported(path)}
        assert not roots & FORBIDDEN[package], path


@pytest.mark.parametrize("library", ALONE)
def test_some_libraries_stay_in_one_room_of_core(library):
    users = {
        str(p.relative_to(ROOT))
        for p in modules("core")
        if any(n.split(".")[0] == library for n in imported(p))
    }
    assert users <= ALONE[library]


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("package", ("core", "data", "dashboard"))
def test_imports_have_no_circles(package):
    known = {name_of(path): path for path in modules(package)}
    gathers = {name for name, path in known.items() if path.name == "__init__.py"}
    graph = {}
    for name, path in known.items():
        found = set(imported(path)) & known.keys() - {package, name}
        # `from core.privacy import Privacy` asks the package for a name; the package's modules lie below it.
        graph[name] = {d for d in found if not (d in gathers and name.startswith(f"{d}."))}
    assert len(list(graphlib.TopologicalSorter(graph).static_order())) >= len(known)


def test_the_schemes_know_no_problem():
    below = {"check", "privacy", "noise", "tensors", "schemes", "secure_sum"}
    for folder in ("privacy", "schemes", "secure_sum"):
        for path in (ROOT / "core" / folder).rglob("*.py"):
            found = {n.split(".")[1] for n in imported(path) if n.startswith("core.")}
            known = {n for n in found if (ROOT / "core" / f"{n}.py").exists() or (ROOT / "core" / n).is_dir()}
            assert known <= below, path


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


# From the top: a package of the dashboard imports those of later rows alone.
FLOORS = (
    ("session",),
    ("pages",),
    ("shell",),
    ("page",),
    ("problems", "reproduce"),
    ("own_table",),
    ("plotting", "components"),
    ("state", "compat"),
    ("theme",),
)


def test_arrows_of_the_dashboard_go_down():
    floor = {package: i for i, packages in enumerate(FLOORS) for package in packages}
    known = {name_of(path) for path in modules("dashboard")}
    for path in modules("dashboard"):
        package = path.relative_to(ROOT / "dashboard").parts[0]
        for name in set(imported(path)) & known if package in floor else ():
            other = name.split(".")[1] if "." in name else package
            assert other == package or floor[package] < floor.get(other, 0), f"{path} imports {name}"


def test_a_page_imports_no_other_page():
    pages = ROOT / "dashboard" / "pages"
    for path in modules("dashboard/pages"):
        place = path.relative_to(pages).parts
        for name in imported(path) if len(place) > 2 else ():
            parts = tuple(name.split(".")[2:4])
            foreign = name.startswith("dashboard.pages.") and len(parts) == 2 and parts != place[:2]
            assert not foreign, f"{path} imports {name}"
