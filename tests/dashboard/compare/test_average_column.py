"""The average of a column of one's own table: against NumPy, against core, and its noise against its distribution."""

from __future__ import annotations

import html
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from compared import AveragePage
from laws import assert_variance
from own_columns import COLUMN, FRAME, SIZES, SUMMARY, own, use
from pictures import finished

from core import Privacy, summaries
from core.schemes import SCHEMES, is_private
from dashboard.algorithms.average.model import spot
from dashboard.own_table.description import Choice
from dashboard.problems.average import noise_std, silence
from dashboard.state.controls import Controls
from data import upload
from data.columns import Column, Description
from data.upload.own_table import described_table


@pytest.fixture
def page():
    page = AveragePage(Controls(schemes=list(SCHEMES), delta=1e-5, epsilon=2.0))
    page.content()
    yield page
    page.own_table.end()


def without_noise(kind):
    """The statistic of the whole table, scaled to [0, 1]."""
    crp = np.clip(FRAME["CRP <b>"], 0, 500)
    return {
        "mean": [crp.mean() / 500],
        "proportion": [(FRAME.back == "yes").mean()],
        "counts": [(FRAME.ward == ward).mean() for ward in "uvw"],
        "histogram": np.histogram(crp, bins=10, range=(0, 500))[0] / len(FRAME),
    }[kind]


def alone(shares, span):
    """How far the first site's shares are from those of all, in the column's unit."""
    return span * np.ravel((shares - np.array(SIZES) / sum(SIZES) @ shares)[0])


@pytest.mark.parametrize("kind", SUMMARY)
def test_the_site_that_was_chosen_works_alone_with_its_own_noise_around_its_own_share(page, kind):
    """False-alarm rate 1e-4 a statistic."""
    use(page, *own(), statistic=kind, column=COLUMN[kind])
    summary, noise = SUMMARY[kind], []
    for seed in range(8):  # Enough draws to tell 2/3 and 3/2 of the noise from it.
        page.set({"noise_seed": seed})
        finished(page)
        errors = page.results.spots["local"].errors.reshape(summary.cells, -1)
        away = alone(page.plan.problem.statistics(page.plan.here), summary.span)
        noise.append(errors - away[:, np.newaxis])
    # As the conventional average of sites that all hold what it holds, times √S.
    one = {"sizes": [SIZES[0]] * 4, "privacy": Privacy(2.0, 1e-5), "summaries": summary}
    (std,) = summaries.standard_errors("conventional", **one)
    assert_variance(noise, (2 * std) ** 2)


@pytest.mark.parametrize("kind", SUMMARY)
def test_the_release_is_of_the_column_with_the_noise_that_core_states(page, kind):
    """False-alarm rate 1e-4, of all schemes together."""
    use(page, *own(), statistic=kind, column=COLUMN[kind])
    finished(page)
    plan, spots, summary = page.plan, page.results.spots, SUMMARY[kind]
    np.testing.assert_allclose(
        np.array(SIZES) / sum(SIZES) @ plan.problem.statistics(plan.here), without_noise(kind), atol=1e-9
    )
    stated = {"sizes": SIZES, "privacy": Privacy(2.0, 1e-5), "summaries": summary}
    drawn, apart = [], np.sqrt(np.mean(alone(plan.problem.statistics(plan.here), summary.span) ** 2))
    for scheme in (scheme for scheme in SCHEMES if is_private(scheme)):
        (std,) = summaries.standard_errors(scheme, **stated)
        assert spots[scheme].std == pytest.approx(std, rel=1e-9)
        assert len(spots[scheme].errors) == 100 * summary.cells
        row = page.table().query("scheme == @scheme and epsilon == 1.0")
        (std,) = summaries.standard_errors(scheme, **stated | {"privacy": Privacy(1.0, 1e-5)})
        bias = apart if scheme == "local" else 0.0
        assert row["mean"].item() == pytest.approx(float(np.hypot(std, bias)), rel=1e-9)
        if scheme != "local":  # One site alone has its own mean, see below.
            drawn.append(spots[scheme].errors / spots[scheme].std)
    assert_variance(drawn, 1.0)
    assert page.shown.guarantee.nominal == Privacy(2.0, 1e-5)


@pytest.mark.parametrize("kind", SUMMARY)
def test_the_headline_names_the_data_the_column_and_the_unit(page, kind):
    use(page, *own(), statistic=kind, column=COLUMN[kind])
    named = {"mean": "CRP <b>", "proportion": "back", "counts": "ward", "histogram": "CRP <b>"}
    headline = html.unescape(page.shown.headline)
    assert "own <i>.csv" in headline and named[kind] in headline
    assert ("mg/L" in headline) == (kind == "mean")
    assert "<i>.csv" not in page.shown.headline and "CRP <b>" not in page.shown.sections["result"]
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    found = page.table()[["scheme", "epsilon", "mean"]]
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), found, rtol=1e-12)


