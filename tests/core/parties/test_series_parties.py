"""A series that correlates months, carried out by parties: its law, and that no month leaves a site twice with one noise."""

import contextlib
import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import chi2
from series_laws import allowed, learned

from core import Privacy, parties
from core.parties import (
    Plan,
    SeriesSite,
    SeriesTerms,
    Site,
    Statistic,
    exchange,
    plan_of,
    series_noise,
    series_site,
)
from core.parties.messages.letter import read
from core.privacy import gdp_mu
from core.series import LostHistory, Participation, Series, queries, strategy, without

TARGET, MONTHS, SITES = Privacy(1.0, 1e-5), 6, 5
ONCE = Participation(MONTHS, 1)
BEST = strategy(queries("months and totals", MONTHS), ONCE)
OUT = {1: 2, 4: 0}  # Month, and the site that drops out in it.
ALARM = 1e-6  # Of each of twelve queries in four settings.


def planned(shape=(), **options):
    terms = {"series": SeriesTerms(MONTHS, 1, matrix=BEST.matrix), "against": "aggregator", "dropouts": 1}
    statistic = Statistic("mean", shape, 0.0, 1.0)
    return plan_of(statistic, [40] * SITES, TARGET, scheme="cape-after", **terms | options)


def programs(folder, plan, rng=None, **options):
    """The sites' programs as they are after a start."""
    rngs = [None] * len(plan.sites) if rng is None else rng.spawn(len(plan.sites))
    return [SeriesSite(folder / str(s), plan, s, rng=one, **options) for s, one in enumerate(rngs)]


def run(plan, sites, month, statistics, silent=None, gone="shares"):
    """Carry out a month; a site that is silent stops in the round `gone`."""
    begun = [site.month(month, f) for site, f in zip(sites, statistics, strict=True)]
    return exchange(plan.of_month(month), begun, silent=None if silent is None else {gone: silent})


@pytest.mark.parametrize("zero_sum, gone", [("secure", "shares"), ("secure", "join"), ("broadcast", "seed")])
@pytest.mark.parametrize("own_noise", ["message", "sum"])
def test_months_and_totals_have_the_errors_that_the_plan_states(tmp_path, zero_sum, own_noise, gone):
    """3,000 numbers a month, every program started anew each month: χ² of every month and total, and not at 2/3 and 3/2."""
    plan = planned((3000,), zero_sum=zero_sum, own_noise=own_noise)
    rng, found, sent = np.random.default_rng(1), [], np.ones((MONTHS, SITES))
    for month in range(MONTHS):
        silent = [OUT[month]] if month in OUT else []
        sent[month, silent] = 0
        released = run(plan, programs(tmp_path, plan, rng), month, np.full((SITES, 3000), 0.5), silent, gone)
        found.append(released.value - 0.5)
        stated = plan.errors(np.eye(MONTHS)[month : month + 1], senders=sent)
        assert np.unique(released.std) == pytest.approx(stated, rel=1e-9)
    low, high = chi2.interval(1 - ALARM, 3000) / np.float64(3000)
    for asked in (np.eye(MONTHS), queries("totals", MONTHS)):
        ratios = ((asked @ np.array(found)) ** 2).mean(axis=1) / plan.errors(asked, senders=sent) ** 2
        assert ((low < ratios) & (ratios < high)).all()
        for factor in (4 / 9, 9 / 4):
            assert not ((low < ratios / factor) & (ratios / factor < high)).any()


def test_errors_and_promise_are_those_of_a_series():
    plan, totals = planned(), queries("totals", MONTHS)
    series = Series(strategy=BEST, sites=SITES, mu=float(gdp_mu(TARGET)), dropouts=1)
    # One record moves a site's mean by 1/40.
    assert plan.errors(totals) == pytest.approx(np.sqrt(series.variances(totals)) / 40, rel=1e-6)
    promise = plan.promise(0)
    assert promise.aggregator == pytest.approx(gdp_mu(TARGET), rel=1e-6)
    assert promise.message == pytest.approx(series.fresh**-0.5, rel=1e-6)
    assert promise.public < promise.aggregator
    assert plan.of_month(3).promise(0).aggregator == promise.aggregator
    colluding = planned(against="colluders", colluding=1).promise(0)
    assert colluding.colluders == pytest.approx(gdp_mu(TARGET), rel=1e-6)
    assert colluding.aggregator < colluding.colluders
    # A site whose record moves its mean half as far learns that it tells half.
    assert plan.promise(0, 1 / 80).aggregator == pytest.approx(gdp_mu(TARGET) / 2, rel=1e-6)


