"""Findings about power methods. [Power] sections 2 to 4."""

from __future__ import annotations

import numpy as np

from core import power as powers
from core import tensors
from core.findings.finding import Curve, Shown, finding
from core.privacy import Privacy

_TARGET = Privacy(1.0, 1e-6)
_RELEASES = 63  # k = L = 3, R = 6.


def _orthonormal(k, d, rng):
    return np.linalg.qr(rng.standard_normal((d, k)))[0].T


def _stream(values, vectors, batch, rng, rate=0.1, spread=0.05):
    """Endless records Σ ξ_i v_i + z whose third moment is Σ λ_i v_i⊗v_i⊗v_i: skewed sources, symmetric noise."""
    size = np.cbrt(values / (rate * (1 - rate) * (1 - 2 * rate)))
    while True:
        sources = ((rng.random((batch, len(size))) < rate) - rate) * size
        yield sources @ vectors + spread * rng.standard_normal((batch, vectors.shape[1]))


def _cosine(one, two):
    return float(abs(one @ two) / np.linalg.norm(one) / np.linalg.norm(two))


@finding(
    key="online-deflation",
    papers=("Power",),
    place="[Power] Algorithm 2, line 7, ξ",
    kind="accuracy",
    plain="The method for streams subtracts a wrong amount and usually loses the last component",
    title="The online method deflates with the wrong vector",
    says="Found components are subtracted with ξ = v̂ᵀũ_{t+1}, from the image that is being computed.",
    true="The deflated tensor's image of u_t is T(I,u_t,u_t) − Σ λ̂_j (v̂_jᵀu_t)² v̂_j: ξ belongs to u_t. "
    "The printed ξ agrees near v̂_j for λ_j = 1 only, and usually loses the last component.",
    changes="On a stream with λ = 3, 2, 1 the last component is found with cosine {published} as printed "
    "and {correct} corrected (mean of 10).",
    ours=("core.power.online",),
)
def online_deflation(rng):
    values, d = np.array([3.0, 2.0, 1.0]), 20
    cosines = {"published": [], "corrected": []}
    for _ in range(10):
        vectors = _orthonormal(3, d, rng)
        for deflation, kept in cosines.items():
            stream = _stream(values, vectors, 1000, rng)
            result = powers.online(stream, 3, restarts=5, iterations=8, rng=rng, deflation=deflation)
            kept.append(powers.alignment(vectors, result.vectors)[-1])
    return Shown(
        *(float(np.mean(c)) for c in cosines.values()),
        "|cos| of the last component",
        ("printed", "corrected"),
    )


@finding(
    key="online-index",
    papers=("Power",),
    place="[Power] Algorithm 2, line 6",
    kind="notation",
    plain="An index in a printed update names the wrong thing",
    title="An index in the online update names the component, not the record",
    says="ũ ← ũ + (1/n)(x_ℓᵀu)² x_i for each record ℓ, where i counts the components.",
    true="It must be x_ℓ, as in the surrounding text. With x_i every step would return the direction of one "
    "and the same record.",
    changes="Read literally, a step has cosine {published} with the leading component; with x_ℓ {correct}.",
    ours=("core.power.OnlinePower",),
)
def online_index(rng):
    values, vectors = np.array([3.0, 1.0]), _orthonormal(2, 20, rng)
    records = next(_stream(values, vectors, 4000, rng))
    u = vectors[:1] + 0.2 * _orthonormal(1, 20, rng)
    squares = (records @ u[0]) ** 2
    # The first 50 records, each in turn as x_i.
    literal = np.mean([_cosine(vectors[0], x) for x in records[:50]])
    right = _cosine(vectors[0], squares @ records)
    return Shown(float(literal), right, "|cos| of one step with the leading component", ("x_i", "x_ℓ"))


