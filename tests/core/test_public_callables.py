"""Every public function of `core` meets hostile values with an answer or an error that names the parameter."""

from __future__ import annotations

import types
from dataclasses import replace

import hostile
import numpy as np
import pytest
import scipy.sparse as sp

import core
from core import (
    audit,
    cape,
    decomposition,
    discrete,
    functional,
    metrics,
    moments,
    network,
    noise,
    parties,
    pca,
    privacy,
    schemes,
    secure_sum,
    series,
    summaries,
    sweep,
    tensors,
    topics,
)
from core.audit import reference_cases
from core.decomposition import problem as recovery
from core.discrete import geometric_grid, grid
from core.findings import FINDINGS, finding
from core.functional import losses, objective, quadratic
from core.moments import lda, sensitivities, whitening
from core.network import model
from core.parties import second_version
from core.pca import private_mean
from core.power import calibration, disturbances, implicit_tensors, private_iterations, streaming
from core.power import problem as power_problem
from core.privacy import Privacy, accountant, attack_risk, release_plan
from core.schemes import (
    after_design,
    amplitude,
    free_design,
    graph_noise,
    noise_design,
    projected_noise,
    terms,
)
from core.sweep import search, targets
from core.topics import configuration_e, configurations, scaled_noise, spectral, utility, variational
from core.topics import metrics as topic_metrics
from core.topics import problem as topics_problem

DRAW = np.random.default_rng(7)


def rng():
    return np.random.default_rng(0)


# What is small and right, by the parameter's name, wherever nothing else is said.
PRIVACY = Privacy(1.0, 1e-3)
UNIT = DRAW.standard_normal((2, 8, 3))
UNIT /= np.linalg.norm(UNIT, axis=2, keepdims=True)
PAIRS = [(x, np.clip(x[:, 0], -1, 1)) for x in UNIT]
LABELLED = [(x, np.arange(8) % 2.0) for x in UNIT]
COUNTS = sp.csr_array(DRAW.integers(1, 5, (8, 4)).astype(float))
WORDS = DRAW.dirichlet(np.ones(4), 2)
TABLE = DRAW.standard_normal((4, 3))
FRAME = np.linalg.qr(DRAW.standard_normal((3, 3)))[0][:2]
CUBE = tensors.compose(np.array([2.0, 1.0]), FRAME)
MOMENT = UNIT[0].T @ UNIT[0] / 8
DESIGN = noise_design.design([1.0, 1.0, 1.0])
AFTER = after_design.design([1.0, 1.0, 1.0])
PERSON = series.Participation(4, 2)
SERIES = series.Series(strategy=series.independent(PERSON), sites=5, mu=1.0)
RING = graph_noise.ring(3)
GRAPH = graph_noise.design([1.0, 1.0, 1.0], RING)
DOCUMENTS = DRAW.integers(0, 4, (2, 9, 3))
TRIPLES = [moments.single_topic(d, 4) for d in DOCUMENTS]
GAUSSIAN = moments.gaussian_mixture(UNIT[0], 0.01)
QUADRATIC = quadratic.Quadratic(1.0, np.array([0.5, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]]))
NETWORK = model.start(3, 2, rng=rng())
STATISTICS = topics.statistics(COUNTS, topics.Equalisation(), rng=rng())
SHARING = topics.Sharing(PRIVACY)
FOUND = topics.fit(COUNTS, 2, alpha0=1.0, privacy=None, rng=rng())
TENSOR = implicit_tensors.ComponentTensor(np.array([2.0, 1.0]), FRAME)
RELEASE = schemes.release(np.ones((3, 2)), 0.1, PRIVACY, scheme="cape", rng=rng())
REPEATED = schemes.repeated(0.1, PRIVACY, sites=3, scheme="cape")
PLANNED = release_plan.Planned("weekly", "mean", "cape", PRIVACY, 52, 0.1)
RELEASES = release_plan.ReleasePlan(PRIVACY, (PLANNED,))
FINDING = next(iter(FINDINGS.values()))
SETTINGS = {"sites": 2, "samples": 8, "k": 2, "data_seed": 0, "epsilon": 1.0, "delta": 1e-3, "dimension": 3}


def mechanism(data, runs, rng):
    return data + rng.standard_normal(runs)


def load_tables(settings):
    return list(UNIT), None


def load_pairs(settings):
    return PAIRS, None


def load_labelled(settings):
    return LABELLED, LABELLED[0]


