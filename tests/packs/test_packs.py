"""Packs: the base without one of them, or without any, and packs that installed packages bring, whole and broken."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "dashboard" / "packs"
PACKS = tuple(sorted(path.parent.name for path in HOME.glob("*/pack.toml")))
VISIT = Path(__file__).with_name("visit.py")
SMALLEST = ROOT / "tests" / "smallest_pack"


def pages_of(pack):
    file = HOME / pack / "navigation.toml"
    return set(tomllib.loads(file.read_text())) if file.is_file() else set()


def python(*command, path, folder):
    """What a program prints, with these folders first on its path; it must end well."""
    places = {"PYTHONPATH": os.pathsep.join(map(str, path)), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=folder,
        env=os.environ | places | {"CAPE_LAB_WORKERS": "threads"},
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def visit(*names, path, folder):
    return json.loads(python(VISIT, *names, path=path, folder=folder))


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Makes a tree of the product without some packs."""
    made = {}

    def tree(without):
        if without not in made:
            made[without] = tmp_path_factory.mktemp("tree")
            for name in ("core", "data", "dashboard"):
                left = shutil.ignore_patterns("__pycache__")
                shutil.copytree(ROOT / name, made[without] / name, ignore=left)
            for name in without:
                shutil.rmtree(made[without] / "dashboard" / "packs" / name)
        return made[without]

    return tree


# All at once is the strictest case; one after the other is the same code.
CASES = [PACKS, *((name,) for name in PACKS)]


@pytest.mark.parametrize(
    "without",
    [case if case == PACKS else pytest.param(case, marks=pytest.mark.slow) for case in CASES],
    ids=lambda case: "all" if len(case) > 1 else case[0],
)
def test_without_a_pack_every_page_that_is_left_opens_and_no_link_is_dead(copied, without):
    tree = copied(without)
    found = visit(path=(tree,), folder=tree)
    gone = set().union(*map(pages_of, without))
    whole = set(tomllib.loads((ROOT / "dashboard" / "navigation.toml").read_text())).union(
        *map(pages_of, PACKS)
    )
    assert set(found["listed"]) == set(found["opened"]) == whole - gone
    for name, page in found["opened"].items():
        assert page["shows"] == name and not page["broken"] and page["columns"], name
        assert set(page["links"]) <= whole - gone, name
    assert set(found["lecture"]["links"]) <= set(found["lecture"]["passed"]) <= whole - gone
    assert {"protocol", "gain", "guarantee", "pca", "topics"} <= set(found["lecture"]["links"])
    assert ("limits" in found["lecture"]["links"]) == ("consortium" not in without)
    assert found["opened"]["protocol"]["buttons"] == ([] if "classroom" in without else ["Class"])


def test_names_that_are_printed_say_which_pack_has_them(copied):
    tree = copied(PACKS)
    code = """
import contextlib, importlib, io, sys
from dashboard.__main__ import main
for name, of in (("explore", "dashboard"), ("plots", "dashboard"), ("plots", ""), ("reproduce", ""), ("handout", "")):
    try:
        exec(f"from {of} import {name}" if of else f"import dashboard.{name}")
    except ModuleNotFoundError as error:
        print(name, error)
for name in ("handout", "reproduce"):
    sys.argv[1:] = [name]
    with contextlib.redirect_stderr(io.StringIO()) as said:
        code = main()
    print(name, code, said.getvalue().strip())
"""
    lines = python("-c", code, path=(tree,), folder=tree).splitlines()
    packs = {"explore": "notebook", "plots": "notebook", "reproduce": "papers", "handout": "handout"}
    assert len(lines) == 7
    assert all(f"pack {packs[line.split()[0]]!r}" in line for line in lines)


def test_they_are_what_the_packs_have_and_no_second_copy():
    import dashboard.reproduce.experiments

    import dashboard
    import dashboard.plots
    from dashboard.packs.notebook import plots
    from dashboard.packs.notebook.explorer.explore import explore
    from dashboard.packs.papers.reproduce import experiments

    assert dashboard.explore is explore
    assert dashboard.plots is plots and sys.modules["dashboard.plots"] is plots
    assert sys.modules["dashboard.reproduce.experiments"] is experiments
    with pytest.raises(ModuleNotFoundError):
        import dashboard.reproduce.nothing
    with pytest.raises(AttributeError):
        dashboard.nothing  # noqa: B018


def test_the_base_names_no_page_of_a_pack():
    pages = "|".join(sorted(set().union(*map(pages_of, PACKS))))
    for path in (ROOT / "dashboard").rglob("*"):
        if path.suffix in (".py", ".toml", ".js", ".html") and HOME not in path.parents:
            assert not re.search(rf"\bpage=({pages})\b", path.read_text()), path


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_says_what_it_is_for(pack):
    assert 5 < len((HOME / pack / "README.md").read_text().splitlines()) < 20


def installed(site, name, package, **files):
    """Write an installed distribution with a pack, as pip leaves it; an empty one has the entry point alone."""
    facts = site / f"{name}_pack-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-pack\nVersion: 1.0\n")
    entry = re.sub(r"\d", "", name)  # Two distributions may have one name for their packs.
    (facts / "entry_points.txt").write_text(f"[cape_lab.packs]\n{entry} = {package}\n")
    for file, text in files.items():
        place = (
            site / package / file.replace("_toml", ".toml").replace("_py", ".py").replace("init", "__init__")
        )
        place.parent.mkdir(exist_ok=True)
        place.write_text(text)


