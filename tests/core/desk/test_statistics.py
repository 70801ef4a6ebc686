"""Every statistic that is an average, from CSV files to rows with names and units."""

import csv
from dataclasses import replace
from pathlib import Path

import laws
import numpy as np
import pytest
from desks import Consortium

from core import Privacy, pca
from core.desk.agreement import Refused, checked_plan, summary_of
from core.desk.result import components_of, rows_of, std_of
from core.desk.table import records_of
from core.parties import Column, Plan, Statistic

AGE = Column("age", "years", 0.0, 100.0)
SMOKES = Column("smokes", "", categories=("yes",))
WARD = Column("ward", "", categories=("a", "b", "c"))
STAY = Column("stay", "days", 0.0, 50.0, bins=5)
COLUMNS = (AGE, SMOKES, WARD, STAY)
SUMMARIES = Statistic("summaries", (10,), parts=tuple(map(summary_of, COLUMNS)))
KINDS = {
    "mean": (Statistic("mean", (), 0.0, 100.0), (AGE,)),
    "proportion": (Statistic("mean", (1,), 0.0, 1.0), (SMOKES,)),
    "counts": (Statistic("shares", (3,), 0.0, 1.0), (WARD,)),
    "histogram": (Statistic("shares", (5,), 0.0, 1.0), (STAY,)),
    "several": (SUMMARIES, COLUMNS),
}
NAMES = ("age", "smokes", "ward", "stay", "weight")


def patients(count, rng):
    """Rows as a hospital has them; some lie outside the bounds."""
    age = rng.uniform(20, 105, count)
    return [
        (
            f"{a:.1f}",
            "yes" if rng.random() < 0.3 else "no",
            "abc"[int(rng.integers(3))],
            f"{rng.uniform(0, 55):.2f}",
            f"{40 + 0.4 * min(a, 100) + rng.normal(0, 3):.2f}",
        )
        for a in age
    ]


def files(folder, *, count=400, seed=0):
    """A CSV file for each of five sites, and all rows together."""
    rng, everything = np.random.default_rng(seed), []
    for s in range(5):
        rows = patients(count + 20 * s, rng)
        with (folder / f"{s}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([NAMES, *rows])
        everything += rows
    return everything


def consortium_of(tmp_path, statistic, columns, *, epsilon=1.0, **options):
    """Sites whose records are read from files by the plan's columns."""
    like = _like(statistic, columns)
    tables = [records_of(like, tmp_path / f"{s}.csv") for s in range(5)]
    return Consortium(
        tmp_path,
        statistic=statistic,
        columns=columns,
        tables=tables,
        privacy=Privacy(epsilon, 1e-5),
        **options,
    )


def _like(statistic, columns):
    from core.parties import plan_of

    return plan_of(
        statistic,
        [9, 9],
        Privacy(1, 1e-5),
        scheme="cape-after",
        noise="discrete",
        columns=columns,
        against="aggregator",
    )


@pytest.mark.parametrize("scheme", ["cape-after", "secure"])
@pytest.mark.parametrize("kind", KINDS)
def test_columns_come_out_in_their_units(tmp_path, kind, scheme):
    rows = files(tmp_path)
    consortium = consortium_of(tmp_path, *KINDS[kind], scheme=scheme).agree()
    assert Plan.read(consortium.plan.text().encode()) == consortium.plan
    found = {row.name: row for row in rows_of(consortium.plan, consortium.run().value)}
    wanted = {
        "age": [np.mean([min(float(row[0]), 100) for row in rows])],
        "smokes": [np.mean([row[1] == "yes" for row in rows])],
        "ward": [np.mean([row[2] == w for row in rows]) for w in "abc"],
        "stay": np.histogram([min(float(row[3]), 49.99) for row in rows], 5, (0, 50))[0] / len(rows),
    }
    assert {row.name for row in found.values()} == {column.name for column in KINDS[kind][1]}
    for name, row in found.items():
        # Five and a half standard deviations of the noise in up to ten numbers: false alarm 4e-7.
        assert np.abs(row.values - wanted[name]).max() < 5.5 * row.std, name
        assert row.std < 5 * (100 if name == "age" else 1) / len(rows) * np.sqrt(len(found)) * 2
    if "ward" in found:
        assert found["ward"].labels == ("a", "b", "c")
    if "stay" in found:
        assert (found["stay"].labels[0], found["stay"].unit) == ("0 to 10 days", "")
    if "age" in found:
        assert found["age"].unit == "years"


def test_a_regression_is_the_second_moment_of_constant_features_and_outcome(tmp_path):
    rows = files(tmp_path, count=4000)
    columns = (Column("age", "years", 0.0, 100.0), Column("weight", "kg", 40.0, 90.0))
    consortium = consortium_of(
        tmp_path, Statistic("regression", (3, 3), norm=1.0), columns, epsilon=1.9
    ).agree()
    centre = consortium.run()
    found = {row.name: row for row in rows_of(consortium.plan, centre.value)}
    x, y = (np.array([float(row[n]) for row in rows]) for n in (0, 4))
    slope, intercept = np.polyfit(np.minimum(x, 100), np.clip(y, 40, 90), 1)
    assert found["age"].unit == "kg per years" and found["intercept"].unit == "kg"
    # The noise of the entries, 3 · std each, over the features' variance of 0.2 on their scale; ten deviations are allowed.
    assert abs(slope - 0.4) < 0.02
    for name, true in (("age", slope), ("intercept", intercept)):
        # Its own standard deviation, to first order: false alarm 1e-7.
        assert abs(found[name].values[0] - true) < 5.5 * found[name].std, name
        assert found[name].std < {"age": 0.02, "intercept": 1.5}[name]


def test_the_interval_of_a_regression_is_that_of_its_noise(tmp_path):
    """Over 2,000 draws of the moment's noise; false alarm 1e-4, and 2/3 and 3/2 of the standard deviation are refused."""
    files(tmp_path, count=4000)
    columns = (Column("age", "years", 0.0, 100.0), Column("weight", "kg", 40.0, 90.0))
    moment = Statistic("regression", (3, 3), norm=1.0)
    consortium = consortium_of(tmp_path, moment, columns)
    truth = np.mean([moment.of(x) for x in consortium.tables], axis=0)
    rng, std = np.random.default_rng(4), std_of(consortium.plan)
    found = [rows_of(consortium.plan, truth + std * rng.normal(size=(3, 3))) for _ in range(2000)]
    for place, row in enumerate(rows_of(consortium.plan, truth)):
        values = np.array([rows[place].values[0] for rows in found])
        laws.assert_variance(values - values.mean(), row.std**2)


def test_a_regression_whose_noise_is_too_large_has_no_interval(tmp_path):
    """Of four to eighty-four records a site the noise may turn the features' moment over; of four thousand it does not."""
    files(tmp_path, count=4)
    columns = (Column("age", "years", 0.0, 100.0), Column("weight", "kg", 40.0, 90.0))
    moment = Statistic("regression", (3, 3), norm=1.0)
    consortium = consortium_of(tmp_path, moment, columns)
    truth = np.mean([moment.of(x) for x in consortium.tables], axis=0)
    assert [row.std for row in rows_of(consortium.plan, truth)] == [None, None]
    change = consortium.plan.sensitivity(4000)
    sites = tuple(replace(site, records=4000, sensitivity=change) for site in consortium.plan.sites)
    assert all(row.std for row in rows_of(replace(consortium.plan, sites=sites), truth))


def test_a_second_moment_gives_components_and_noise_of_the_planned_law(tmp_path):
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.normal(size=(36, 36)))[0]
    tables = [(rng.normal(size=(500, 36)) * np.exp(-np.arange(36) / 3) @ basis.T) / 2 for _ in range(5)]
    tables = [x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1) for x in tables]
    columns = tuple(Column(f"p{i}") for i in range(36))
    moment = Statistic("second moment", (36, 36), norm=1.0)
    consortium = Consortium(tmp_path, statistic=moment, columns=columns, tables=tables).agree()
    value = consortium.run().value
    truth = np.mean([moment.of(x) for x in tables], axis=0)
    # 1,296 numbers; false-alarm rate 1e-4, and 2/3 and 3/2 of the standard deviation are refused.
    laws.assert_variance(value - truth, std_of(consortium.plan) ** 2)
    found = components_of(consortium.plan, value, 3)
    best = pca.top_eigenvectors(truth, 3)[0]
    assert found.shape == (3, 36)
    assert pca.captured_energy(found, truth) > 0.8 * pca.captured_energy(best, truth)


