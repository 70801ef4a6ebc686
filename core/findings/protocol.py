"""Findings about the CAPE protocol: who sees what, and sites that leave. [Cape] section 3, [Fact] section III."""

from __future__ import annotations

import numpy as np

from core import audit, cape, schemes
from core.findings.finding import Curve, Shown, finding
from core.privacy import Privacy, gaussian_mu, gdp_delta, gdp_mu

_TARGET = Privacy(1.0, 1e-5)


def _release(sites, **options):
    return schemes.release(np.zeros(sites), 1.0, _TARGET, **{"scheme": "cape", **options})


@finding(
    key="several-messages",
    papers=("Fact", "Cape"),
    place="[Fact] Theorems 1 and 2; [Cape] Figures 2 to 4 and 7, where ε and δ are those of one message",
    kind="overstated",
    plain="For someone who sees all ten messages, δ is {ratio} times the promise",
    title="The aggregator sees all messages, and they are correlated",
    says="Each site's message is (ε, δ)-private because its noise has the variance that a release alone "
    "needs; so is all that is computed from the messages.",
    true="The proof looks at one message. The aggregator holds S messages whose noise partly cancels, and "
    "also learns about a record from their sum: μ² grows by 2S/(S+1), even if nobody colludes, and "
    "also with a trusted noise generator. One message together with the published average already tells as much: "
    "at equal sites exactly 2S/(S+1).",
    changes="At S = 10 and the target (1, 10⁻⁵), the papers' noise leaves the aggregator δ = {correct} at ε = 1, {ratio} "
    "times the promised {published}. Their classical formula adds more noise than one message needs: noise calibrated "
    "exactly for one message leaves δ = 5·10⁻⁴, 50 times the promise.",
    ours=("core.cape.leakage", "core.schemes.release"),
)
def several_messages(rng):
    seen = gdp_delta(_TARGET.epsilon, _release(10, calibration="published", rng=rng).mu_aggregator)
    sites = np.arange(2, 51)
    factors = np.sqrt([cape.leakage(int(s)) for s in sites])
    lines = {"promised": np.full(len(sites), _TARGET.delta)}
    for name, calibration in (("exact calibration", "exact"), ("classical formula", "published")):
        lines[name] = gdp_delta(_TARGET.epsilon, factors * gaussian_mu(_TARGET, calibration=calibration))
    curve = Curve("sites S", "δ of all messages at ε = 1", sites, lines, (False, True))
    unit = "δ at ε = 1 against someone who sees all messages of 10 sites, with the papers' noise"
    return Shown(_TARGET.delta, float(seen), unit, ("promised", "all messages"), curve)


@finding(
    key="colluders-know",
    papers=("Cape",),
    place="[Cape] Theorem 1, equations (4) and (5)",
    kind="overstated",
    plain="Colluding sites learn more than the proof counts, because they know their own noise",
    title="Colluding sites know their own contributions to the zero-sum noise",
    says="Against S_C colluding sites the privacy loss has variance σ_z² as in equation (5), computed from "
    "the honest sites' messages and the sum of their contributions ê_s.",
    true="The covariance in the proof treats the colluders' ê_s as unknown, although the "
    "colluders know it. If it is known, μ² = (Δ/τ)² · S/(S+1) · (1 + S/S_H), which equals the "
    "joint Gaussian computed by brute force. The printed inverse of the covariance is also wrong, which is a "
    "separate finding: without colluders it is the whole error, and with 3 of 10 sites it hides part of this one.",
    changes="At S = 10 with 3 colluders the paper's view gives μ² (τ/Δ)² = {published} once its covariance is "
    "inverted correctly. With all that the colluders know it is {correct}, {ratio} times as large.",
    ours=("core.cape.leakage", "core.schemes.noise_design.NoiseDesign.leakage"),
)
def colluders_know(rng):
    colluding = np.arange(10)
    lines = {
        "equation (5)": cape.published_leakage(10, colluding),
        "with the right inverse": cape.published_leakage(10, colluding, form="inverted"),
        "exact": np.array([cape.leakage(10, int(c)) for c in colluding]),
    }
    curve = Curve("colluding sites of 10", "μ² (τ/Δ)²", colluding, lines)
    plan = cape.design(np.ones(10))
    exact = plan.leakage(1.0, range(7, 10))[0]
    own_unknown = float(cape.published_leakage(10, 3, form="inverted"))
    names = ("own noise unknown", "own noise known")
    return Shown(own_unknown, float(exact), "μ² (τ/Δ)²", names, curve)


@finding(
    key="inverse-covariance",
    papers=("Cape",),
    place="[Cape] proof of Theorem 1, the inverse of Σ_â",
    kind="overstated",
    plain="A wrong step in the proof makes CAPE look more private than it is, even if nobody colludes",
    title="The inverse covariance in the proof is wrong, and without colluders that is the whole error",
    says="The inverse of the covariance of the honest messages is S/((1+S)τ²) · (I + (2/S_H) 11ᵀ).",
    true="Its second coefficient is 1/(S_C + 1). The two agree only for S_C = (S − 2)/3. With fewer "
    "colluders the printed one is too small, and privacy looks better than it is. Without colluders no "
    "knowledge is ignored, so the whole difference between equation (5) and the exact μ² is due to this inverse.",
    changes="At S = 10 without colluders μ² (τ/Δ)² is {correct}, not {published}: {ratio} times as large.",
    ours=("core.cape.published_leakage", "core.cape.leakage"),
)
def inverse_covariance(rng):
    sites = 10
    colluding = np.arange(sites - 1)
    covariance = audit.view_covariance(cape.design(np.ones(sites)))
    # Without colluders the sum of all ê_s is independent of the messages and adds nothing.
    inverted = np.linalg.inv(covariance[:sites, :sites])[0, 0]
    lines = {
        "equation (5)": cape.published_leakage(sites, colluding),
        "with the right inverse": cape.published_leakage(sites, colluding, form="inverted"),
    }
    curve = Curve("colluding sites of 10", "μ² (τ/Δ)², own noise unknown", colluding, lines)
    names = ("as printed", "inverted")
    return Shown(cape.published_leakage(sites), float(inverted), "μ² (τ/Δ)²", names, curve)


