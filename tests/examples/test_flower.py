"""Flower as a pipe between desks, in an environment of its own, with TLS and authenticated nodes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from desk_processes import programs, wait_for
from desks import Consortium

from core.desk import receipt
from core.desk.result import std_of

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("FLOWER_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PYTHON is None,
        reason="FLOWER_PYTHON must name the Python of an environment made from examples/flower/requirements.txt",
    ),
]


def carried(consortium, *, desks, options=()):
    """Carry a plan out over Flower with these desks; returns what it took."""
    root, plan = consortium.root, consortium.root / "plan.json"
    plan.write_text(consortium.plan.text())
    commands = [["site", "run", consortium.folder(s), "--socket", root / f"site-{s}.sock"] for s in desks]
    commands.append(["aggregate", plan, root / "centre", "--socket", root / "centre.sock"])
    with programs(commands):
        wait_for([root / f"site-{s}.sock" for s in desks] + [root / "centre.sock"])
        run = [PYTHON, str(ROOT / "examples/flower/run.py"), str(root), *options]
        subprocess.run(run, check=True, timeout=1200, capture_output=True)
    return json.loads((root / "centre.took").read_text())


def test_three_desks_release_over_flower(tmp_path):
    consortium = Consortium(tmp_path, sites=3, dropouts=0).agree()
    took = carried(consortium, desks=range(3))
    centre = consortium.centre()
    assert took["done"] and centre.enough and len(centre.receipt["release"]["signatures"]) == 4
    assert abs(float(centre.value[0]) - consortium.truth(range(3))) < 6 * std_of(consortium.plan)
    assert 20_000 < took["bytes"] < 60_000


def test_a_site_that_is_silent_over_flower_is_named(tmp_path):
    """It has no node; somebody says `--close`, no timer alone."""
    consortium = Consortium(tmp_path, sites=4, dropouts=1).agree()
    took = carried(consortium, desks=range(3), options=["--close"])
    centre = consortium.centre()
    assert took["done"] and np.isfinite(centre.value).all()
    assert receipt.verified(centre.receipt["release"]).predicate["dropped"] == ["h3"]