@finding(
    key="online-value",
    papers=("Power",),
    place="[Power] Algorithm 2, line 10",
    kind="accuracy",
    plain="The strength that the method for streams reports belongs to an earlier vector",
    title="The online eigenvalue belongs to the vector before the last",
    says="λ̂ is the accumulated (x_ℓᵀu)³ of the last step, v̂ the vector that this step makes.",
    true="The last step multiplies with u_{R−1} and makes u_R, so λ̂ belongs to u_{R−1} and is too small by the "
    "gain of the last step. One further pass computes T(v̂,v̂,v̂), which every later deflation then uses.",
    changes="After two steps from a start at cosine 0.4 the printed λ̂ is {published} where λ = {correct}.",
    ours=("core.power.OnlinePower",),
)
def online_value(rng):
    vectors = _orthonormal(2, 50, rng)
    tensor = powers.ComponentTensor(np.array([1.0, 0.5]), vectors)
    u = 0.4 * vectors[:1] + np.sqrt(1 - 0.4**2) * _away(vectors, rng)
    u = tensors.power(tensor, u)
    u /= np.linalg.norm(u)
    image = tensors.power(tensor, u)
    last = image / np.linalg.norm(image)
    values = (float((w * tensors.power(tensor, w)).sum()) for w in (u, last))
    return Shown(*values, "λ̂ (λ = 1)", ("of u_{R−1}", "of v̂"))


def _away(vectors, rng):
    """A unit row, a third of its length along the second component and the rest off both."""
    rest = rng.standard_normal(vectors.shape[1])
    rest -= (rest @ vectors.T) @ vectors
    return (vectors[1] / 3 + np.sqrt(8) / 3 * rest / np.linalg.norm(rest))[None]


@finding(
    key="advanced-composition",
    papers=("Power",),
    place="[Power] Algorithm 3, line 2, and the proof of Theorem 4.1",
    kind="notation",
    plain="A printed step does not follow from its theorem; the guarantee holds nevertheless",
    title="The printed ε' does not follow from the theorem it cites",
    says="ε' = ε/√(K(4 + ln(2/δ))) per release gives ε for all K by advanced composition.",
    true="That theorem (Dwork and Roth, 3.20) gives ε'√(2K ln(2/δ)) + Kε'(e^ε' − 1), which is more than ε. "
    "The guarantee holds nevertheless, because Gaussian releases compose better than the theorem states.",
    changes="For 63 releases at ε = {published} the cited theorem certifies only ε = {correct}.",
    ours=("core.power.accounting",),
)
def advanced_composition(rng):
    log = np.log(2 / _TARGET.delta)
    step = _TARGET.epsilon / np.sqrt(_RELEASES * (4 + log))
    total = step * np.sqrt(2 * _RELEASES * log) + _RELEASES * step * np.expm1(step)
    return Shown(_TARGET.epsilon, float(total), "ε of all releases, δ = 10⁻⁶", ("stated", "certified"))


@finding(
    key="composed-too-wide",
    papers=("Power",),
    place="[Power] Algorithm 3 and Theorem 4.1",
    kind="valid",
    plain="The private power method can use several times less noise at the same guarantee",
    title="The private power method has a far smaller ε than it states",
    says="K = kL(R+1) noisy answers are (ε, δ)-private together.",
    true="They are Gaussian, so they compose exactly, μ² = K μ_step². The noise can be several times "
    "smaller at the same guarantee, which decides whether components are found at all.",
    changes="At nominal ε = {published}, k = L = 3, R = 6 the true value is ε = {correct}.",
    ours=("core.power.accounting", "core.power.private"),
)
def composed_too_wide(rng):
    epsilons = np.geomspace(0.1, 5, 30)
    kept = np.array(
        [
            powers.accounting(
                Privacy(e, _TARGET.delta), _RELEASES, neighbours="published", calibration="published"
            ).epsilon(_TARGET.delta)
            for e in epsilons
        ]
    )
    curve = Curve("nominal ε", "true ε", epsilons, {"nominal": epsilons, "true": kept}, (True, True))
    at = powers.accounting(_TARGET, _RELEASES, neighbours="published", calibration="published").epsilon(
        _TARGET.delta
    )
    return Shown(_TARGET.epsilon, at, "ε at δ = 10⁻⁶", ("target", "true value"), curve)


