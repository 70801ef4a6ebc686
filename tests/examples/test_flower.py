"""Flower as a pipe between desks, in an environment of its own, with TLS and authenticated nodes."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import laws
import numpy as np
import pytest
from desk_processes import programs, wait_for
from desks import CEILING, Consortium

from core import Privacy
from core.desk import receipt
from core.desk.result import rows_of, std_of
from core.parties import Column, Statistic

ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("FLOWER_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        PYTHON is None,
        reason="FLOWER_PYTHON must name the Python of an environment made from examples/flower/requirements.txt",
    ),
]
STAY = Column("stay", "days", 0.0, 50.0, bins=8)
AGE, WEIGHT = Column("age", "years", 0.0, 100.0), Column("weight", "kg", 40.0, 90.0)


def flower(root, *options):
    """Run an app over Flower among the sockets of a folder; returns what it took."""
    run = [PYTHON, str(ROOT / "examples/flower/run.py"), str(root), *options]
    subprocess.run(run, check=True, timeout=1200, capture_output=True)
    return json.loads((root / "centre.took").read_text())


def carried(consortium, *, desks, options=(), stopped=()):
    """Carry a plan out over Flower with these desks; those in `stopped` end when the aggregator has their packets."""
    root, plan = consortium.root, consortium.root / "plan.json"
    plan.write_text(consortium.plan.text())
    for left in root.glob("*.sock"):
        left.unlink()
    commands = [["site", "run", consortium.folder(s), "--socket", root / f"site-{s}.sock"] for s in desks]
    commands.append(["aggregate", plan, root / "centre", "--socket", root / "centre.sock"])
    with programs(commands) as started:
        wait_for([root / f"site-{s}.sock" for s in desks] + [root / "centre.sock"])
        watch = threading.Thread(target=stop_after_packets, args=(consortium, started, stopped), daemon=True)
        watch.start()
        took = flower(root, *options)
        if stopped:
            watch.join(1)
            assert not watch.is_alive()
    print(took)  # `-s` shows seconds and bytes.
    return took


def stop_after_packets(consortium, started, stopped):
    """Stop desks as soon as the aggregator holds all packets of the round."""
    state = consortium.centre().place / "state"
    while not (state.exists() and len(json.loads(state.read_bytes())["spent"]) == len(started) - 1):
        time.sleep(0.02)
    for s in stopped:
        started[s].kill()
        started[s].wait(20)


def said(consortium):
    """What the receipt says, and names of the sites that have signed."""
    found = receipt.verified(consortium.centre().receipt["release"])
    names = {key: name for name, key in consortium.plan.keys}
    return found.predicate, {names[key] for key in found.signed}


def spent(consortium):
    return [consortium.desk(s).ledger.has(consortium.plan.id, "1") for s in range(len(consortium.tables))]


def test_five_nodes_one_of_which_drops_out(tmp_path):
    """It has no node; somebody says `--close`, no timer alone. The release is one without it, at the planned guarantee."""
    consortium = Consortium(tmp_path).agree()
    took = carried(consortium, desks=range(4), options=["--close"])
    value, (about, signed) = float(consortium.centre().value[0]), said(consortium)
    assert took["done"] and about["dropped"] == ["h4"] and signed == {"h0", "h1", "h2", "h3", "aggregator"}
    assert abs(value - consortium.truth(range(4))) < 6 * std_of(consortium.plan, ["h4"])
    assert spent(consortium) == [True] * 4 + [False] and 30_000 < took["bytes"] < 100_000


def test_a_histogram_of_four_where_the_fifth_has_another_plan(tmp_path):
    """What it consented to says another note: its join is refused by name, and it is silent for the others."""
    consortium = Consortium(
        tmp_path, statistic=Statistic("shares", (8,), 0.0, 1.0), columns=(STAY,), tables=bins()
    )
    for s, table in enumerate(consortium.tables):
        consortium.desk(s).set_ceiling(**CEILING)
        plan = consortium.plan if s < 4 else replace(consortium.plan, note="another")
        consortium.desk(s).consent(plan, table)
    took = carried(consortium, desks=range(5), options=["--close"])
    (row,) = rows_of(consortium.plan, consortium.centre().value, ["h4"])
    truth = np.mean([x.mean(axis=0) for x in consortium.tables[:4]], axis=0)
    assert took["done"] and np.abs(row.values - truth).max() < 6 * row.std and len(row.labels) == 8
    assert said(consortium)[0]["dropped"] == ["h4"]
    assert "must belong to the plan" in took["refused"][0]


def bins(sites=5, count=300):
    """A one in the bin of each stay."""
    rng = np.random.default_rng(0)
    return [np.eye(8)[rng.integers(0, 8, count)] for _ in range(sites)]


def test_a_regression_where_a_desk_stops_after_its_packet_and_comes_back(tmp_path):
    """Its share of the unmasking is recovered. It goes on from its files later, with the same bytes, and signs."""
    moment = Statistic("regression", (3, 3), norm=1.0)
    tables, slope = regression(moment)
    consortium = Consortium(
        tmp_path, statistic=moment, columns=(AGE, WEIGHT), tables=tables, privacy=Privacy(1.9, 1e-5)
    ).agree()
    took = carried(consortium, desks=range(5), options=["--close"], stopped=[2])
    about, signed = said(consortium)
    assert took["done"] and about["dropped"] == [] and "h2" not in signed and len(signed) == 5
    assert spent(consortium) == [True] * 5
    rows = {row.name: row for row in rows_of(consortium.plan, consortium.centre().value)}
    assert abs(rows["age"].values[0] - slope) < 5.5 * rows["age"].std  # False alarm 4e-8.
    before = consortium.desk(2).ledger.head
    carried(consortium, desks=[2])
    assert "h2" in said(consortium)[1] and consortium.desk(2).ledger.head == before
    assert not list(consortium.folder(2).glob("plans/*/records.npy"))


def regression(statistic, sites=5, count=4000):
    """Records (1, age, weight) as a desk reads them from a file, and the true slope in kg per year."""
    rng, norm = np.random.default_rng(1), statistic.norm / np.sqrt(statistic.width)
    age = rng.uniform(20, 100, (sites, count))
    weight = np.clip(40 + 0.4 * age + rng.normal(0, 3, age.shape), 40, 90)
    scaled = np.stack([np.ones_like(age), age / 50 - 1, (weight - 65) / 25], axis=2) * norm
    return list(scaled), float(np.polyfit(age.ravel(), weight.ravel(), 1)[0])


def test_a_second_moment_of_many_columns(tmp_path):
    """64 × 64 numbers, as of digits of 8 × 8 pixels."""
    rng = np.random.default_rng(2)
    tables = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in rng.normal(size=(5, 300, 64))]
    moment = Statistic("second moment", (64, 64), norm=1.0)
    columns = tuple(Column(f"p{n}") for n in range(64))
    consortium = Consortium(tmp_path, statistic=moment, columns=columns, tables=tables, dropouts=0).agree()
    took = carried(consortium, desks=range(5))
    noise = consortium.centre().value - np.mean([moment.of(x) for x in tables], axis=0)
    assert took["done"] and len(said(consortium)[1]) == 6
    laws.assert_variance(noise, std_of(consortium.plan) ** 2)


def test_more_desks_stop_than_were_planned(tmp_path):
    """Nothing is unmasked; every site whose packet left has spent; the reason is said by name."""
    consortium = Consortium(tmp_path, sites=4).agree()
    took = carried(consortium, desks=range(4), options=["--close"], stopped=[1, 3])
    centre = consortium.centre()
    assert not took["done"] and centre.value is None and centre.receipt is None
    assert spent(consortium) == [True] * 4
    told = " ".join(took["refused"])
    assert "at least 3 sites must answer" in told and "not heard from: h1, h3" in told


@pytest.mark.parametrize("entries", [1, 8, 9, 4096])
def test_averaging_of_flower_itself(tmp_path, entries):
    """FedAvg of arrays of the same size over the same links: bytes and seconds beside those of a release."""
    for s in range(5):
        (tmp_path / f"site-{s}.sock").touch()
    app = ROOT / "tests/examples/fedavg"
    took = flower(tmp_path, "--app", str(app), "--config", f"entries={entries}")
    print(took)
    assert took["average"] == pytest.approx(2.0) and took["bytes"] > 80 * entries
