"""Schemes are records: a further one is released, swept, forecast and counted; a name without one is refused."""

from __future__ import annotations

import dataclasses
import math

import further_scheme
import numpy as np
import pytest
from further_scheme import LABEL, MUS, NAME
from laws import assert_normal

from core import SCHEMES, Privacy, cape, decomposition, functional, network, pca, release, schemes, sweep
from core.privacy import gdp_delta, gdp_mu
from core.sweep import search, targets
from core.topics import configuration_e, problem, utility

PRIVACY = Privacy(1.0, 1e-5)
FIVE = ("nonprivate", "pooled", "local", "conventional", "cape")
SITES, SAMPLES = 5, 40


@pytest.fixture
def further():
    with further_scheme.registered() as scheme:
        yield scheme


def records(width=4, seed=3):
    rng = np.random.default_rng(seed)
    found = rng.normal(size=(SITES, SAMPLES, width))
    return list(found / np.maximum(1, np.linalg.norm(found, axis=2, keepdims=True)))


def load(settings):
    return records(), None


def run(scheme, statistics=None, **options):
    statistics = np.zeros(SITES) if statistics is None else statistics
    options = {"scheme": scheme, "rng": np.random.default_rng(1), **options}
    return release(statistics, 1.0, PRIVACY if schemes.is_private(scheme) else None, **options)


def test_the_five_schemes_of_the_papers_come_first_and_in_their_order():
    assert SCHEMES[:5] == FIVE and schemes.PRIVATE[:4] == FIVE[1:]
    shown = [s for s in schemes.presented() if s in FIVE]
    assert shown == ["nonprivate", "pooled", "cape", "conventional", "local"]
    assert [s for s in FIVE if schemes.named(s).curator] == ["nonprivate", "pooled"]
    assert [s for s in FIVE if schemes.named(s).one_site] == ["local"]


def test_names_imported_long_ago_show_a_scheme_that_is_registered_now():
    views = (
        SCHEMES,
        schemes.PRIVATE,
        pca.METHODS,
        decomposition.METHODS,
        functional.MECHANISMS,
        problem.METHODS,
    )
    before = [tuple(view) for view in views]
    with further_scheme.registered():
        for view, names in zip(views, before, strict=True):
            assert NAME in view and len(view) == len(names) + 1 and {*view} == {*names, NAME}
        assert SCHEMES.index(NAME) == len(before[0]), "a new scheme must not move another's random stream"
        assert schemes.presented()[-2:] == (NAME, "local")
    assert [tuple(view) for view in views] == before


def test_a_further_scheme_has_its_own_mu_for_everybody(further):
    found, unit = run(NAME), gdp_mu(PRIVACY)
    assert found.mu_public == pytest.approx(unit * further_scheme.mu_public(SITES))
    assert found.mu_message == pytest.approx(unit * MUS["message"])
    assert found.mu_aggregator == found.mu(0) == pytest.approx(unit * MUS["aggregator"])
    assert found.mu(2) == found.mu([0, 3]) == pytest.approx(unit * MUS["colluders"])


def test_a_further_scheme_draws_the_noise_that_it_states(further):
    found = run(NAME, np.zeros((SITES, 20_000)))
    assert found.std == pytest.approx(math.sqrt(further_scheme.variance(SITES)) / SITES / gdp_mu(PRIVACY))
    assert_normal(found.value, found.std)
    lost = run(NAME, np.zeros((SITES, 20_000)), dropped=[1])
    # One more part stays: the number that the silent site shares with its partner.
    assert lost.std == pytest.approx(math.sqrt(12) / 4 / gdp_mu(PRIVACY)) and lost.mu(1) == found.mu(1)
    assert_normal(lost.value, lost.std)


def test_every_problem_runs_a_further_scheme(further):
    rng, found = np.random.default_rng(2), records()
    parts = pca.fit(found, 2, scheme=NAME, privacy=PRIVACY, rng=rng)
    assert parts.release.scheme == NAME and parts.release.mu(1) == pytest.approx(
        gdp_mu(PRIVACY) * MUS["colluders"]
    )
    documents = [rng.integers(0, 6, size=(SAMPLES, 3)) for _ in range(SITES)]
    mixture = decomposition.fit(
        documents, 2, scheme=NAME, privacy=Privacy(10.0, 1e-2), rng=rng, vocabulary=6, order="magnitude"
    )
    together = schemes.over_stages(MUS["message"], MUS["aggregator"], 0.5)
    assert mixture.mu_message / mixture.mu_aggregator == pytest.approx(together / MUS["aggregator"])
    pairs = [(x, np.clip(x[:, 0], -1, 1)) for x in found]
    assert functional.fit(pairs, mechanism=NAME, privacy=PRIVACY, rng=rng).release.scheme == NAME
    labelled = [(x, (x[:, 0] > 0).astype(float)) for x in found]
    trained = network.train(labelled, scheme=NAME, privacy=PRIVACY, rng=rng, steps=3)
    assert trained.last.mu(1) / trained.last.mu_aggregator == pytest.approx(
        MUS["colluders"] / MUS["aggregator"]
    )


