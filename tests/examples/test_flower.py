"""Plans carried out in Flower, in an environment of its own: the results are those of `release` and `core.sweep`."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import laws
import numpy as np
import pytest

from core import pca, sweep
from core.parties import Plan

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "examples" / "flower")]
import digits  # noqa: E402
import records  # noqa: E402

PYTHON = os.environ.get("FLOWER_PYTHON") or (sys.executable if importlib.util.find_spec("flwr") else None)
needs_flower = pytest.mark.skipif(
    PYTHON is None,
    reason="Flower is not installed: FLOWER_PYTHON names the Python of an environment made from "
    "examples/flower/requirements.txt",
)
REPEATS, K = 8, 10


def carried_out(folder, *mode):
    """Everything that Flower released of the plans of a folder."""
    command = [PYTHON, str(ROOT / "examples/flower/run.py"), str(folder), *mode]
    subprocess.run(command, check=True, timeout=900, capture_output=True)
    return [np.load(path) for path in sorted(folder.glob("plan-*.npz"))]


@pytest.fixture(scope="module")
def moments():
    return pca.second_moments(digits.sites())


def test_the_plan_and_the_files_of_the_digits_belong_together(tmp_path, moments):
    digits.write(tmp_path, 2)
    first, second = (Plan.read((tmp_path / f"plan-{r}.json").read_bytes()) for r in range(2))
    assert first.form == "secure" and first.id != second.id
    own = first.statistic.of(records.read(tmp_path / "site-3.csv"))
    assert np.allclose(own, moments[3], rtol=0, atol=1e-15)


@needs_flower
def test_the_simulation_releases_what_release_does(tmp_path, moments):
    digits.write(tmp_path, REPEATS)
    plan = digits.plan(1.0, "0")
    released = carried_out(tmp_path)
    assert len(released) == REPEATS
    truth, std = moments.mean(axis=0), plan.stated().std
    upper = np.triu_indices(64)
    noise = np.concatenate([((found["value"] - truth) / std)[upper] for found in released])
    laws.assert_normal(noise, 1.0)  # 16,640 numbers; the law of `release`, false-alarm rate 1e-4.
    assert all(np.array_equal(found["std"], std) for found in released)

    energies = [pca.captured_energy(records.components(plan, found["value"], K), truth) for found in released]
    problem = pca.Problem(digits.tables.load, data_settings=tuple(digits.SETTINGS))
    cell = digits.SETTINGS | {"epsilon": 1.0, "delta": 1e-5, "k": K}
    swept = sweep.run(problem, [cell], schemes=("cape",), repeats=100, seed=1)["energy"].to_numpy()
    error = np.hypot(np.std(energies, ddof=1) / np.sqrt(REPEATS), swept.std(ddof=1) / 10)
    assert (
        abs(np.mean(energies) - swept.mean()) < 3 * error
    )  # False alarm about 2 % (t with 7 degrees of freedom).


@needs_flower
def test_processes_of_this_machine_release_it_too(tmp_path, moments):
    digits.write(tmp_path, 1)
    (found,) = carried_out(tmp_path, "processes")
    noise = (found["value"] - moments.mean(axis=0)) / digits.plan(1.0, "0").stated().std
    laws.assert_normal(noise[np.triu_indices(64)], 1.0)  # False-alarm rate 1e-4.
    took = json.loads((tmp_path / "plan-0.took").read_text())
    # The statistic goes twice each way: for T, and for the average. Flower's own averaging sends it once each way.
    sent, averaging = took["bytes"], took["bytes of FedAvg"]
    assert 1.9 < sent / averaging < 2.3


def test_a_file_that_begins_with_a_record_is_refused(tmp_path):
    """Its first record would be taken for the names of its columns."""
    file = tmp_path / "site.csv"
    np.savetxt(file, np.ones((5, 2)), delimiter=",")
    with pytest.raises(ValueError, match="first line"):
        records.read(file)
    file.write_text("a,1\n" + file.read_text())
    assert records.read(file).shape == (5, 2)