def test_the_category_of_a_proportion_is_the_chosen_one(page):
    use(page, *own(), statistic="proportion", column=3, category=2)
    weights = np.array(SIZES) / sum(SIZES)
    found = [page.plan.released.first.category]
    for place in (1, 3):
        page.set({"category": place})
        found.append(page.plan.released.first.category)
        share = weights @ page.plan.problem.statistics(page.plan.here)
        assert share == pytest.approx((FRAME.ward == "uvw"[place - 1]).mean())
    assert found == ["v", "u", "w"] and page.model.param.category.names == ("u", "v", "w")
    page.set({"column": 2, "category": 2})
    share = weights @ page.plan.problem.statistics(page.plan.here)
    assert share == pytest.approx((FRAME.back == "no").mean())


def test_records_without_sites_are_dealt_as_asked(page):
    use(page, *own(sites=False), sites=4, samples=1000, statistic="mean")
    assert page.plan.here["samples"] == 50  # There are 200 records.
    (mean,) = page.plan.problem.statistics(page.plan.here).mean(axis=0)
    assert 500 * mean == pytest.approx(np.clip(FRAME["CRP <b>"], 0, 500).mean(), rel=1e-9)
    page.set({"axis": "sites"})
    assert max(cell["sites"] for cell in page.plan.cells) == 50


def test_a_table_that_has_no_such_column_leaves_no_answer_of_other_records(page):
    finished(page)
    assert page.results is not None
    use(page, *own(length=True))
    assert "range" in page.state.problem and page.plan is page.results is None
    assert "<b>" not in page.board.exhibits[0].picture
    sources = [drawn.data_source for drawn in page.board.charts["curve"].figure.renderers]
    assert not any(len(column) for source in sources for column in source.data.values())
    page.set({"own_records": False})
    assert page.state.problem == "" and page.plan.released is None


def at_hospitals(sizes, shift, local="", order=0):
    """A column of three hospitals a, b, c, of which the first lies `shift` above the others."""
    rng = np.random.default_rng(3)
    parts = [
        pd.DataFrame({"CRP": np.clip(rng.normal(100 + shift * (home == "a"), 20, n), 0, 500), "home": home})
        for home, n in zip("abc", sizes, strict=True)
    ]
    frame = pd.concat(parts[order:] + parts[:order], ignore_index=True)
    columns = Column("CRP", lower=0.0, upper=500.0, unit="mg/L"), Column("home", "category", used=False)
    described = Description(columns, "home", local=local)
    table = described_table(upload.read(frame.to_csv(index=False).encode(), "own.csv"), described)
    return table, Choice("own.csv", described)


@pytest.mark.parametrize("sizes", [(120, 60, 20), (60, 60, 60)])
def test_the_error_holds_the_silent_hospital_and_no_order_of_the_sites_changes_it(page, sizes):
    """The largest is silent, or of alike ones the last by name; 2,000 errors, false-alarm rate 1e-6 a scheme."""
    page.set({"adversary": "aggregator", "dropouts": 1, "epsilon": 1.0})
    found = {}
    for local, order in (("", 0), ("", 1), ("c", 0), ("b", 2)):
        use(page, *at_hospitals(sizes, 80.0, local, order), statistic="mean", column=1)
        finished(page)
        table, plan = page.table(), page.plan
        silent = {m: tuple(plan.here["names"][s] for s in silence(m, plan.here).silent) for m in plan.shown}
        rows = table[np.isclose(table.epsilon, 1.0)].set_index("scheme")["mean"]
        # A graph is one of places, and "local" is of the site that was chosen.
        found[local, order] = rows.drop(["local", "graph"]).to_dict()
        silent = {m: one for m, one in silent.items() if m not in ("local", "graph")}
        assert set(silent.values()) == {("a",) if sizes[0] == 120 else ("c",)}
        assert f"Dropped out: '{silent['cape'][0]}'" in html.unescape(page.shown.sections["curve_words"])
    first = found["", 0]
    for other in found.values():
        assert other == pytest.approx(first, rel=1e-12)
    for scheme in first:
        job = page.plan.job_here(scheme)
        errors = np.concatenate([spot(replace(job, seed=seed)).errors for seed in range(20)])
        error, noise = first[scheme], noise_std(scheme, page.plan.here)
        room = 4.9 * np.sqrt((2 * noise**4 + 4 * noise**2 * (error**2 - noise**2)) / 2000) + 1e-9
        near = [abs(np.mean(errors**2) - (factor * error) ** 2) <= room for factor in (1, 2 / 3, 3 / 2)]
        assert near == [True, False, False], scheme


@pytest.mark.parametrize("kind", SUMMARY)
def test_the_program_has_the_errors_of_silent_sites(page, kind):
    page.set({"adversary": "aggregator", "dropouts": 1})
    use(page, *own(), statistic=kind, column=COLUMN[kind])
    finished(page)
    scope = {"__name__": "copied"}
    exec(compile(page.script(), "copied", "exec"), scope)
    found = page.table()[["scheme", "epsilon", "mean"]]
    pd.testing.assert_frame_equal(pd.DataFrame(scope["columns"]), found, rtol=1e-12)
    plain = found.query("scheme == 'nonprivate'")["mean"].to_numpy()
    shares = page.plan.problem.statistics(page.plan.here)
    away = np.array([60, 20]) / 80 @ shares[1:] - np.array(SIZES) / sum(SIZES) @ shares
    assert plain == pytest.approx(SUMMARY[kind].span * np.sqrt(np.mean(np.square(away))), rel=1e-9)