@finding(
    key="six-term-neighbours",
    papers=("Power",),
    place="[Power] Definition 4.2",
    kind="notation",
    plain="Read literally, a definition lets one number change by six instead of one",
    title="Read literally, a diagonal entry of a neighbour changes by six",
    says="Neighbours differ in a single entry, up to symmetry: by the sum of e_i⊗e_j⊗e_k over the six "
    "orders of i, j, k.",
    true="Where indices coincide the six terms fall on the same place: e_i⊗e_i⊗e_i moves by 6. Counting "
    "every *distinct* position once, as the words say, the sensitivity of T(I,u,u) falls from 6‖u‖_{∞}² "
    "to 2√3‖u‖_{∞}². This project offers both relations by name.",
    changes="At a flat u in d = 100 the sensitivity of T(I,u,u) is {correct} instead of {published}.",
    ours=("core.power.sensitivities",),
)
def six_term_neighbours(rng):
    u = np.full((1, 100), 0.1)
    sizes = (float(powers.sensitivities(u, neighbours=n)[0][0]) for n in ("published", "entry"))
    return Shown(*sizes, "sensitivity of T(I,u,u)", ("six terms", "positions"))


@finding(
    key="entry-not-record",
    papers=("Power",),
    place="[Power] Definitions 4.1 and 4.2",
    kind="valid",
    plain="What is protected is one number of a table, not a person, as the paper says",
    title="What is protected is an entry of the tensor, not a person",
    says="The decomposition is differentially private with respect to single entries of the tensor.",
    true="The paper says so itself. But the record of a person changes *all* entries of a moment tensor, "
    "and noise for one entry does not cover that. For records, the sensitivity at any "
    "unit vector is 2/n.",
    changes="In d = 10, replacing a flat record x by −x moves T(I,x,x) by {correct}/n; noise for one of "
    "its entries covers {published}/n.",
    ours=("core.power.sensitivities", "core.power.private"),
)
def entry_not_record(rng):
    d = 10
    x = np.full((1, d), d**-0.5)
    entry = 2 * float(x[0, 0]) ** 3  # How far each entry of x⊗x⊗x moves when x becomes −x.
    allowed = entry * float(powers.sensitivities(x, neighbours="entry")[0][0])
    images = (tensors.power(tensors.compose(np.ones(1), record), x) for record in (x, -x))
    moved = np.linalg.norm(np.subtract(*images))
    return Shown(allowed, float(moved), "n times the change of T(I,x,x)", ("one entry", "one record"))


@finding(
    key="third-case",
    papers=("Power",),
    place="[Power] section 2, third case after Theorem 2.2",
    kind="accuracy",
    plain="For wide data the power method tolerates less noise than the paper says",
    title="Noise orthogonal to the components is tolerated up to λ/√d, not λ/√k",
    says="If the disturbance hardly meets the components, ‖E(v_i,I,I)‖ = O(λ/d), recovery holds up to ‖E‖ = "
    "O(λ_min/√k), whatever d.",
    true="A random start has (v_i·u)² ≈ 1/d: one step moves it by λ/d along v_i, and the part that E adds at a "
    "random vector exceeds it from about λ/√d on. The theorem does not state its constants, but no constant "
    "explains a threshold that falls with d.",
    changes="From d = 12 to d = 48 the size of E at which half the starts succeed falls by a factor of "
    "{correct}; with λ/√k it would not change ({published}).",
    ours=("core.power.promised", "core.power.disturbance"),
)
def third_case(rng):
    sizes = np.geomspace(0.15, 2.4, 8)
    thresholds, result = [], {}
    for d in (12, 48):
        rates = []
        for size in sizes:
            hits = 0
            for _ in range(12):
                tensor = powers.ComponentTensor(np.ones(1), _orthonormal(1, d, rng))
                hits += powers.recovered(tensor, "weak", float(size), rng=rng, restarts=3)[0] > powers.FOUND
            rates.append(hits / 12)
        result[f"d = {d}"] = np.array(rates)
        thresholds.append(float(np.exp(np.interp(-0.5, -np.array(rates), np.log(sizes)))))
    promised = powers.promised("weak", 12, 1) / powers.promised("weak", 48, 1)
    curve = Curve("‖E‖/λ", "share found", sizes, result, (True, False))
    return Shown(
        promised,
        thresholds[0] / thresholds[1],
        "fall of the threshold from d = 12 to 48",
        ("λ/√k", "seen"),
        curve,
    )
