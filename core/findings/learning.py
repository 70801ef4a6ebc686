"""Findings about regression and networks. [Cape] sections 4 and 5 and their appendices."""

from __future__ import annotations

import numpy as np

from core import functional, schemes
from core.findings.finding import Curve, Shown, finding
from core.functional import losses, objective, quadratic
from core.privacy import Privacy, gaussian_mu, gdp_delta, gdp_epsilon

_SITES, _WIDTH = 5, 20
_DELTA = 1e-5


def _regression(count, rng, width=_WIDTH):
    """Records as in [Cape] section 5.2: w* on [-1, 1]^d and x on [0, 1]^d, both of length one, y = xᵀw*."""
    w = rng.uniform(-1, 1, width)
    w /= np.linalg.norm(w)
    x = rng.random((_SITES * count, width))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return functional.moments(
        list(zip(np.split(x, _SITES), np.split(x @ w, _SITES), strict=True)), loss="linear"
    ), w


def _error(w, truth):
    return float(np.linalg.norm(w - truth) / len(truth))


@finding(
    key="whole-budget-each",
    papers=("Cape",),
    place="[Cape] Algorithm 3, Theorem 2 and Algorithm 4",
    kind="overstated",
    plain="A regression gives each of three tables the whole budget, so together they reveal more",
    title="Every coefficient of the loss is given the whole budget",
    says="Noise of Λ0, Λ1 and Λ2 is calibrated to (ε, δ) each, and the perturbed loss is (ε, δ)-private.",
    true="The three are released together about the same records. One record can move Λ0 fully, and Λ1 and "
    "Λ2 at once: after division by their own sensitivities their joint one is 1.5 (linear) and 1.25 "
    "(logistic). No minimiser needs Λ0, so it should not be released.",
    changes="Nominally (0.5, 10⁻⁵), a linear regression truly has δ = {correct} instead of {published}.",
    ours=("core.functional.fit", "core.functional.losses.LINEAR"),
)
def whole_budget_each(rng):
    target = Privacy(0.5, _DELTA)
    # y = 1 gives way to y = 0, and x to one at right angles.
    x, y = np.eye(2), np.array([1.0, 0.0])
    one, other = (losses.LINEAR.coefficients(x[[i]], y[[i]]) for i in (0, 1))
    parts = (abs(getattr(one, n) - getattr(other, n)) for n in ("constant", "linear", "square"))
    joint = np.linalg.norm(
        [np.linalg.norm(p) / s for p, s in zip(parts, losses.LINEAR.sensitivities, strict=True)]
    )
    kept = gdp_delta(target.epsilon, float(joint) * gaussian_mu(target, calibration="published"))
    return Shown(target.delta, float(kept), "δ at ε = 0.5", ("target", "true value"))


@finding(
    key="dpfm-constant",
    papers=("Cape",),
    place="[Cape] sections 4.3 and appendix H, Δ of dp-fm",
    kind="valid",
    plain="A rival method was given more noise than its guarantee needs",
    title="The compared method dp-fm used a sensitivity that is far from tight",
    says="The functional mechanism with Laplace noise has Δ = 2(d+1)²/N for linear and (d²/4 + 3d)/N for "
    "logistic regression.",
    true="Both constants come from the literature and are valid. If each monomial is counted once and the "
    "constant is not released, little more than √(8d) + √2 d and √(d/2) + √2 d/8 suffice, so dp-fm is better "
    "than the figures show. The saved numbers of Figure 7 are even larger than the printed constant "
    "explains.",
    changes="At d = 20 dp-fm's noise can be {ratio} times smaller: Δ = {correct}/N instead of {published}/N.",
    ours=("core.functional.losses.MarginLoss.l1", "core.functional.fit"),
)
def dpfm_constant(rng):
    widths = np.arange(2, 101)
    forms = {"printed": "published", "tight": "exact"}
    lines = {
        name: np.array([losses.LINEAR.l1(int(d), form=form) for d in widths]) for name, form in forms.items()
    }
    curve = Curve("width d", "N Δ", widths, lines, (False, True))
    at = (float(losses.LINEAR.l1(_WIDTH, form=form)) for form in forms.values())
    return Shown(*at, "N times the l1 sensitivity at d = 20", tuple(forms), curve)


