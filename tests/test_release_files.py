"""Citation, badges, changelog, constraints and issue forms agree with the project."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from sheets import ProtocolPage

from dashboard.state.controls import Controls

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = SETTINGS["project"]


def test_the_citation_is_of_this_version_and_of_the_papers_that_core_names():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0" and citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    released = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released.groups() == (PROJECT["version"], str(citation["date-released"]))
    papers = (ROOT / "core" / "README.md").read_text()
    for paper in citation["references"]:
        (preprint,) = (found["value"] for found in paper["identifiers"] if found["type"] == "other")
        number = preprint.removeprefix("arXiv:")
        assert f"[{preprint}](https://arxiv.org/abs/{number})" in papers
        names = {found["value"] for found in paper["identifiers"] if found["type"] == "doi"}
        assert f"10.48550/arXiv.{number}" in names
        assert all(f"https://doi.org/{name}" in papers for name in names if not name.startswith("10.48550/"))
    assert PROJECT["version"] in (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("version", PROJECT["version"]),
        ("licence", PROJECT["license"]),
        ("python", "3.11 | 3.12 | 3.13"),
    ],
)
def test_a_badge_is_a_file_and_true(name, text):
    badge = (ROOT / "docs" / "badges" / f"{name}.svg").read_text()
    assert f">{text}</text>" in badge and f"docs/badges/{name}.svg" in (ROOT / "README.md").read_text()
    assert PROJECT["requires-python"] == ">=3.11"


def test_the_constraints_allow_what_the_project_requires_and_name_no_address():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    for text in PROJECT["dependencies"]:
        required = Requirement(text)
        assert pinned[required.name] in required.specifier
    assert not any(re.search(r"://|^-", line) for line in lines)
    container = (ROOT / "Containerfile").read_text()
    assert "constraints.txt" in container
    # Without a proxy in front anybody could claim an address, and try passwords from many.
    (options,) = re.findall(r"^ENTRYPOINT (\[[^]]*\])", container, re.MULTILINE)
    assert "--use-xheaders" not in json.loads(options.replace("\\\n", ""))
    assert "!constraints.txt" in (ROOT / ".dockerignore").read_text()


def test_the_wheel_takes_every_file_of_the_packages():
    for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items():
        folder = ROOT / package
        there = {p for p in folder.rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc", ".md")}
        taken = {p for pattern in patterns for p in folder.glob(pattern)}
        assert there and there <= taken
    module, _, function = PROJECT["scripts"]["cape-lab"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_issue_forms_can_be_read_and_ask_something():
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]
    assert len(forms) == 2
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert {"name", "description", "body"} <= set(form)
        assert any(part.get("validations", {}).get("required") for part in form["body"])


def test_the_moving_picture_of_the_readme_shows_the_run_that_protocol_plays_first():
    spec = importlib.util.spec_from_file_location("protocol_picture", ROOT / "docs" / "protocol_picture.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    stored = (ROOT / "docs" / "protocol.svg").read_text(encoding="utf-8")
    assert stored == program.picture(), "write it again with docs/protocol_picture.py"
    assert "prefers-reduced-motion" in stored and "prefers-color-scheme" in stored and len(stored) < 300_000
    assert "docs/protocol.svg" in (ROOT / "README.md").read_text()
    page = ProtocolPage(Controls(**ProtocolPage.opens))
    assert page.controls.sites == program.SITES
    run = page.compute().run
    for number in (*run.values, *run.messages, run.average, run.conventional):
        assert f'data-value="{float(number)!r}"' in stored
