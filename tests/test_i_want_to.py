"""docs/i-want-to.md: every function that it names is there, and its programs run as they are printed."""

from __future__ import annotations

import json
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

from core import Privacy, parties
from core.schemes import error_of_average
from dashboard import explore

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "i-want-to.md").read_text(encoding="utf-8")
NAMES = re.findall(r"`((?:core|data|dashboard)(?:\.\w+)+)", PAGE)
PROGRAMS = dict(re.findall(r"\n## ([^\n]*)\n.*?```python\n(.*?)```", PAGE, re.DOTALL))


# One interpreter runs them one after the other, each in a namespace of its own.
RUN = """
import contextlib, io, json, sys
found = {}
for name, program in json.load(sys.stdin).items():
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
    found[name] = out.getvalue().splitlines()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What every program prints, as its lines."""
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(PROGRAMS),
        cwd=tmp_path_factory.mktemp("programs"),
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers(line):
    return [float(found) for found in re.findall(r"\d+(?:\.\d+)?", line)]


def test_what_the_table_names_is_there():
    assert [name for name in sorted(set(NAMES)) if pydoc.locate(name) is None] == []


def test_the_table_is_whole():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    assert len(rows) >= 26 and len(PROGRAMS) == PAGE.count("```python") == 5
    assert all(f"`{name}" in PAGE for name in ("core.release", "data.upload.read", "dashboard.explore"))


def test_the_comparison_of_the_table_opens():
    call = re.search(r"`dashboard\.(explore\([^`]*\))`", PAGE)[1]
    assert "page=pca" in eval(call, {"explore": explore}).link()


def test_the_epsilon_of_an_average_is_the_least_that_suffices(printed):
    lines = printed["The ε that an average needs"]
    for scheme, line in zip(("pooled", "cape", "conventional"), lines, strict=True):
        (epsilon,) = numbers(line)
        errors = [
            error_of_average(scheme, sites=5, samples=200, privacy=Privacy(e, 1e-5))
            for e in (epsilon - 0.01, epsilon + 0.01)
        ]
        assert errors[1] < 0.01 < errors[0]


def test_a_measure_of_ones_own_falls_with_epsilon_and_cape_is_nearer(printed):
    rows = [numbers(line) for line in printed["A measure of my own"]]
    shown = [row[-1] for row in rows if row and 0 < row[-1] < 1]
    assert len(shown) == 6
    cape, conventional = shown[::2], shown[1::2]
    assert cape[0] > cape[1] > cape[2] and cape[2] < conventional[2]


def test_a_scheme_of_ones_own_has_twice_the_variance(printed):
    stds = {}
    for line in printed["A scheme of my own"]:
        stds[line.split(":")[0]], mu = numbers(line)
        assert mu > 0
    assert stds["double"] ** 2 / stds["conventional"] ** 2 == pytest.approx(2, rel=0.03)


def test_a_data_set_of_ones_own_is_divided_and_compared(printed):
    first, *table = printed["A data set of my own"]
    assert numbers(first)[1:] == [200, 200, 200]
    energies = [numbers(line)[-1] for line in table if "." in line]
    assert len(energies) == 6 and max(energies) == energies[2] == energies[5]


def test_parties_release_the_average_with_the_noise_of_the_plan(printed):
    plan = parties.plan_of(
        parties.Statistic("mean", (), 0.0, 1.0), [200, 300, 250], Privacy(1.0, 1e-5), scheme="cape"
    )
    said, released = printed["Parties that exchange messages"]
    value, std = numbers(released)
    assert numbers(said)[-1] == pytest.approx(plan.promise(0).aggregator, abs=1e-3)
    assert std == pytest.approx(plan.stated().std, abs=1e-4)
    # False alarms: 1 of 10⁹, the average without noise being within 0.04 of 1/2.
    assert abs(value - 0.5) < 0.04 + 6.1 * std
