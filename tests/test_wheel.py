"""The built wheel, unpacked elsewhere, holds all it needs and serves the app.

`tests/test_release_files.py` compares the files that a wheel takes with those that are there, without building one.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest
from conftest import free_port, wait_for

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow
BROKEN = "page could not"  # So begins what stands in the place of a page that fails.


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # From a copy: building in the checkout would leave files that a later wheel picks up.
    for name in ("core", "data", "dashboard"):
        shutil.copytree(ROOT / name, folder / "tree" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / "tree")
    source = str(folder / "tree")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        source,
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(folder),
    ]
    done = subprocess.run(build, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def environment(site):
    return {**os.environ, "PYTHONPATH": str(site)}


def test_it_ships_data_files_and_no_tests(unpacked):
    assert (unpacked / "data/published/figures.json").exists()
    assert (unpacked / "dashboard/static/favicon.svg").exists()
    assert all((unpacked / package / "py.typed").exists() for package in ("core", "data", "dashboard"))
    for kind in ("css", "js", "html", "toml"):
        files = {str(path.relative_to(ROOT)) for path in (ROOT / "dashboard").rglob(f"*.{kind}")}
        assert files and files == {
            str(path.relative_to(unpacked)) for path in (unpacked / "dashboard").rglob(f"*.{kind}")
        }
    (facts,) = unpacked.glob("*.dist-info")
    assert (facts / "licenses" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert "cape-lab = dashboard.__main__:main" in (facts / "entry_points.txt").read_text()
    assert {p.name for p in unpacked.iterdir() if p.suffix != ".dist-info"} == {"core", "data", "dashboard"}


def test_it_serves_the_app_from_another_folder(unpacked, tmp_path):
    port, log = free_port(), tmp_path / "log.txt"
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    address = f"http://127.0.0.1:{port}/dashboard"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment(unpacked), stdout=out, stderr=out)
    try:
        wait_for(address, server, log)
        with urllib.request.urlopen(address, timeout=60) as answer:
            page = answer.read().decode()
    finally:
        server.terminate()
        server.wait(10)
    assert "CAPE Lab" in page and BROKEN not in page


def test_it_opens_every_page_from_another_folder(unpacked, tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "packs" / "visit.py"],
        cwd=tmp_path,
        env=environment(unpacked) | {"CAPE_LAB_WORKERS": "threads"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)["opened"]
    assert len(found) > 15 and all(page["columns"] and not page["broken"] for page in found.values())


@pytest.mark.parametrize("command", ["handout", "reproduce"])
def test_its_one_command_has_the_others(unpacked, tmp_path, command):
    # As the script that pip writes for the entry point calls it.
    code = "import sys; from dashboard.__main__ import main; sys.exit(main())"
    more = ["--out", "lecture.html"] if command == "handout" else ["--list", "Fact-Fig2"]
    done = subprocess.run(
        [sys.executable, "-c", code, command, *more],
        cwd=tmp_path,
        env=environment(unpacked),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    if command == "handout":
        assert "Lab handout" in (tmp_path / "lecture.html").read_text(encoding="utf-8")
    else:
        assert "Fact-Fig2a" in done.stdout


def test_it_is_that_copy_that_is_imported(unpacked, tmp_path):
    code = "import core, data.published; print(core.__file__, len(data.published.figures()))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(unpacked),
        capture_output=True,
        text=True,
        check=True,
    )
    where, count = done.stdout.split()
    assert Path(where).is_relative_to(unpacked)
    assert int(count) >= 1