def test_unequal_sites_are_hidden_as_the_most_demanding_one():
    """By the joint law of all months in units of w f, on 60 random patterns with silent sites that differ by month."""
    targets, rng = (
        [Privacy(1.0, 1e-5), Privacy(0.4, 1e-6), Privacy(2.0, 1e-5), Privacy(1.0, 1e-5)],
        np.random.default_rng(2),
    )
    plain = plan_of(Statistic("mean", (), 0.0, 1.0), [40, 80, 200, 60], None, scheme="nonprivate")
    rows = [replace(site, privacy=target) for site, target in zip(plain.sites, targets, strict=True)]
    terms = SeriesTerms(MONTHS, 2, 2, matrix=np.eye(MONTHS) - 0.5 * np.eye(MONTHS, k=-1))
    plan = Plan(plain.statistic, tuple(rows), "cape-after", against="aggregator", dropouts=1, series=terms)
    series = series_noise.series_of(plan)
    stds = [series_noise.own_std(plan, s) * plan.sites[s].weight for s in range(4)]
    assert stds == pytest.approx([stds[0]] * 4, rel=1e-12)
    for _ in range(60):
        x, senders = allowed(series, rng), np.ones((MONTHS, 4))
        for row in senders:
            row[rng.integers(4)] = 0
        scale = stds[0] / math.sqrt(series.own)
        for site, target in zip(plan.sites, targets, strict=True):
            change = site.weight * site.sensitivity
            assert learned(series, x, senders) * change / scale <= gdp_mu(target) * (1 + 1e-7)


@pytest.mark.parametrize(
    "change, name",
    [
        ({"scheme": "conventional"}, "scheme"),
        ({"noise": "copied"}, "noise"),
        ({"noise": "discrete"}, "series"),
        ({"against": "message"}, "against"),
        ({"designs": [[1.0, 1.0]] * SITES}, "designs"),
        ({"dropouts": 3}, "dropouts"),
        ({"threshold": SITES}, "threshold"),
    ],
)
def test_what_no_series_allows_is_refused_by_name(change, name):
    plan = planned()
    with pytest.raises(ValueError, match=name):
        replace(plan, **{"threshold": None} | change)


def test_no_party_takes_correlated_months_without_their_history(tmp_path):
    plan = planned()
    with pytest.raises(ValueError, match="month"):
        parties.Aggregator(plan)
    with pytest.raises(ValueError, match="history"):
        Site(plan.of_month(0), 0, 0.5)
    with pytest.raises(ValueError, match="history"):
        exchange(plan.of_month(0), np.full(SITES, 0.5))
    with pytest.raises(ValueError, match="none of its months"):
        SeriesSite(tmp_path, plan.of_month(0), 0)
    with pytest.raises(ValueError, match="series"):
        planned(series=SeriesTerms(MONTHS, 1)).of_month(0)


def test_the_file_of_a_plan_carries_the_strategy(tmp_path):
    """It is read to the last digit, so that a site's history is of the same C; a month is a plan of its own."""
    plan = planned()
    again = Plan.read(plan.text().encode())
    assert again == plan and again.id == plan.id
    assert (again.series.strategy.matrix == BEST.matrix).all()
    month = Plan.read(plan.of_month(3).text().encode())
    assert month == plan.of_month(3) and month.id not in (plan.id, plan.of_month(2).id)
    run(again, programs(tmp_path, again), 0, np.full(SITES, 0.5))
    run(plan, programs(tmp_path, plan), 1, np.full(SITES, 0.5))
    changed = json.loads(plan.text())
    changed["series"]["matrix"][1][0] *= 1.001
    with pytest.raises(ValueError, match=r"^id must"):
        Plan.read(json.dumps(changed).encode())
    with pytest.raises(ValueError, match="plan"):
        SeriesSite(tmp_path / "0", replace(plan, run="2"), 0)


def until_relayed(plan, sites, month):
    """The sites of a month when each has the letter that its packet answers."""
    begun = [site.month(month, 0.5) for site in sites]
    aggregator = parties.Aggregator(plan.of_month(month))
    letters = [data for site in begun for data in site.join()]
    while read(letters[0]).round != "relay":
        letters = [answer for data in letters for answer in of(begun, aggregator, read(data)).receive(data)]
    return begun, letters


def of(begun, aggregator, letter):
    return aggregator if letter.receiver == parties.AGGREGATOR else begun[letter.receiver]


def packets(letters):
    return [data for data in letters if read(data).round == "input"]


