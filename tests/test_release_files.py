"""Citation, badges, changelog, constraints and issue forms agree with the project."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_citation_is_of_this_version_and_of_the_papers_that_core_names():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0" and citation["version"] == PROJECT["version"]
    assert citation["license"] == PROJECT["license"]
    released = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert released.groups() == (PROJECT["version"], str(citation["date-released"]))
    papers = (ROOT / "core" / "README.md").read_text()
    for paper in citation["references"]:
        (identifier,) = (found["value"] for found in paper["identifiers"])
        assert f"[{identifier}](https://arxiv.org/abs/{identifier.removeprefix('arXiv:')})" in papers
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
    assert "constraints.txt" in (ROOT / "Containerfile").read_text()
    assert "!constraints.txt" in (ROOT / ".dockerignore").read_text()


def test_issue_forms_can_be_read_and_ask_something():
    forms = [path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config"]
    assert len(forms) == 2
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert {"name", "description", "body"} <= set(form)
        assert any(part.get("validations", {}).get("required") for part in form["body"])