def test_a_sweep_and_a_search_run_a_further_scheme(further):
    task = pca.Problem(load, data_settings=())
    settings = {"k": 2, "delta": 1e-5, "samples": SAMPLES}
    cells = [settings | {"epsilon": e} for e in (1.0, 100.0)]
    table = sweep.run(task, cells, schemes=SCHEMES, repeats=2, seed=1)
    energies = table[table.scheme == NAME].groupby("epsilon").energy.mean()
    assert len(energies) == 2 and energies[100.0] > energies[1.0]
    answers = search.search(
        task,
        {e: settings | {"epsilon": e} for e in (0.01, 1.0, 1000.0)},
        targets.Target("energy", 0.5, relative=True),
        schemes=[NAME],
        seed=1,
        most=12,
        coarse=3,
    )
    assert answers[NAME].scheme == NAME and answers[NAME].runs > 0


def test_forecasts_noise_levels_and_numbers_sent_are_those_of_the_record(further):
    louder = math.sqrt(further_scheme.variance(SITES) / SITES)
    assert schemes.noise_factor(NAME, SITES) == pytest.approx(math.sqrt(SITES) * louder)
    law = {"documents": 1000, "vocabulary": 50, "privacy": PRIVACY, "sites": SITES}
    law["equalisation"] = configuration_e.Equalisation()
    seen = {s: utility.forecast(0.01, scheme=s, **law).noise_norm for s in ("pooled", "conventional", NAME)}
    assert seen[NAME] == pytest.approx(louder * seen["conventional"])
    assert seen["conventional"] == pytest.approx(math.sqrt(SITES) * seen["pooled"])
    levels = functional.noise_by_width("linear", [3, 9], privacy=PRIVACY, records=100, sites=SITES)
    np.testing.assert_allclose(levels[NAME], louder * levels["conventional"])
    assert pca.communication(NAME, sites=SITES, width=7) == 2 * SITES * 7**2
    assert decomposition.communication(NAME, sites=SITES, width=7, k=2) == SITES * (2 * 49 + 14 + 2 * 8)
    published = decomposition.communication(NAME, sites=SITES, width=7, k=2, form="published")
    assert published == SITES * (2 * 49 + 14 + 8 + 7**3)


def error(scheme):
    return schemes.error_of_average(scheme, sites=SITES, samples=100, privacy=PRIVACY)


def test_the_error_of_an_average_is_1_96_standard_deviations(further):
    for scheme in schemes.PRIVATE:
        rng = np.random.default_rng(0)
        std = release(np.zeros(SITES), 1 / 100, PRIVACY, scheme=scheme, rng=rng).std
        assert error(scheme) == pytest.approx(1.959964 * std, rel=1e-12)
    assert error("nonprivate") == 0


@pytest.mark.parametrize("scheme", FIVE[1:])
def test_the_average_is_as_noisy_as_the_record_says_with_unequal_sites_that_drop_out(scheme):
    std, weights = np.array([1.0, 2.0, 0.5, 1.5]), np.array([0.1, 0.2, 0.3, 0.4])
    found = schemes.average_std(scheme, std, weights, dropped=[1])
    mu = gdp_mu(PRIVACY)
    rng = np.random.default_rng(0)
    options = {"scheme": scheme, "weights": weights, "dropped": [1], "rng": rng}
    assert release(np.zeros(4), std * mu, PRIVACY, **options).std == pytest.approx(found)


DOORS = {
    "release": lambda name: run(name),
    "average_std": lambda name: schemes.average_std(name, np.ones(3)),
    "noise_factor": lambda name: schemes.noise_factor(name, 3),
    "error_of_average": error,
    "pca": lambda name: pca.fit(records(), 2, scheme=name, privacy=PRIVACY, rng=np.random.default_rng(0)),
    "pca numbers": lambda name: pca.communication(name, sites=3, width=4),
    "components": lambda name: decomposition.fit(
        [[[0, 1, 2]], [[0, 1, 2]]],
        1,
        scheme=name,
        privacy=PRIVACY,
        rng=np.random.default_rng(0),
        vocabulary=3,
    ),
    "components numbers": lambda name: decomposition.communication(name, sites=3, width=4, k=2),
    "regression": lambda name: functional.fit(
        [(x, x[:, 0]) for x in records()], mechanism=name, privacy=PRIVACY, rng=np.random.default_rng(0)
    ),
    "network": lambda name: network.train(
        [(x, (x[:, 0] > 0).astype(float)) for x in records()],
        scheme=name,
        privacy=PRIVACY,
        rng=np.random.default_rng(0),
    ),
    "forecast": lambda name: utility.forecast(
        0.01,
        documents=10,
        vocabulary=5,
        privacy=PRIVACY,
        equalisation=configuration_e.Equalisation(),
        scheme=name,
        sites=3,
    ),
    "sweep": lambda name: sweep.jobs(
        pca.Problem(load), [{"epsilon": 1.0}], schemes=[name], repeats=1, seed=0
    ),
    "unregister": lambda name: schemes.unregister(name),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["cap", "", NAME])