@pytest.mark.parametrize("stop", range(8))
def test_a_program_that_stops_anywhere_sends_a_month_once(tmp_path, monkeypatch, stop):
    """It stops before or after each write, of history, charge and state, or after all; the month leaves once at most."""
    plan = planned()
    begun, letters = until_relayed(plan, programs(tmp_path, plan), 0)
    relay = next(data for data in letters if read(data).receiver == 0)
    kept, count = series_site.whole_file, itertools.count()

    def stopping(path, data):
        if next(count) == stop // 2:
            if stop % 2:
                kept(path, data)
            raise OSError("stopped")
        kept(path, data)

    for module in ("core.parties.series_site", "core.series.history"):
        monkeypatch.setattr(f"{module}.whole_file", stopping)
    sent = []
    with contextlib.suppress(OSError):
        sent += packets(begun[0].receive(relay))
    monkeypatch.undo()
    again = SeriesSite(tmp_path / "0", plan, 0)
    left = again.history.states[0] == "left"
    assert left == (again.charged == (0,)) and left == (stop > 0)
    site = again.month(0, 0.5)
    told = packets(site.outbox)
    if told:  # The same bytes, and no others.
        assert not sent or told == sent
        with pytest.raises(parties.Refused):
            site.receive(relay)
    elif left:
        with pytest.raises(ValueError, match="never sent again"):
            site.receive(relay)
    else:
        told = packets(site.receive(relay))
    assert bool(told) == (stop == 0 or stop >= 5)
    # The series goes on, with noise that knows that of month 0.
    assert run(plan, [again, *programs(tmp_path, plan)[1:]], 1, np.full(SITES, 0.5)).sites
    assert len(again.history.drawn) == 2


def test_a_month_whose_sum_never_came_stays_without_a_release_and_its_cost_is_stated(tmp_path):
    plan, totals = planned(), queries("totals", MONTHS)
    run(plan, programs(tmp_path, plan), 0, np.full(SITES, 0.5))
    with pytest.raises(parties.TooFewSites):
        run(plan, programs(tmp_path, plan), 1, np.full(SITES, 0.5), silent=[1, 2], gone="unmask")
    sites = programs(tmp_path, plan)
    sites[0].missed(1)
    assert [site.missing for site in programs(tmp_path, plan)] == [(1,)] * SITES
    with pytest.raises(ValueError, match="none is sent again"):
        sites[0].month(1, 0.5)
    for site in sites:  # All of the series is charged, whatever came of a month.
        assert site.charged == (0, 1) and site.spent == pytest.approx(gdp_mu(TARGET), rel=1e-6)
    assert run(plan, programs(tmp_path, plan), 2, np.full(SITES, 0.5)).value == pytest.approx(0.5, abs=2)
    whole, gone = plan.errors(totals)[-1], plan.errors(totals, missing=(1,))[-1]
    series = Series(strategy=BEST, sites=SITES, mu=float(gdp_mu(TARGET)), dropouts=1)
    assert gone == pytest.approx(np.sqrt(series.variances(without(totals, (1,)))[-1]) / 40, rel=1e-6)
    assert gone > whole


def test_a_lost_history_stays_out_or_counts_as_a_colluder(tmp_path):
    plan = planned()
    for month in (0, 1):
        run(plan, programs(tmp_path, plan), month, np.full(SITES, 0.5))
    noise = tmp_path / "0" / series_site.NOISE
    old = noise.read_bytes()
    run(plan, programs(tmp_path, plan), 2, np.full(SITES, 0.5))
    for content in (old, b"{}"):
        noise.write_bytes(content)
        with pytest.raises(LostHistory):
            SeriesSite(tmp_path / "0", plan, 0)
        with pytest.raises(LostHistory, match="stays out"):
            SeriesSite(tmp_path / "0", plan, 0, anew=True)
    others = [SeriesSite(tmp_path / str(s), plan, s) for s in range(1, SITES)]
    nobody = SeriesSite(tmp_path / "nobody", plan, 0)  # Says nothing.
    assert run(plan, [nobody, *others], 3, np.full(SITES, 0.5), [0], "join").sites == (1, 2, 3, 4)


def test_a_site_that_lost_its_history_begins_a_block_if_the_plan_counts_on_it(tmp_path):
    terms = SeriesTerms(MONTHS, 1, matrix=BEST.matrix, lost=1)
    plan = planned(series=terms)
    assert plan.errors(np.eye(MONTHS))[0] > planned().errors(np.eye(MONTHS))[0]
    rng = np.random.default_rng(3)
    for month in (0, 1):
        run(plan, programs(tmp_path, plan, rng), month, np.full(SITES, 0.5))
    (tmp_path / "0" / series_site.NOISE).unlink()
    anew = SeriesSite(tmp_path / "0", plan, 0, anew=True)
    assert anew.history.start == 2 and anew.charged == (0, 1)
    with pytest.raises(ValueError, match="month"):
        anew.month(1, 0.5)
    for month in (2, 3):
        sites = [SeriesSite(tmp_path / "0", plan, 0, anew=True), *programs(tmp_path, plan)[1:]]
        run(plan, sites, month, np.full(SITES, 0.5))
        assert sites[0].history.start == 2 and sites[1].history.start == 0
    again = SeriesSite(tmp_path / "0", plan, 0)
    assert again.charged == (0, 1, 2, 3) and again.history.charged == 2 and len(again.history.drawn) == 2