@pytest.mark.parametrize("dropped", [(), (4,)])
def test_the_law_is_that_of_one_process(tmp_path, dropped):
    """The released noise of a long vector is that of `plan.stated`, with and without a site that dropped out."""
    rng = np.random.default_rng(1)
    tables = [rng.random((200, 900)) for _ in range(5)]
    mean = Statistic("mean", (900,), 0.0, 1.0)
    columns = tuple(Column(f"c{i}", "", 0.0, 1.0) for i in range(900))
    consortium = Consortium(tmp_path, statistic=mean, columns=columns, tables=tables).agree()
    centre = consortium.run(silent=dropped)
    left = [n for n in range(5) if n not in dropped]
    noise = centre.value - np.mean([mean.of(tables[n]) for n in left], axis=0)
    std = std_of(consortium.plan, [f"h{n}" for n in dropped])
    laws.assert_variance(noise, std**2)
    # The same plan in one process.
    alone = consortium.plan.release([mean.of(x) for x in tables], rng=rng, dropped=dropped)
    assert float(np.max(alone.std)) == pytest.approx(std, rel=1e-9)


@pytest.mark.parametrize(
    "statistic, columns",
    [
        (Statistic("mean", (), 0.0, 100.0), (Column("age", "", 0.0, 90.0),)),
        (SUMMARIES, (*COLUMNS[:3], Column("stay", "days", 0.0, 60.0, bins=5))),
        (Statistic("regression", (3, 3), norm=1.0), (AGE, Column("weight"))),
    ],
)
def test_columns_that_say_other_bounds_than_the_noise_are_refused(tmp_path, statistic, columns):
    plan = Consortium(
        tmp_path, statistic=statistic, columns=columns, tables=[np.zeros((9, len(columns)))] * 5
    ).plan
    with pytest.raises(Refused, match="columns must have the bounds"):
        checked_plan(plan)


@pytest.mark.parametrize(
    "cell, words", [("", "number in row 3"), ("nan", "number in row 3"), ("1_0", "number"), ("inf", "number")]
)
def test_a_cell_that_is_no_number_is_named_by_its_row(tmp_path, cell, words):
    path = Path(tmp_path) / "a.csv"
    path.write_text(f"age\n1\n{cell}\n" if cell else 'age\n1\n""\n')
    with pytest.raises(ValueError, match=words):
        records_of(_like(*KINDS["mean"]), path)