def load_documents(settings):
    return list(DOCUMENTS), np.full((2, 4), 0.25), np.array([0.5, 0.5])


def load_counts(settings):
    return types.SimpleNamespace(
        sites=[COUNTS, COUNTS], held=COUNTS, topics=None, words=tuple("abcd"), vocabulary_public=True
    )


def load_components(settings):
    return TENSOR


PCA = pca.Problem(load_tables)
REGRESSION = functional.Problem(load_pairs)
TRAINING = network.Problem(load_labelled, options=(("steps", 1), ("hidden", 2)), start_seed=1)
RECOVERY = recovery.Problem(load_documents, options=(("restarts", 2),))
POWER = power_problem.Problem(load_components, ("data_seed",), restarts=1, iterations=1)
TOPIC_SETTINGS = {"k": 2, "alpha0": 1.0, "length": 12, "longest": 50, "spread": 0, "clip": 0, "third": 0.2}
POWERS = POWER.statistics(SETTINGS)
TOPICS = topics_problem.Problem(load_counts, ())
TOPIC_SETTINGS |= {"calibration": "exact", "measure": "overlap"}
HELD = {"statistics": TOPICS.statistics(TOPIC_SETTINGS), "settings": TOPIC_SETTINGS}
CELLS = {0.1: SETTINGS | {"epsilon": 0.1}, 1.0: SETTINGS}
ROW = tuple((x, tuple(sorted(cell.items()))) for x, cell in CELLS.items())
CLASSED = functional.Problem(lambda settings: (LABELLED, None), loss="logistic").statistics(SETTINGS)
JUDGED, TRUTH, SECOND = (problem.statistics(SETTINGS) for problem in (REGRESSION, RECOVERY, PCA))
SUMMARY = summaries.Summary("mean")
SCORES = {"scores": [0.2, 0.3, 0.5]}
TARGET = targets.Target("energy", 0.1)
ANSWERED = audit.distinguisher(mechanism, 0.0, 1.0, promise=1.0, runs=25, rng=rng())

NAMED = {
    "alpha": 0.1,
    "alpha0": 1.0,
    "bound": 1.0,
    "change": [0.5, 0.0],
    "configuration": "1",
    "counts": COUNTS,
    "d": 3,
    "delta": 1e-3,
    "epsilon": 1.0,
    "estimated": WORDS,
    "factors": np.eye(4)[:, :2],
    "features": UNIT[0],
    "first": 0.0,
    "second": 1.0,
    "k": 2,
    "kind": "round",
    "length": 0.5,
    "loss": "linear",
    "matrix": TABLE[:, :2],
    "mechanism": mechanism,
    "mu": 1.0,
    "neighbours": "entry",
    "onto": (-1.0, 1.0),
    "other": 0.5,
    "privacy": PRIVACY,
    "rng": rng(),
    "runs": 100,
    "sample": 8,
    "samples": [10, 20],
    "scheme": "cape",
    "seed": 0,
    "sensitivity": 0.1,
    "settings": SETTINGS,
    "shape": (2, 2),
    "share": 0.5,
    "sites": 3,
    "size": 0.5,
    "std": 1.0,
    "target": PAIRS[0][1],
    "tau": 1.0,
    "tensor": CUBE,
    "true": WORDS,
    "values": [2.0, 1.0],
    "vectors": FRAME,
    "weights": [0.5, 0.5],
    "words": WORDS,
    "vocabulary": 4,
    "documents": 100,
    "scale": 1.0,
    "sigma_k": 0.1,
    "sigma_1": 0.5,
    "gamma": 0.1,
}