@pytest.fixture
def site(tmp_path):
    """A folder of installed packages with the smallest pack."""
    shutil.copytree(SMALLEST / "smallest_pack", tmp_path / "site" / "smallest_pack")
    installed(tmp_path / "site", "smallest", "smallest_pack")
    return tmp_path / "site"


def test_an_installed_package_brings_a_page_and_its_links(site):
    found = visit("spread", "gain", path=(site, ROOT), folder=site)
    assert found["packs"]["smallest"] == "" and list(found["listed"])[-1] != "spread"
    page = found["opened"]["spread"]
    assert page["shows"] == "spread" and not page["broken"] and page["columns"] == 2
    assert "spread" in found["opened"]["gain"]["links"]


RUN = """
import asyncio, os
from core.sweep import workers
from dashboard.session.app import App
from smallest_pack.page import spread

async def opened():
    app = App({"page": "spread", "sites": "7"})
    while app.page.runs.state == "running":
        await asyncio.sleep(0.02)
    return app.page

if __name__ == "__main__":
    with workers.replaced(workers.make(1)) as made:
        page = asyncio.run(opened())
    print(page.runs.state, page.table()["std"].iloc[0], spread(page.plan))
"""


def check_workers(site, folder):
    """Its page is computed in a worker process, as in this one."""
    (folder / "run.py").write_text(RUN)
    state, there, here = python(folder / "run.py", path=(site, ROOT), folder=folder).split()
    assert state == "finished" and float(there) == float(here) > 0


def test_its_page_is_computed_in_worker_processes(site, tmp_path):
    check_workers(site, tmp_path)


@pytest.mark.slow
def test_so_does_one_that_pip_has_installed(tmp_path):
    shutil.copytree(SMALLEST, tmp_path / "source")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--target", tmp_path / "site"]
    python("-m", "pip", "install", *options, tmp_path / "source", path=(), folder=tmp_path)
    found = visit("spread", "gain", path=(tmp_path / "site", ROOT), folder=tmp_path)
    assert not found["opened"]["spread"]["broken"] and "spread" in found["opened"]["gain"]["links"]
    check_workers(tmp_path / "site", tmp_path)


PAGE = '[{name}]\ntitle = "A page"\ngroup = "Others"\nmodule = "{module}"\n'


def test_a_broken_pack_is_a_broken_page_and_all_others_go_on(site):
    installed(site, "absent", "no_such_package")
    installed(site, "raises", "raising_pack", init_py="1 / 0", pack_toml="")
    installed(site, "unread", "unread_pack", init_py="", pack_toml="routes = 5")
    installed(
        site, "unlisted", "unlisted_pack", init_py="", pack_toml="", navigation_toml="[odd]\ntitle = 3\n"
    )
    slides = "[dull]\nsettings = {}\n[[dull.slides]]\ntext = 'no title'\n"
    page = PAGE.format(name="dull", module="smallest_pack.page")
    installed(
        site, "slides", "slides_pack", init_py="", pack_toml="", navigation_toml=page, lecture_toml=slides
    )
    page = PAGE.format(name="fails", module="failing_pack")
    installed(site, "fails", "failing_pack", init_py="", pack_toml="", navigation_toml=page)
    page = PAGE.format(name="pca", module="smallest_pack.page")
    installed(site, "twice", "twice_pack", init_py="", pack_toml="", navigation_toml=page)
    installed(site, "consortium", "twice_pack")
    page = PAGE.format(name="tab", module="tab_pack.page") + 'tab_of = "no_such_page"\n'
    tab = "from smallest_pack.page import *\nfrom dataclasses import replace\nTAB = replace(SPREAD, name='tab')\n"
    installed(site, "tab", "tab_pack", init_py="", pack_toml="", navigation_toml=page, page_py=tab)
    late = "from smallest_pack.page import *\nfrom dataclasses import replace\n"
    late += "def no(*_): raise ZeroDivisionError\nLATE = replace(SPREAD, name='late', model=no)\n"
    page = PAGE.format(name="late", module="late_pack.page")
    installed(site, "late", "late_pack", init_py="", pack_toml="", navigation_toml=page, page_py=late)
    doors = "routes = ['nowhere:ROUTES']\nwarm = ['nowhere']\n"
    installed(site, "doors", "doors_pack", init_py="", pack_toml=doors)
    routes = "routes = ['routes_pack:NUMBER', 'routes_pack:PATTERN']"
    installed(site, "routes", "routes_pack", init_py="NUMBER, PATTERN = 5, [('(', object)]", pack_toml=routes)

    broken = ("absent", "raises", "unread", "unlisted", "slides", "fails", "twice-pca", "consortium", "late")
    found = visit(*broken, "pca", "spread", "plan", "tab", path=(site, ROOT), folder=site)
    for name in broken:
        assert found["opened"][name]["shows"] == name and found["opened"][name]["broken"], name
    for name in ("pca", "spread", "plan", "tab"):
        assert found["opened"][name]["shows"] == name and not found["opened"][name]["broken"], name
    code = "from dashboard import app_hooks\nfrom dashboard.session.warm import warm_up\nwarm_up()\nprint('warm')"
    assert python("-c", code, path=(site, ROOT), folder=site).strip() == "warm"
    assert found["listed"]["tab"] == "" and found["unknown"] == "pca"