@finding(
    key="negative-variance",
    papers=("Cape",),
    place="[Cape] equations (4) and (5)",
    kind="valid",
    plain="With more colluders than the theorem allows, a printed variance is negative",
    title="With many colluders the printed variance is negative",
    says="σ_z² is a sum of which the last term has the denominator S(1+S) − 3S_C².",
    true="The theorem asks for fewer than S/3 colluders, and there the denominator is positive. Where 3S_C² "
    "exceeds S(S+1), from about 0.58 S on, it is negative, while the exact expression holds for every "
    "S_C < S.",
    changes="At S = 10, S_C = 7 equation (5) gives {published}, the exact form {correct}.",
    ours=("core.cape.leakage",),
)
def negative_variance(rng):
    return Shown(cape.published_leakage(10, 7), cape.leakage(10, 7), "μ² (τ/Δ)²", ("equation (5)", "exact"))


@finding(
    key="honest-gain",
    papers=("Cape", "Fact"),
    place="[Cape] Proposition 1; [Fact] Proposition 1",
    kind="accuracy",
    plain="CAPE lowers the variance {correct} times, not {published}, at equal privacy against 3 colluding sites of 10",
    title="At the same guarantee against colluders the gain is smaller than S",
    says="CAPE's average has S times less noise variance than the conventional scheme's.",
    true="This holds at equal message noise, and so at equal privacy against whoever sees one message alone. Against the "
    "public, who sees the average alone, equal privacy is equal noise of the average: nothing is gained. At the "
    "*same true* guarantee against the aggregator and S_C colluders, CAPE needs more message noise, "
    "and the gain is (S+1)(S−S_C)/(2S−S_C): smaller than S, and still growing with S.",
    changes="At S = 10 and equal privacy against 3 colluders the gain is {correct} instead of {published}.",
    ours=("core.cape.honest_gain", "core.schemes.calibrated"),
)
def honest_gain(rng):
    conventional = _release(10, scheme="conventional", rng=rng).std
    honest = _release(10, against="colluders", colluding=3, rng=rng).std
    plain = _release(10, rng=rng).std
    sites = np.arange(5, 51)
    lines = {"Proposition 1": sites, "3 colluders": np.array([cape.honest_gain(int(s), 3) for s in sites])}
    curve = Curve("sites S", "gain in variance", sites, lines)
    gains = (float((conventional / std) ** 2) for std in (plain, honest))
    names = ("at equal noise", "at equal privacy")
    return Shown(*gains, "gain in variance at S = 10, 3 colluders", names, curve)


@finding(
    key="dropouts",
    papers=("Cape",),
    place="[Cape] section 3.3, the remark after Proposition 1",
    kind="accuracy",
    plain="If sites leave after the noise was agreed, the average gets noisier",
    title="If a site leaves after noise was agreed, part of the noise is no longer cancelled",
    says="Secure aggregation tolerates dropouts, so the gain stays the same irrespective of how many sites "
    "drop out.",
    true="If sites leave before the sum of the ê_s is formed, the S' others agree again. All zero-sum noise "
    "cancels, but the gain over the conventional scheme is then S', not S. If a site leaves *afterwards*, "
    "the remaining e_s do not cancel: the average of S' of S has variance (τ²/S')(1 − S'/S + 1/S). The "
    "others' privacy increases.",
    changes="When 2 of 10 sites leave after the agreement, the average's noise is {correct} of a message's, "
    "not {published}.",
    ours=("core.schemes.noise_design.NoiseDesign.average_std", "core.schemes.release"),
)
def dropouts(rng):
    message = 1 / gdp_mu(_TARGET)
    before = float(_release(10, absent=(8, 9), rng=rng).std)
    left = np.arange(10, 1, -1)
    after = np.array([float(_release(10, dropped=range(s, 10), rng=rng).std) for s in left]) / message
    lines = {"as if agreed anew": 1 / left, "left uncancelled": after}
    curve = Curve("sites that drop out, of 10", "noise / τ", 10 - left, lines)
    unit = "noise of the average, in messages' noise"
    return Shown(before / message, float(after[2]), unit, ("irrespective", "after agreement"), curve)


@finding(
    key="drawn-once",
    papers=("Fact", "Cape"),
    place="[Fact] Figures 2 to 5; [Cape] Figures 2 to 4 and 7: how the curves of CAPE were computed",
    kind="valid",
    plain="CAPE's curves were computed without the protocol; running it gives the same",
    title="CAPE's curves were computed with pooled noise; running the protocol gives the same result",
    says="The experiments' programs add noise of the pooled variance to the average instead of exchanging "
    "messages.",
    true="This is correct: the average that the protocol yields has exactly this distribution. But it does not allow "
    "a study of what the aggregator and colluders see; here the protocol runs message by "
    "message.",
    changes="The noise of 4,000 averages over 10 sites, each by the full protocol, has {correct} of a "
    "message's standard deviation; the shortcut has {published}.",
    ours=("core.schemes.messages.sent",),
)
def drawn_once(rng):
    result = schemes.release(np.zeros((10, 4000)), 1.0, _TARGET, scheme="cape", rng=rng)
    message = 1 / gdp_mu(_TARGET)
    unit = "noise of the average, in messages' noise"
    return Shown(1 / 10, float(result.value.std() / message), unit, ("drawn once", "by protocol"))