# Where the name alone does not say it.
EXAMPLES = {
    audit.audit: {"promise": 1.0},
    audit.distinguisher: {"promise": 1.0, "runs": 25},
    audit.likelihood_ratio: {"covariance": np.eye(2)},
    audit.adversary_view: {"messages": np.ones((3, 2)), "zero_sum": np.ones((3, 2))},
    audit.view_covariance: {"design": DESIGN},
    audit.promised_tradeoff: {"promise": 1.0},
    audit.promised_mu: {"promise": 1.0},
    metrics.spacing: {"components": np.eye(3)},
    metrics.components_found: {"true": np.eye(3), "estimated": np.eye(3)},
    metrics.weight_error: {"true": [0.5, 0.5], "estimated": [0.4, 0.6]},
    scaled_noise.local_sensitivity: {"configuration": "3", "constants": "appendix"},
    sweep.forget: {"problem": PCA},
    sweep.warm: {"workers": None},
    audit.repeated: {"mechanism": lambda data, rng: np.array([data])},
    cape.gain_bounds: {"total": 100, "sites": 3},
    cape.delta: {"samples": 100},
    cape.conventional_delta: {"samples": 100},
    reference_cases.Case: {
        "title": "a",
        "lesson": "b",
        "sound": True,
        "promise": 1.0,
    },
    decomposition.fit: {"sites": TRIPLES, "model": "topics", "restarts": 1},
    decomposition.site_moments: {"sites": list(DOCUMENTS), "vocabulary": 4},
    decomposition.communication: {"method": "cape", "width": 3},
    decomposition.to_simplex: {"rows": TABLE},
    schemes.average_std: {"std": [1.0, 1.0, 2.0], "weights": None},
    schemes.error_of_average: {"scheme": "cape", "samples": 10},
    schemes.exposure: {
        "design": DESIGN,
        "sensitivities": [1.0] * DESIGN.sites,
        "epsilons": [1.0] * DESIGN.sites,
    },
    schemes.measured_std: {"design": DESIGN, "draws": 10},
    schemes.over_stages: {"message": 1.0, "aggregator": 1.3, "earlier": 0.5},
    decomposition.message_mus: {"model": "topics", "share": 0.5},
    schemes.most_dropouts: {"scheme": "secure", "sites": 10},
    schemes.planned: {"settings": {"dropped": 1, "dropouts": 1, "against": "aggregator"}, "sites": [3, 2, 1]},
    schemes.planned_silence: {"std": [1.0, 1.0, 2.0], "weights": None, "names": ["a", "b", "c"], "silent": 1},
    schemes.planned_std: {"std": [1.0, 1.0, 2.0], "weights": None, "silent": 1},
    schemes.promise: {"sites": 3, "scheme": "cape"},
    privacy.group_mu: {"mu": 0.5, "records": 3},
    functional.noise_by_width: {"loss": "linear", "widths": [2, 3], "records": 100},
    noise_design.design: {"std": [1.0, 1.0, 2.0], "weights": None},
    noise_design.published_design: {"std": [1.0, 1.0], "weights": None},
    noise_design.site_weights: {"weights": [0.5, 0.5], "sites": 2},
    functional.fit: {"sites": PAIRS, "mechanism": "cape"},
    functional.moments: {"sites": PAIRS},
    functional.with_intercept: {},
    functional.figures: {"judged": JUDGED, "w": np.zeros(3)},
    functional.gains: {"judged": JUDGED, "w": np.zeros(3)},
    functional.ranking: {"scores": np.arange(4.0), "labels": np.array([0.0, 1.0, 0.0, 1.0])},
    functional.likelihood_minimum: {"judged": CLASSED, "box": 1.0},
    model.start: {"dimension": 3},
    model.gradient: {"network": NETWORK, "labels": LABELLED[0][1], "clip": 1.0},
    model.Network: {
        "hidden_weights": np.ones((2, 3)),
        "hidden_bias": np.ones(2),
        "output_weights": np.ones(2),
        "output_bias": 0.0,
    },
    lda.cap_lengths: {"longest": 5},
    lda.documents: {},
    lda.first: {"weights": None},
    lda.second: {"weights": None},
    lda.second_operator: {"weights": None},
    lda.third: {"weights": None},
    lda.symmetric_third: {},
    lda.centred_second: {"second": MOMENT, "first": np.ones(3)},
    lda.centred_third: {"third": CUBE, "second": MOMENT, "first": np.ones(3)},
    losses.smooth: {"name": "square", "value": lambda z, y: (z - y) ** 2, "responses": (-1.0, 1.0)},
    moments.single_topic: {"documents": DOCUMENTS[0], "vocabulary": 4},
    moments.gaussian_mixture: {"records": UNIT[0], "variance": 0.01},
    moments.estimate_variance: {"sites": list(UNIT)},
    network.steps: {"sites": LABELLED, "steps": 1, "hidden": 2},
    network.train: {"sites": LABELLED, "scheme": "cape", "privacy": PRIVACY, "rng": rng(), "steps": 1},
    network.step_privacy: {"releases": 3},
    noise.spread: {"entries": np.ones(6), "shape": (3, 3), "distribution": "copied"},
    noise.symmetrise: {"array": MOMENT},
    objective.perturbed: {},
    pca.second_moments: {"sites": list(UNIT), "bound": 1.01},
    pca.checked_moments: {"moments": np.stack([MOMENT, MOMENT])},
    pca.fit: {"sites": list(UNIT), "samples": None, "weights": None, "bound": 1.01},
    pca.fit_about_mean: {"sites": list(UNIT), "scheme": "cape", "privacy": PRIVACY, "rng": rng()},
    pca.joint_sensitivity: {},
    private_mean.about_mean: {
        "moments": np.stack([MOMENT, MOMENT]),
        "means": np.zeros((2, 3)),
        "samples": [8, 8],
    }
    | {"scheme": "cape", "privacy": PRIVACY, "rng": rng(), "weights": None},
    pca.top_eigenvectors: {"matrix": MOMENT},
    pca.captured_energy: {"components": FRAME, "second_moment": MOMENT},
    pca.subspace_distance: {"first": FRAME, "second": FRAME},
    pca.low_rank_error: {"components": FRAME, "values": np.ones(2), "second_moment": MOMENT},
    pca.communication: {"method": "cape", "width": 3, "samples": 8},
    search.search: {
        "problem": PCA,
        "cells": CELLS,
        "target": TARGET,
        "schemes": ["cape"],
        "most": 6,
        "budget": 6,
    },
    search.Search: {"problem": PCA, "cells": ROW, "target": TARGET},
    search.solve: {"figure": lambda x: 1 / x, "low": 1.0, "high": 10.0, "bound": 0.5},
    calibration.accounting: {"releases": 4},
    calibration.entry_std: {},
    disturbances.disturbance: {},
    disturbances.alignment: {"true": FRAME, "estimated": FRAME},
    disturbances.layer: {"tensor": TENSOR},
    disturbances.recovered: {"tensor": TENSOR, "restarts": 1, "iterations": 1},
    disturbances.Axis: {"vector": np.array([1.0, 0.0, 0.0])},
    disturbances.Apart: {"tensor": CUBE, "rows": FRAME},
    implicit_tensors.Sum: {"parts": (CUBE, TENSOR)},
    implicit_tensors.symmetric_noise: {},
    implicit_tensors.SymmetricNoise: {"rows": np.ones((2, 3))},
    private_iterations.private: {"restarts": 1, "iterations": 1},
    private_iterations.perturbed: {"restarts": 1, "iterations": 1},
    streaming.online: {"batches": [UNIT[0]] * 4, "restarts": 1, "iterations": 1},
    streaming.OnlinePower: {"restarts": 1, "iterations": 1},
    privacy.split: {"shares": [1.0, 2.0]},
    projected_noise.ProjectedNoise: {},
    quadratic.repaired: {"quadratic": QUADRATIC, "linear_std": 0.1, "square_std": 0.1},
    quadratic.minimiser: {"quadratic": QUADRATIC},
    quadratic.interrupted: {"quadratic": QUADRATIC},
    quadratic.Quadratic: {"constant": 1.0, "linear": np.ones(2), "square": np.eye(2)},
    recovery.figures: {"statistics": TRUTH, "found": RECOVERY.fit(TRUTH, "nonprivate", None, DRAW, SETTINGS)},
    recovery.best_share: {
        "problem": RECOVERY,
        "shares": (0.4, 0.5),
        "repeats": 1,
    },
    recovery.Problem: {"load": load_documents},
    second_version.Column: {"name": "age", "unit": "years"},
    second_version.SeriesTerms: {"months": 4, "most": 2, "matrix": None},
    series.Participation: {"months": 4, "most": 2, "apart": 1},
    series.queries: {"kind": "totals", "months": 4, "window": 2},
    series.scaled: {"matrix": np.eye(4), "participation": PERSON},
    series.independent: {"participation": PERSON},
    series.square_root: {"participation": PERSON},
    series.tree: {"participation": PERSON},
    series.one_buffer: {"participation": PERSON, "amplitude": 0.5, "decay": 0.5},
    series.best_buffer: {"participation": PERSON, "asked": np.tri(4)},
    series.strategy: {"participation": PERSON, "asked": np.tri(4)},
    series.without: {"asked": np.tri(4), "months": (1,)},
    series.Series: {
        "strategy": series.independent(PERSON),
        "sites": 5,
        "mu": 1.0,
        "scheme": "cape-after",
        "shares": None,
    },
    attack_risk.certainty: {"prior": 0.5},
    attack_risk.success: {"base_rate": 0.01},
    attack_risk.mu_of_advantage: {"advantage": 0.1},
    schemes.release: {"statistics": np.ones((3, 2)), "weights": None},
    schemes.best_amplitude: {},
    schemes.variance_ratio: {"amplitude": 1.0},
    schemes.worst_dropouts: {"plan": DESIGN, "dropouts": 1},
    amplitude.equal_variances: {"amplitude": 1.0},
    amplitude.design: {"std": [1.0, 1.0, 2.0]},
    after_design.design: {"std": [1.0, 1.0, 2.0]},
    free_design.free_design: {"demands": [1.0, 1.0, 2.0], "weights": [0.25, 0.25, 0.5], "order": "before"},
    discrete.probabilities: {"reach": 5},
    discrete.sum_probabilities: {"stds": [1.0, 2.0]},
    discrete.convolution_error: {"stds": [1.0, 2.0]},
    discrete.total_variation: {"first": [0.2, 0.5, 0.3], "second": [1.0]},
    discrete.exact_delta: {"distribution": [0.2, 0.5, 0.3], "shift": 1},
    discrete.std_for: {"steps": 3.0},
    discrete.gaussian: {"std": 4},
    geometric_grid.pure_grid: {"changes": [0.1, 0.2], "epsilons": [1.0, 1.0], "size": 2, "honest": 2},
    discrete.divided: {"scale": 4, "parts": 3},
    discrete.divided_probabilities: {"scale": 4, "shape": 0.5, "reach": 6},
    discrete.largest_ratio: {"scale": 4, "shape": 0.5, "steps": 3},
    discrete.uniform: {"bound": 10, "size": 3},
    discrete.bernoulli_exp: {"numerators": [0, 1, 2], "denominator": 2},
    grid.summing: {"samples": 10, "length": 1.0},
    grid.grid_for: {"changes": [0.1, 0.2], "mus": [1.0, 1.0], "size": 4},
    graph_noise.Graph: {"edges": ((0, 1), (1, 2))},
    graph_noise.regular: {"sites": 6, "degree": 2},
    graph_noise.worst_average: {"plan": GRAPH, "dropouts": 1},
    graph_noise.least_average: {"plan": GRAPH, "dropouts": 1},
    graph_noise.graph_of: {"graph": "ring"},
    graph_noise.design: {"std": [1.0, 1.0, 2.0], "graph": RING, "weights": None},
    terms.Terms: {},
    configuration_e.Sharing: {},
    schemes.repeated: {"sites": 3, "weights": None},
    schemes.Held: {"statistics": np.ones((3, 2))},
    schemes.Repeated: {
        "request": REPEATED.request,
        "scheme": REPEATED.scheme,
        "noise": "iid",
        "leaky": False,
    },
    schemes.calibrated: {"std": np.ones(2), "sensitivities": np.ones(2), "weights": None},
    secure_sum.secure_sum: {"values": np.ones((3, 2)), "clip": 2.0, "rng": rng()},
    summaries.sensitivity: {"n": 4, "summaries": (SUMMARY,)},
    summaries.l1_sensitivity: {"n": 4, "summaries": (SUMMARY,)},
    summaries.statistic: {"values": TABLE[:, :1], "summaries": (SUMMARY,)},
    summaries.in_units: {"average": [0.5], "summaries": (SUMMARY,)},
    summaries.standard_errors: {"scheme": "cape", "sizes": [3, 5], "summaries": (SUMMARY,)},
    summaries.release: {"values": [TABLE[:, :1]] * 2, "summaries": (SUMMARY,), "scheme": "cape"},
    summaries.Summary: {"kind": "mean"},
    secure_sum.traffic: {"entries": 5},
    secure_sum.quantise: {"values": np.ones(3), "clip": 2.0},
    sensitivities.gaussian_changes: {"cosine": 0.0, "variance": 0.01},
    sweep.Job: {"problem": PCA, "settings": ROW[0][1], "repeat": 0},
    sweep.jobs: {"problem": PCA, "cells": [SETTINGS], "schemes": ["cape"], "repeats": 1},
    sweep.run: {"problem": PCA, "cells": [SETTINGS], "schemes": ["cape"], "repeats": 1},
    sweep.statistics: {"problem": PCA},
    targets.Target: {"figure": "energy", "value": 0.5},
    tensors.contract: {"first": np.eye(3), "second": None},
    tensors.outer: {"first": TABLE, "second": TABLE, "third": TABLE},
    tensors.decompose: {"method": "robust"},
    tensors.robust: {"restarts": 1, "iterations": 1},
    tensors.simultaneous: {"restarts": 1, "iterations": 1},
    topic_metrics.match_topics: {"reference": WORDS},
    topic_metrics.overlap: {"reference": WORDS, "count": 2},
    topic_metrics.match_top_words: {"reference": WORDS, "count": 2},
    topic_metrics.topics_found: {"reference": WORDS, "count": 2},
    topic_metrics.shared_mass: {"reference": WORDS},
    topic_metrics.likeliest_topics: {"counts": COUNTS, "words": WORDS, "alpha": [0.5, 0.5]},
    topic_metrics.perplexity: {"observed": COUNTS, "held": COUNTS, "alpha": [0.5, 0.5], "iterations": 2},
    topic_metrics.unigram_perplexity: {"observed": COUNTS, "held": COUNTS},
    spectral.proposed_topics: {"counts": COUNTS, "alpha0": 0.5},
    topics.fit: {"configuration": "E"},
    configuration_e.statistics: {"equalisation": topics.Equalisation()},
    configuration_e.fit: {"data": STATISTICS, "sharing": SHARING},
    configuration_e.Equalisation: {"length": 12.0},
    configurations.search: {"score": lambda found: 0.0, "parts": 1, "alpha0": 1.0, "privacy": PRIVACY},
    scaled_noise.lower_bound: {"value": 1.0},
    spectral.at_alpha0: {"topics": FOUND},
    spectral.simplex: {"rows": TABLE},
    spectral.recover: {
        "tensor": tensors.compose(np.array([2.0, 1.0]), np.eye(2)),
        "inverse": np.abs(TABLE[:, :2]),
        "scale": "sum",
    },
    utility.population_spectrum: {"alpha": [0.5, 0.5]},
    utility.population_eigenvalues: {"alpha": [0.5, 0.5]},
    utility.forecast: {"equalisation": topics.Equalisation(), "scheme": "cape"},
    variational.fit: {"iterations": 1, "inner": 1},
    variational.fit_baseline: {"iterations": 1},
    variational.pass_std: {"passes": 3},
    whitening.whiten: {"second_moment": MOMENT},
    whitening.top_eigenpairs: {"matrix": MOMENT},
    topics_problem.Problem: {"load": load_counts, "data_settings": ("data_seed",)},
    finding.Finding: {n: getattr(FINDING, n) for n in ("key", "papers", "place", "kind", "plain", "title")}
    | {n: getattr(FINDING, n) for n in ("says", "true", "changes", "ours", "demonstrate")},
    release_plan.Planned: {"name": "weekly", "statistic": "mean"},
    release_plan.ReleasePlan: {"budget": PRIVACY},
    pca.Problem: {"load": load_tables},
    functional.Problem: {"load": load_pairs},
    network.Problem: {"load": load_labelled},
    power_problem.figures: {"true": FRAME, "estimated": FRAME},
    power_problem.Problem: {"load": load_components, "data_settings": ("data_seed",)},
}
STATISTIC = parties.Statistic("mean", (2,), 0.0, 1.0)
MEMBERS = tuple(parties.Member(name, 0.5, 0.02, PRIVACY, 100) for name in ("a", "b"))
PLAN = parties.Plan(STATISTIC, MEMBERS, zero_sum="broadcast")
YEAR = replace(
    PLAN,
    scheme="cape-after",
    against="aggregator",
    series=second_version.SeriesTerms(4, 2, matrix=np.eye(4) - 0.5 * np.eye(4, k=-1)),
)
EXAMPLES |= {
    parties.Statistic: {"name": "mean", "lower": 0.0, "upper": 1.0},
    parties.Member: {"name": "a", "weight": 0.5, "sensitivity": 0.01},
    parties.Plan: {"statistic": STATISTIC, "sites": MEMBERS, "zero_sum": "broadcast"},
    parties.plan_of: {"statistic": STATISTIC, "samples": [8, 8], "change": 2.0},
    parties.exchange: {"plan": PLAN, "statistics": np.full((2, 2), 0.5)},
}
EXAMPLES[reference_cases.Case] |= {"mechanism": mechanism, "first": 0.0, "second": 1.0}