@finding(
    key="objpert-as-run",
    papers=("Cape",),
    place="[Cape] section 5.2 and Figure 7, objPert",
    kind="accuracy",
    plain="A rival method was run with noise that does not shrink with more records",
    title="objPert was run as output perturbation, with noise that does not fall with N",
    says="Objective perturbation, of sensitivity 2, is one of the methods compared; its error does not fall "
    "with the records.",
    true="The saved results are those of ŵ = w* + b with ‖b‖ ~ Gamma(d, 2/ε), whatever N. Objective "
    "perturbation as Chaudhuri, Monteleoni and Sarwate define it adds bᵀw/N to the objective, and its "
    "error falls with N.",
    changes="At ε = 1, d = 20, N = 20,000 err_w is {correct}, not {published}.",
    ours=("core.functional.objective.perturbed", "core.functional.fit"),
)
def objpert_as_run(rng):
    result, truth = _regression(4000, rng)
    repeats = 20
    as_run = rng.gamma(_WIDTH, 2.0, size=repeats) / _WIDTH
    real = [
        objective.perturbed(result.features, result.target, loss="linear", epsilon=1.0, rng=rng).coefficients
        for _ in range(repeats)
    ]
    errors = float(as_run.mean()), float(np.mean([_error(w, truth) for w in real]))
    return Shown(*errors, f"err_w, mean of {repeats} runs", ("as run", "as defined"))


@finding(
    key="stopped-early",
    papers=("Cape",),
    place="[Cape] section 5.2 and Figure 7 (c), (d), (g), (h), (k), (l): the panels with d = 50",
    kind="accuracy",
    plain="With 50 features the program stopped before it reached its answer",
    title="With 50 features the optimiser ran out of function evaluations",
    says="ŵ minimises the perturbed objective, and its distance from w* is drawn.",
    true="The optimiser ends after 3,000 evaluations of the function. A gradient by finite differences takes "
    "51 of them at d = 50, so it stops after about 58 steps. Where noise is large the polynomial has no minimum "
    "inside the box, and 58 steps from 0 do not reach a corner of it: the result stays shorter than the "
    "minimiser, and closer to w*. At d = 20 there are 142 steps, and the difference is small.",
    changes="At d = 50, N = 5,000, ε = 1 CAPE's err_w is {published} where the search stops, and {correct} at a "
    "minimum of the same polynomial.",
    ours=("core.functional.quadratic.interrupted", "core.functional.quadratic.minimiser"),
)
def stopped_early(rng):
    target, repeats = Privacy(1.0, _DELTA), 8
    widths = np.array([10, 30, 50])
    errors = np.zeros((2, len(widths), repeats))
    for i, d in enumerate(widths):
        for repeat in range(repeats):
            result, truth = _regression(1000, rng, width=int(d))
            fit = functional.fit(result, mechanism="cape", privacy=target, rng=rng, **functional.PUBLISHED)
            errors[:, i, repeat] = [
                _error(w, truth) for w in (fit.coefficients, quadratic.minimiser(fit.released))
            ]
    stopped, least = errors.mean(axis=2)
    curve = Curve("features d", "err_w", widths, {"stopped": stopped, "at a minimum": least})
    unit = f"err_w at d = 50, mean of {repeats} runs"
    return Shown(float(stopped[-1]), float(least[-1]), unit, ("stopped", "at a minimum"), curve)


@finding(
    key="perturbed-loss",
    papers=("Cape",),
    place="[Cape] section 5.2 and Figures 3 and 4",
    kind="accuracy",
    plain="Two figures draw the noisy objective and call it the loss",
    title="Figures 3 and 4 show the perturbed objective, not the loss",
    says="f_D(ŵ), the empirical loss at the minimiser, is plotted against ε, N and δ.",
    true="The plot shows the absolute value of the *noisy* polynomial at its own minimiser, which "
    "measures the noise as much as the fit. The true loss of several curves is above that of "
    "predicting 0 for everybody.",
    changes="For the conventional scheme at ε = 0.1, N = 5,000 the plotted value is {published}, the true "
    "loss {correct}.",
    ours=("core.functional.Moments.empirical", "core.functional.figures"),
)
def perturbed_loss(rng):
    result, _ = _regression(1000, rng)
    epsilons = np.geomspace(0.05, 5, 9)
    drawn, true = (np.zeros((5, len(epsilons))) for _ in range(2))
    for i, epsilon in enumerate(epsilons):
        for repeat in range(len(drawn)):
            options = {"form": "published", "calibration": "published", "repair": "none"}
            target = Privacy(float(epsilon), _DELTA)
            fit = functional.fit(result, mechanism="conventional", privacy=target, rng=rng, **options)
            drawn[repeat, i] = abs(fit.released(fit.coefficients))
            true[repeat, i] = result.empirical(fit.coefficients)
    lines = {
        "perturbed, as drawn": drawn.mean(axis=0),
        "true loss": true.mean(axis=0),
        "predicting 0": np.full(len(epsilons), result.empirical(np.zeros(_WIDTH))),
    }
    curve = Curve("ε", "loss", epsilons, lines, (True, True))
    at = (float(np.interp(0.1, epsilons, lines[name])) for name in ("perturbed, as drawn", "true loss"))
    return Shown(*at, "loss at ε = 0.1, mean of 5", ("drawn", "true"), curve)


