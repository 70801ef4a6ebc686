"""A year of a real table: 420 patients, each in one month at one of five hospitals; in three months one drops out."""

import numpy as np
import pytest
from scipy.stats import chi2

from core.series import Participation, Series, queries, strategy
from data import real

MONTHS, SITES, PATIENTS, SERIES = 12, 5, 7, 3000
OUT = {2: 1, 5: 3, 9: 1}  # Month, and the hospital that drops out in it.
LOW, HIGH = 10.0, 60.0  # Public range of the body mass index.
ALARM = 1e-6  # Of each of 24 queries of four schemes: 1e-4 of all.
ASKED = {kind: queries(kind, MONTHS) for kind in ("months", "totals")}


@pytest.fixture(scope="module")
def means():
    """Mean body mass index of every hospital and month, as sites would compute it: shape (months, sites)."""
    index = real.load("diabetes").records[:, 2]
    chosen = np.random.default_rng(0).permutation(len(index))[: MONTHS * SITES * PATIENTS]
    return np.clip(index[chosen], LOW, HIGH).reshape(MONTHS, SITES, PATIENTS).mean(axis=2)


def released(series, means, rng):
    """Averages of every month in so many series, in the table's units: shape (months, series)."""
    change = (HIGH - LOW) / PATIENTS  # What one patient moves a hospital's mean.
    running, found = series.begin(rng=rng), []
    for month, row in enumerate(means):
        silent = (OUT[month],) if series.dropouts and month in OUT else ()
        everywhere = np.broadcast_to(row[:, None] / change, (SITES, SERIES))
        found.append(change * running.release(everywhere, silent=silent))
    return np.array(found)


@pytest.mark.parametrize("scheme", ["cape-after", "secure", "pooled", "conventional"])
def test_errors_of_months_and_running_totals_are_those_stated(scheme, means):
    """Of 3,000 series: χ² of every month and total with the stated variance, and not with 4/9 or 9/4 of it."""
    series = Series(
        strategy=strategy(queries("months and totals", MONTHS), Participation(MONTHS, 1)),
        sites=SITES, mu=1.0, scheme=scheme, dropouts=0 if scheme == "pooled" else 1,
    )  # fmt: skip
    sent = np.ones((MONTHS, SITES), dtype=bool)
    if series.dropouts:
        sent[list(OUT), list(OUT.values())] = False
    found = released(series, means, np.random.default_rng(3))
    truth = np.array([row[there].mean() for row, there in zip(means, sent, strict=True)])
    low, high = chi2.interval(1 - ALARM, SERIES) / np.float64(SERIES)
    for asked in ASKED.values():
        errors = asked @ (found - truth[:, None])
        stated = series.variances(asked, sent) * ((HIGH - LOW) / PATIENTS) ** 2
        ratios = (errors**2).mean(axis=1) / stated
        assert ((low < ratios) & (ratios < high)).all()
        for factor in (4 / 9, 9 / 4):
            assert not ((low < ratios / factor) & (ratios / factor < high)).any()
        # No query is off its truth: 5.1 standard errors of its mean.
        assert (np.abs(errors.mean(axis=1)) < 5.1 * np.sqrt(stated / SERIES)).all()