# Objects whose methods are called, and the arguments of those that the name alone does not say.
OBJECTS = [
    (
        YEAR,
        {
            "of_month": {"month": 2},
            "errors": {"asked": np.eye(4), "senders": None},
            "parts": {},
            "repeated": {},
            "release": {"statistics": np.full((2, 2), 0.5), "rng": rng()},
            "stated": {},
            "answers": {"sites": 2},
            "refuse_unfit": {},
            "promise": {"number": 0},
            "from_dict": {"found": PLAN.to_dict()},
            "read": {"content": PLAN.text().encode()},
        },
    ),
    (STATISTIC, {"checked": {"values": np.full(2, 0.5)}, "of": {"records": np.full((3, 2), 0.5)}}),
    (
        accountant.Accountant(1.0, 0.5, 0.2),
        {"left": {"budget": PRIVACY}, "from_dict": {"found": accountant.Accountant().to_dict()}},
    ),
    (
        RELEASES,
        {
            "from_dict": {"found": RELEASES.to_dict()},
            "read": {"content": RELEASES.text().encode()},
            "further": {"place": 0},
        },
    ),
    (ANSWERED, {"judge": {"first_scores": np.arange(9.0), "second_scores": np.arange(9.0)}}),
    (ANSWERED.judge(np.arange(9.0), np.arange(9.0)), {}),
    (
        reference_cases.message(PRIVACY),
        {
            "distinguisher": {"runs": 25},
            "scores": {"test": ANSWERED},
            "audit": {},
        },
    ),
    (
        GRAPH,
        {
            "leakage": {"sensitivities": 1.0},
            "worst": {"sensitivities": 1.0, "colluding": 1},
            "sample": {"draw": lambda std: np.zeros(())},
        },
    ),
    (terms.Terms(), {}),
    (SUMMARY, {"of": {"values": [0.5]}}),
    (discrete.OPERATING_SYSTEM, {"bytes": {"length": 4}}),
    (DESIGN, {"leakage": {"sensitivities": 1.0}, "cancel": {"seeds": np.ones((3, 2))}}),
    (AFTER, {"leakage": {"sensitivities": 1.0}, "average_std": {}, "fallback_std": {}}),
    (PERSON, {"sensitivity": {"gram": np.eye(4)}, "worst": {"gram": np.eye(4)}, "signed": {"most": 9}}),
    (SERIES.strategy, {"variances": {"asked": np.eye(4)}, "restarted": {"month": 2}}),
    (
        SERIES,
        {"mu_of": {"pattern": [1.0, 0, 0, 0], "silent": True}, "covariance": {"senders": np.ones((4, 5))}}
        | {"variances": {"asked": np.eye(4), "senders": None}, "expected": {"asked": np.eye(4)}}
        | {name: {"gone": 1, "silent": 1} for name in ("hiding", "hiding_in_averages")},
    ),
    (FINDING, {"consequence": {"shown": FINDING.demonstrate(rng())}}),
    (functional.moments(PAIRS, loss="linear"), {"empirical": {"w": np.zeros(3)}}),
    (
        NETWORK,
        {
            "at": {"vector": NETWORK.vector},
            "accuracy": {"labels": LABELLED[0][1]},
            "loss": {"labels": LABELLED[0][1]},
        },
    ),
    (
        losses.LINEAR,
        {"l1": {"dimension": 3}, "approximation_error": {"radius": 1.0}, "empirical": {"w": np.ones(3)}},
    ),
    (
        PCA,
        {"fit": {"statistics": SECOND}, "estimate": {"statistics": SECOND}}
        | {"judged": {"statistics": SECOND, "components": FRAME}},
    ),
    (RELEASE, {}),
    (SHARING, {"join": {"statistics": [np.ones(3)], "sizes": [8]}}),
    (
        TARGET,
        {
            "score": {"row": {"energy": 1.0}, "best": None},
            "margins": SCORES,
            "verdict": SCORES | {"error": 0.05},
        },
    ),
    (projected_noise.ProjectedNoise(TABLE[:, :2]), {"spread": {"entries": np.ones(4)}}),
    (REPEATED, {"release": {"statistics": np.ones((3, 2))}}),
    (calibration.accounting(PRIVACY, 2), {}),
    (FOUND, {"top_words": {}}),
    (FOUND.moments, {}),
    (RECOVERY, {"fit": {"statistics": TRUTH}, "estimate": {"statistics": TRUTH}}),
    (
        TOPICS,
        {
            "fit": HELD | {"method": "cape"},
            "figures": HELD | {"found": FOUND},
            "estimate": HELD,
            "statistics": {"settings": TOPIC_SETTINGS},
            "equalisation": {"settings": TOPIC_SETTINGS},
            "earlier": {"settings": TOPIC_SETTINGS},
        },
    ),
    (REGRESSION, {"fit": {"statistics": JUDGED}, "estimate": {"statistics": JUDGED}}),
    (
        TRAINING,
        {
            "estimate": {"statistics": TRAINING.statistics(SETTINGS)},
            "training": {"statistics": TRAINING.statistics(SETTINGS)},
            "figures": {"statistics": TRAINING.statistics(SETTINGS), "network": NETWORK},
            "begin": {"width": 2},
        },
    ),
    (POWER, {name: {"statistics": POWERS, "scheme": "alg3_exact"} for name in ("fit", "estimate")}),
    (topics.Equalisation(), {"suited": {}}),
]