@finding(
    key="unbounded-quadratic",
    papers=("Cape",),
    place="[Cape] Algorithms 3 and 4, the minimiser of the perturbed loss",
    kind="accuracy",
    plain="Noise can leave a regression without a best answer; a repair costs no privacy",
    title="The perturbed quadratic may have no minimum",
    says="ŵ minimises the noisy polynomial.",
    true="Λ2 plus noise need not be positive; then the polynomial is unbounded below, and a solver stops at "
    "its box. Repairing Λ2 first is post-processing, costs no privacy, and gives a far "
    "better ŵ.",
    changes="In the conventional scheme at ε = 0.1, N = 5,000 err_w falls from {published} to {correct} by "
    "the repair alone.",
    ours=("core.functional.quadratic.repaired",),
)
def unbounded_quadratic(rng):
    result, truth = _regression(1000, rng)
    errors = []
    for repair in ("none", "shrink"):
        fits = [
            functional.fit(
                result, mechanism="conventional", privacy=Privacy(0.1, _DELTA), rng=rng, repair=repair
            )
            for _ in range(10)
        ]
        errors.append(float(np.mean([_error(f.coefficients, truth) for f in fits])))
    return Shown(*errors, "err_w, mean of 10 runs", ("as it is", "repaired"))


@finding(
    key="network-noise",
    papers=("Cape",),
    place="[Cape] Figure 2, how the network was trained",
    kind="accuracy",
    plain="The conventional network was trained with more noise than it needed",
    title="The conventional network got √S times the noise it needed",
    says="At every step the sites' gradients are averaged, conventionally or by CAPE.",
    true="The program scales the conventional average's noise by S instead of √S, and divides gradients "
    "by the batch size twice. So the printed accuracies are not comparable. With the right factors CAPE "
    "still trains better than the conventional scheme.",
    changes="At S = 4 the conventional average's noise is {correct} times the pooled one, not {published} "
    "times.",
    ours=("core.network.steps", "core.schemes.release"),
)
def network_noise(rng):
    sites = 4
    std = [
        float(schemes.release(np.zeros(sites), 1.0, Privacy(1.0, 0.01), scheme=scheme, rng=rng).std)
        for scheme in ("conventional", "pooled")
    ]
    return Shown(float(sites), std[0] / std[1], "noise of the average / pooled noise", ("as run", "needed"))


@finding(
    key="per-step-epsilon",
    papers=("Cape",),
    place="[Cape] Figure 2, x axis",
    kind="valid",
    plain="The axis shows ε of one training step; the whole training costs more",
    title="ε per iteration is not the ε of the training",
    says="Accuracy is plotted against ε per iteration, as the label says.",
    true="All iterations use the same records. The privacy cost of a trained network is the composition of all "
    "steps, exactly μ² = Σ μ_t², which the figure does not state.",
    changes="With ε = {published} and δ = 0.01 in each of 500 steps, the whole training has ε = "
    "{correct} at δ = 0.01.",
    ours=("core.network.step_privacy", "core.privacy.compose"),
)
def per_step_epsilon(rng):
    steps, delta = np.unique(np.geomspace(1, 500, 40).astype(int)), 0.01
    mu = gaussian_mu(Privacy(1.0, delta), calibration="published")
    total = np.array([gdp_epsilon(delta, mu * np.sqrt(t)) for t in steps])
    curve = Curve("steps", "ε", steps, {"per step": np.ones(len(steps)), "in all": total}, (True, True))
    return Shown(1.0, float(total[-1]), "ε at δ = 0.01", ("per step", "in all"), curve)
