"""Findings about the moments of latent Dirichlet allocation and their interpretation. [Lda] sections 4 and 7, appendix C."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.sparse as sp

from core.findings.finding import Curve, Shown, finding
from core.moments import lda
from core.topics.scaled_noise import gap
from core.topics.utility import population_eigenvalues, population_spectrum


def _law(alpha0, rng, k=3, d=6):
    """Raw moments E1, E2, E3 of an LDA distribution, and M3 by its topics ([Lda] equation 1)."""
    words, alpha = rng.dirichlet(np.ones(d), k), rng.dirichlet(np.full(k, 5.0)) * alpha0
    second = (np.outer(alpha, alpha) + np.diag(alpha)) / (alpha0 * (alpha0 + 1))
    third = np.multiply.outer(np.outer(alpha, alpha), alpha) + _placed(np.diag(alpha), alpha)
    third[(np.arange(k),) * 3] += 2 * alpha
    third /= alpha0 * (alpha0 + 1) * (alpha0 + 2)
    e3 = np.einsum("abc,ai,bj,ck->ijk", third, words, words, words)
    scale = 2 * alpha / (alpha0 * (alpha0 + 1) * (alpha0 + 2))
    m3 = np.einsum("k,ki,kj,kl->ijl", scale, words, words, words)
    return words.T @ alpha / alpha0, words.T @ second @ words, e3, m3


def _placed(pair, single):
    """pair⊗single and its two other placements."""
    return sum(np.einsum(form, pair, single) for form in ("ij,k->ijk", "ik,j->ijk", "jk,i->ijk"))


def _corpus(*documents):
    return lda.documents(sp.csr_array(np.array(documents, dtype=float)))


@finding(
    key="cross-coefficient",
    papers=("Lda",),
    place="[Lda] Lemma 3, the definition of M3",
    kind="notation",
    plain="A factor is missing in a definition; taken literally, topics cannot be read from it",
    title="A factor α₀ is missing in the third moment",
    says="M3 takes (E[x1⊗x2]⊗E[x3] + its placements)/(α₀+2) off the third raw moment.",
    true="The coefficient is α₀/(α₀+2), as Lemma 21 of the appendix has it. With 1/(α₀+2) M3 is not a sum over "
    "topics, except at α₀ = 1.",
    changes="At α₀ = 0.1 the printed M3 has a relative error of {published}, the corrected one by {correct}.",
    ours=("core.moments.lda.coefficients", "core.moments.lda.centred_third"),
)
def cross_coefficient(rng):
    alpha0 = 0.1
    e1, e2, e3, m3 = _law(alpha0, rng)
    c = lda.coefficients(alpha0)
    cube = np.multiply.outer(np.outer(e1, e1), e1)
    printed = e3 - _placed(e2, e1) / (alpha0 + 2) + c.third_cube * cube
    off = (
        np.linalg.norm(x - m3) / np.linalg.norm(m3) for x in (printed, lda.centred_third(e3, e2, e1, alpha0))
    )
    return Shown(*map(float, off), "relative error of M3", ("printed", "corrected"))


@finding(
    key="factor-d",
    papers=("Lda",),
    place="[Lda] equation (7) against (6) and Lemma 22",
    kind="notation",
    plain="One of two printed estimates has a factor that the other lacks",
    title="The third estimator is scaled by d, the second is not",
    says="M̂3 is d[…] with d = α₀(α₀+1)(α₀+2)/2, and estimates M3 without bias.",
    true="Without the factor it does. With it, M2 would also need the factor α₀(α₀+1), and both "
    "sensitivities would change; the appendix's sensitivities are those without it.",
    changes="At α₀ = 10 the printed estimator is {published} times M3, where Lemma 22 needs {correct} times.",
    ours=("core.moments.lda.unbiased_third",),
)
def factor_d(rng):
    alpha0 = 10.0
    e1, e2, e3, m3 = _law(alpha0, rng)
    centred = lda.centred_third(e3, e2, e1, alpha0)
    scale = float((centred * m3).sum() / (m3**2).sum())
    return Shown(
        scale * alpha0 * (alpha0 + 1) * (alpha0 + 2) / 2, scale, "M̂3 in units of M3", ("printed", "without d")
    )


@finding(
    key="third-placement",
    papers=("Lda",),
    place="[Lda] Lemma 21, the definition of B3",
    kind="notation",
    plain="Two of three terms of a printed formula are the same, by a wrong index",
    title="Two of the three placements are the same",
    says="[B2]_ijk = [B1]_ikj and [B3]_ijk = [B1]_kij.",
    true="B1 is symmetric in its first two indices, so [B1]_kij = [B1]_ikj: B3 repeats B2, and M3 is not "
    "symmetric. The third placement is [B3]_ijk = [B1]_jki.",
    changes="At α₀ = 1 the printed M3 differs from its own transposes by {published} of its norm, the "
    "corrected one by {correct}.",
    ours=("core.moments.lda.centred_third",),
)
def third_placement(rng):
    alpha0 = 1.0
    e1, e2, e3, _ = _law(alpha0, rng)
    c = lda.coefficients(alpha0)
    b1 = np.multiply.outer(e2, e1)
    cube = c.third_cube * np.multiply.outer(np.outer(e1, e1), e1)
    printed = e3 - c.third_cross * (b1 + b1.transpose(0, 2, 1) + np.einsum("kij->ijk", b1)) + cube

    def lopsided(t):
        return max(
            np.linalg.norm(t - t.transpose(p)) for p in itertools.permutations(range(3))
        ) / np.linalg.norm(t)

    result = (float(lopsided(t)) for t in (printed, lda.centred_third(e3, e2, e1, alpha0)))
    return Shown(*result, "asymmetry of M3", ("printed", "corrected"))


@finding(
    key="distinct-documents",
    papers=("Lda",),
    place="[Lda] equations (8) and (9)",
    kind="notation",
    plain="A printed formula multiplies documents with themselves, which biases the result",
    title="The printed third estimator multiplies documents with themselves",
    says="B1 multiplies the sums of the documents' second and first moments and divides by N(N−1); b "
    "multiplies three sums and has no divisor.",
    true="Products of different documents are unbiased, as the proof of Lemma 22 uses them: equation (6) "
    "subtracts the product of a document with itself, (8) and (9) must do so, too, and (9) needs 1/(N(N−1)(N−2)).",
    changes="For 1,000 equal documents at α₀ = 1 every entry of M3 should be {correct}; the printed bracket "
    "has {published}.",
    ours=("core.moments.lda.unbiased_third",),
)
def distinct_documents(rng):
    alpha0, n = 1.0, 1000
    counts = _corpus(*[[3]] * n)  # One word: every moment of a document is 1.
    c = lda.coefficients(alpha0)
    printed = 1 - 3 * c.third_cross * n**2 / (n * (n - 1)) + c.third_cube * float(n) ** 3
    ours = float(lda.unbiased_third(counts, np.eye(1), alpha0)[0, 0, 0])
    return Shown(printed, ours, "M3 of a vocabulary of one word", ("printed", "distinct"))


@finding(
    key="spectrum-grows",
    papers=("Lda",),
    place="[Lda] section 7 and Figure 3(a)",
    kind="accuracy",
    plain="When documents mix more topics, the topics' signal gets weaker, not stronger",
    title="The k-th singular value of M2 falls with α₀",
    says="The singular values of M̂2 are positively correlated with α₀: configuration 2 recovers "
    "mixed topics better.",
    true="M2 = Σ α_i/(α₀(α₀+1)) μ_i⊗μ_i falls like 1/(α₀+1). It grows only if M2 is scaled by α₀(α₀+1), and "
    "then its sensitivity grows as well. At α₀ = 1,000 documents of 50 words hardly identify topics "
    "even without privacy.",
    changes="From α₀ = 0.1 to 1,000, σ_k(M2) of a distribution falls from {published} to {correct}.",
    ours=("core.topics.utility.population_spectrum", "core.moments.lda.unbiased_second"),
)
def spectrum_grows(rng):
    words = rng.dirichlet(np.full(50, 0.1), 3)
    alphas = np.geomspace(0.1, 1000, 40)
    least = np.array([population_spectrum(words, np.full(3, a / 3))[-1] for a in alphas])
    scaled = least * alphas * (alphas + 1)
    curve = Curve(
        "α₀", "σ_k of M2", alphas, {"scaled by α₀(α₀+1)": scaled, "as defined": least}, (True, True)
    )
    return Shown(float(least[0]), float(least[-1]), "σ_k of M2, k = 3", ("α₀ = 0.1", "α₀ = 1,000"), curve)


@finding(
    key="gap-shrinks",
    papers=("Lda",),
    place="[Lda] section 7 and Figure 3(b)",
    kind="accuracy",
    plain="With more topics, the gap that two methods need gets smaller, not larger",
    title="The smallest eigenvalue gap shrinks with the number of topics",
    says="As k grows, the gap γ_s of T grows, which helps configuration 3. (The axis shows negative values.)",
    true="γ_s is the least of k differences between eigenvalues that get closer as k grows, and it is nonnegative by "
    "definition. It shrinks with k, and configurations 3 and 4 divide by it.",
    changes="For α drawn at random, with α₀ = 1,000, the mean γ_s falls from {published} at k = 10 to "
    "{correct} at k = 100.",
    ours=("core.topics.scaled_noise.gap", "core.topics.utility.population_eigenvalues"),
)
def gap_shrinks(rng):
    topics = np.array([10, 18, 32, 56, 100])
    means = np.array(
        [
            np.mean([gap(population_eigenvalues(1000 * rng.dirichlet(np.full(k, 5.0)))) for _ in range(100)])
            for k in topics
        ]
    )
    curve = Curve("topics k", "γ_s", topics, {"γ_s of the distribution": means}, (True, True))
    return Shown(
        float(means[0]), float(means[-1]), "mean γ_s of 100 distributions", ("k = 10", "k = 100"), curve
    )