# Left out, each for a reason.
INTERNAL = {
    # Made by the app and by `sweep.warm`; tests/core/sweep/test_workers.py uses them.
    "workers",
    "Warm",
    # A decorator of classes of core.
    "hashed",
    # Steps of `schemes.release` and of secure aggregation, whose arguments these have checked.
    "messages",
    # Steps of a training and of configuration E, likewise.
    "site_gradients",
    "documents_of_sites",
    "few_directions",
    "protocol",
    "masks",
    "crypto",
    # Records of schemes and their names; tests/core/schemes/test_records.py asks at every door.
    "registry",
    "scheme",
    # Who draws which noise: steps of `schemes.release`, too.
    "parts",
    # Steps of `schemes.planned_silence`.
    "silent_sets",
    # Steps of a party, behind `core.parties`; tests/core/parties damages every message.
    "aggregator",
    "averaging",
    "codec",
    "edge_line",
    "letter",
    "party",
    "plan_file",
    "series_noise",
    "series_site",
    "site",
    "source",
    "trusted",
    # A site's file of noise; tests/core/series damages it.
    "history",
    # Files and bytes of a desk; tests/core/desk damages each of them.
    "agreement",
    "centre",
    "commands",
    "desk",
    "drawn",
    "files",
    "heads",
    "keys",
    "ledger",
    "letters",
    "local_socket",
    "receipt",
    "recomputed",
    "records",
    "released",
    "result",
    "running",
    "table",
    "shamir",
    "stages",
    # Checks themselves: they say what is wrong with the value they are told the name of.
    "check",
    "foreign",
    "arguments",
}
# Made with arguments that their callers have checked, in the innermost loops.
UNCHECKED = {
    "noise_left",
    "remains_of",
    "told",
    "promised",
    "members",
    "in_range",
    "distinct",
    "average",
    "pack",
    "unpack",
    "triangle",
    "message_std",
    "width",
    "clip_bound",
    "document_weights",
    "projected_copied",
    "aligned",
    "decompose",
    "by_eigenvalue",
    "whitening",
    "leading",
    "corpus",
    "lengths",
    "component",
    "quietest",
    "sum_of_smallest",
    "hidden",
    "excess",
    "most_silent",
    "agreed",
    "Terms.agreed",
    "checked_columns",
    "checked_keys",
    "noise",
    "amplitude_option",
    "graph_option",
    "sites_of",
    "GraphDesign.shared",
    "NoiseDesign.total",
    "Repeated.of",
    "Repeated.parts",
    "Repeated.refuse_unfit",
    "Plan.refuse_sensitivity",
    "Plan.sensitivity",
    "Statistic.sensitivity",
    "answers_needed",
    "short_text",
    "triple_scale",
}
# Parameters that say something else than the rest, see `hostile.faults`.
SPECIAL = {
    "audit": {"opaque": ("first", "second")},
    "distinguisher": {"opaque": ("first", "second")},
    "Case": {"opaque": ("first", "second")},
    # A job keeps any problem; `jobs`, `run` and `statistics` look at it.
    "Job": {"opaque": ("problem",)},
    "NoiseDesign.cancel": {"changed": ("seeds",)},
    "lda.second": {"changed": ("out",)},
    # Its statistics are the records, and the error says at which site they are wrong.
    "training.Problem.estimate": {"opaque": ("statistics",)},
    "training.Problem.training": {"opaque": ("statistics",)},
    "training.Problem.figures": {"opaque": ("statistics",)},
    # NaN: no cell misses the target.
    "search.search": {
        "nan": ("cells", "schemes", "seed", "executor", "on_answer", "cancelled", "problem", "target")
    },
}


CASES = hostile.cases(core, EXAMPLES, OBJECTS, internal=INTERNAL, unchecked=UNCHECKED)


@pytest.mark.parametrize("name", CASES)
def test_hostile_values_are_answered_in_words(name):
    function, own = CASES[name]
    example = hostile.example(function, NAMED, own)
    assert hostile.faults(name, function, example, **hostile.special(SPECIAL, name)) == []
