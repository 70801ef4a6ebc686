"""A series of independent months: the year of a person who is in a few of them; correlated months are refused."""

from dataclasses import replace

import numpy as np
import pytest
from desks import CEILING, Consortium

from core.desk.agreement import planned_observer, series_of
from core.desk.commands import in_words
from core.desk.ledger import BeyondCeiling, Ledger
from core.parties import Plan
from core.parties.messages.refusals import TooFewSites
from core.parties.second_version import SeriesTerms


def month(consortium, run):
    return replace(consortium.plan, run=run)


def test_a_person_in_two_months_spends_two_of_three(tmp_path):
    consortium = Consortium(tmp_path, sites=3, dropouts=0, series=SeriesTerms(3, 2))
    mus = [planned_observer(consortium.plan, s, "aggregator") for s in range(3)]
    assert mus[0] == pytest.approx(consortium.plan.promise(0).aggregator, rel=1e-4)
    for run in ("2026-01", "2026-02", "2026-03"):
        consortium.plan = month(consortium, run)
        consortium.tables = [50 - 0.9 * table for table in consortium.tables]  # Other records every month.
        consortium.agree().run()
    for s in range(3):
        ledger, mu = consortium.desk(s).ledger, mus[s]
        year = int(ledger.lines[-1]["time"][:4])
        assert ledger.spent(year) == pytest.approx(np.sqrt(2) * mu, rel=1e-6)
        assert ledger.spent(year) >= np.sqrt(2) * mu * (1 - 1e-15)
        assert [line["kind"] for line in ledger.lines].count("spent") == 3
        assert Ledger(ledger.path).lines == ledger.lines
    # Without the series the three would be √3, and the fourth month is none of it.
    consortium.plan = month(consortium, "2026-04")
    with pytest.raises(ValueError, match="no more than 3 months"):
        consortium.desk(0).consent(consortium.plan, consortium.tables[0] / 2)


def test_a_month_that_is_released_again_is_charged_in_addition(tmp_path):
    """Whoever is in May is in May anew, in any order of the lines: two releases of ε = 1 are no ε = 1."""
    consortium = Consortium(tmp_path, sites=3, dropouts=0, series=SeriesTerms(12, 1))
    words = in_words(consortium.plan, 60, consortium.desk(0))
    assert "at most 1 of its runs" in words and "are charged in addition to it" in words
    mu = planned_observer(consortium.plan, 0, "aggregator")
    first = consortium.tables
    for run, times in (("2026-05", 1), ("2026-05-b", 2), ("2026-06", 2), ("again", 3)):
        other = run == "2026-06"
        step = -1 if run == "2026-05-b" else 1
        consortium.tables = [50 - 0.9 * table if other else table[::step] for table in first]
        consortium.plan = month(consortium, run)
        consortium.agree().run()
        ledger = consortium.desk(0).ledger
        year = int(ledger.lines[-1]["time"][:4])
        assert ledger.spent(year) == pytest.approx(np.sqrt(times) * mu, rel=1e-6)
    assert Ledger(ledger.path).lines == ledger.lines


def test_a_month_that_failed_after_its_packets_left_is_charged_in_addition(tmp_path):
    """A ceiling of one release: the second is refused by name at consent, and at the packet if both were agreed to."""
    consortium = Consortium(tmp_path, sites=3, dropouts=0, series=SeriesTerms(12, 1))
    runs = [month(consortium, run) for run in ("2026-05", "2026-05-b")]
    consortium.desk(0).set_ceiling(1.0, 1e-5, reason="one release")
    for run in runs:
        consortium.agree(run)
    consortium.plan = runs[0]
    with pytest.raises(TooFewSites):
        consortium.run(silent=(1, 2), at="unmask")
    assert all(consortium.desk(s).ledger.has(runs[0].id, "2026-05") for s in range(3))
    with pytest.raises(BeyondCeiling):
        consortium.desk(0).begin(runs[1])
    with pytest.raises(BeyondCeiling):
        consortium.desk(0).consent(month(consortium, "2026-05-c"), consortium.tables[0])
    # Other records are a further month, which costs nothing.
    consortium.desk(0).consent(month(consortium, "2026-06"), consortium.tables[0] / 2)


def test_months_of_all_persons_reach_the_ceiling(tmp_path):
    """ε = 2 of a year holds two releases of ε = 1 whose persons are in all months, and all twelve of persons in one."""
    for most, months in ((1, 4), (4, 3)):
        consortium = Consortium(tmp_path / str(most), sites=3, dropouts=0, series=SeriesTerms(4, most))
        consortium.desk(0).set_ceiling(**CEILING)
        count = 0
        for run in range(4):
            plan = month(consortium, str(run))
            desk = consortium.desk(0)
            try:
                desk.consent(plan, consortium.tables[0])
            except ValueError:
                break
            with desk.ledger.locked() as ledger:
                mu = plan.promise(0).aggregator
                ledger.add(
                    "spent",
                    time=ledger.lines[-1]["time"],
                    plan=plan.id,
                    run=plan.run,
                    mu=mu,
                    **series_of(plan),
                )
            count += 1
        assert count == months


def test_other_numbers_of_records_are_months_of_one_series(tmp_path):
    consortium = Consortium(tmp_path, sites=3, dropouts=0, series=SeriesTerms(12, 1))
    other = Consortium(
        tmp_path / "b", sites=3, dropouts=0, series=SeriesTerms(12, 1), tables=[np.ones((9, 1))] * 3
    )
    same = replace(other.plan, keys=dict(consortium.plan.keys))
    assert series_of(same) == series_of(month(consortium, "2"))
    assert series_of(other.plan) != series_of(consortium.plan)
    assert series_of(replace(consortium.plan, series=SeriesTerms(12, 2))) != series_of(consortium.plan)


def test_months_that_are_correlated_are_refused_by_name(tmp_path):
    matrix = np.array([[1.0, 0, 0], [0.5, 1, 0], [0.4, 0.5, 1]])
    with pytest.raises(ValueError, match="series must have no matrix"):
        Consortium(tmp_path, series=SeriesTerms(3, 3, matrix=matrix))
    # A plan in floating point, as Plan saves it, is read, and no desk consents to it, nor to a month of it.
    consortium = Consortium(tmp_path / "b")
    series = SeriesTerms(3, 3, matrix=matrix)
    saved = replace(consortium.plan, noise="iid", draw=None, threshold=None, series=series)
    desk, plan = consortium.desk(0), Plan.read(saved.text().encode())
    desk.set_ceiling(**CEILING)
    for refused in (plan, plan.of_month(1)):
        with pytest.raises(ValueError, match=r"^series must have noise of its own every month"):
            desk.consent(refused, consortium.tables[0])
    assert desk.plans() == () and {line["kind"] for line in desk.ledger.lines} == {"opened", "ceiling"}


def test_a_line_of_the_ledger_has_all_of_a_series_or_nothing(tmp_path):
    ledger = Ledger(tmp_path / "ledger")
    with pytest.raises(ValueError, match="series, most, months"):
        ledger.add("spent", time="2026-01-01T00:00:00Z", mu=1.0, series="a")
    with pytest.raises(ValueError, match="nothing else"):
        ledger.add("refused", time="2026-01-01T00:00:00Z", mu=1.0, series="a", most=1, months=2)