def test_a_name_without_a_record_is_refused_by_every_door(door, name):
    with pytest.raises(ValueError, match=rf"'conventional', 'cape'.*'{name}'"):
        DOORS[door](name)


def test_a_record_says_its_noise_and_who_sees_the_records():
    given = {f.name: getattr(further_scheme.SCHEME, f.name) for f in dataclasses.fields(schemes.Scheme)}
    for part in ("name", "explanation", "order", "seen_by", "noise"):
        with pytest.raises(TypeError, match=part):
            schemes.Scheme(**{name: value for name, value in given.items() if name != part})
    with pytest.raises(TypeError, match="noise must"):
        schemes.Scheme(**given | {"noise": None})
    with pytest.raises(ValueError, match="seen_by must"):
        schemes.Scheme(**given | {"seen_by": "the public"})
    with pytest.raises(ValueError, match="label must"):
        schemes.Scheme(**given | {"label": " "})


@pytest.mark.parametrize(
    ("noise", "error", "named"),
    [
        (lambda request: request.sites.std, TypeError, "Parts"),
        (lambda request: schemes.Parts(local_std=request.sites.std[1:]), ValueError, "local_std"),
        (lambda request: schemes.Parts(local_std=-request.sites.std), ValueError, "local_std"),
        (
            lambda request: schemes.Parts(local_std=request.sites.std, central_std=1.0),
            ValueError,
            "central_std",
        ),
        (lambda request: schemes.Parts(sum_only=True), ValueError, "sum_only"),
        (lambda request: schemes.Parts(senders=np.zeros(len(request.sites.std))), ValueError, "senders"),
    ],
)
def test_noise_that_cannot_be_drawn_is_refused(noise, error, named):
    given = {"explanation": "noise that cannot be", "order": 99, "seen_by": "nobody"}
    record = schemes.Scheme(name="odd", noise=noise, **given)
    with further_scheme.registered(record), pytest.raises(error, match=named):
        run("odd")


def test_a_name_or_label_is_taken_once(further):
    for change in ({}, {"label": "another"}, {"name": "another"}):
        with pytest.raises(ValueError, match="scheme must"):
            schemes.register(dataclasses.replace(further, **change))
    with pytest.raises(TypeError, match=r"scheme must.*core\.schemes\.Scheme"):
        schemes.register("cape")
    assert LABEL not in SCHEMES


def test_exposure_is_the_guarantee_of_every_site():
    std, weights, change = np.array([0.3, 0.5, 0.2, 0.4]), np.array([0.1, 0.2, 0.3, 0.4]), 0.1
    plan, epsilons = cape.design(std, weights), [1.0, 0.5, 2.0, 1.0]
    found = schemes.exposure(plan, [change] * 4, epsilons, colluding=[1], dropped=[2])
    for seen in (found.message, found.public, found.aggregator, found.colluders):
        assert np.isnan(seen[[1, 2]]).all() and np.isfinite(seen[[0, 3]]).all()
    np.testing.assert_allclose(found.message[[0, 3]], gdp_delta(1.0, change / std[[0, 3]]))
    alone = plan.leakage(change, [1], dropped=[2])[[0, 3]]
    np.testing.assert_allclose(found.colluders[[0, 3]], gdp_delta(1.0, np.sqrt(alone)))
    public = weights[[0, 3]] / 0.7 * change / plan.average_std([2])
    np.testing.assert_allclose(found.public[[0, 3]], gdp_delta(1.0, public))
    assert (found.colluders >= found.aggregator)[[0, 3]].all()
    with pytest.raises(ValueError, match="colluding must"):
        schemes.exposure(plan, [change] * 4, epsilons, colluding=range(4))


@pytest.mark.parametrize("dropped", [[], [0, 2]])
def test_the_measured_noise_is_that_of_the_design(dropped):
    """At 40,000 draws the relative error is 0.35 %; five of those are exceeded with probability 6e-7."""
    plan = cape.design([0.3, 0.5, 0.2, 0.4], [0.1, 0.2, 0.3, 0.4])
    found = schemes.measured_std(plan, draws=40_000, rng=np.random.default_rng(4), dropped=dropped)
    assert found == pytest.approx(plan.average_std(dropped), rel=0.0177)
    assert found != pytest.approx(1.1 * plan.average_std(dropped), rel=0.0177)
