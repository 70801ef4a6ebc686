"""The glossary's terms: each in plain words, as a formula, and as the function that computes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes
    ----------
    key : str
        Its name in links.
    name : str
        As it is written.
    text : str
        One to three plain sentences.
    formula : str
        TeX, "" if it has none.
    code : str
        Full name of what computes it, "" if nothing does.
    see : tuple of str
        Keys of related terms.
    """

    key: str
    name: str
    text: str
    formula: str = ""
    code: str = ""
    see: tuple[str, ...] = ()


TERMS = (
    Term(
        "advantage",
        "Advantage",
        "By how much the best attack beats guessing, when it must tell whether one record was used: its rate of hits "
        "minus its rate of false alarms, at the best threshold. 0: nothing is learned; 1: everything.",
        r"\operatorname{adv}=2\,\Phi(\mu/2)-1",
        "core.privacy.attack_risk.advantage",
        ("mu", "tradeoff"),
    ),
    Term(
        "aggregator",
        "Aggregator's view",
        "All messages of all sites, and what is broadcast to agree on zero-sum noise. Under CAPE the messages are "
        "correlated, so together they tell more about a record than its site's message alone.",
        r"\mu^2=\Big(\frac{\Delta}{\tau}\Big)^2\frac{2S}{S+1}",
        "core.cape.leakage",
        ("message", "colluders", "cape"),
    ),
    Term(
        "audit",
        "Audit",
        "A test of a mechanism by running it often on two neighbouring data sets. Seeing them apart more often than "
        "promised proves the promise broken; not seeing it proves nothing.",
        "",
        "core.audit.audit",
        ("neighbours", "tradeoff"),
    ),
    Term(
        "calibration",
        "Calibration",
        "The formula that turns a demand (ε, δ) into a standard deviation of noise. Exact: the least that suffices. "
        "Published: the classical formula, proved for ε ≤ 1 only.",
        r"\tau_{\text{published}}=\frac\Delta\varepsilon\sqrt{2\ln\frac{1.25}\delta}",
        "core.privacy.gaussian_std",
        ("epsilon", "delta", "mu"),
    ),
    Term(
        "cape",
        "CAPE",
        "Correlated-noise protocol for average-based computation: every site's message carries as much noise as its "
        "demand asks for, but part of the noise of all sites together cancels in the average.",
        r"\hat f_s=f_s+e_s+g_s,\qquad\sum_s e_s=0,\qquad"
        r"\operatorname{Var}\Big(\frac1S\sum_s\hat f_s\Big)=\frac{\tau^2}{S^2}",
        "core.schemes.release",
        ("zero-sum", "gain", "scheme"),
    ),
    Term(
        "captured-energy",
        "Captured energy",
        "How much of the records' second moment lies in the subspace that was found; as a share of what the best "
        "subspace of that size captures.",
        r"q=\operatorname{tr}(\hat V^{\top}A\hat V)",
        "core.pca.captured_energy",
        ("second-moment",),
    ),
    Term(
        "clipping",
        "Clipping",
        "Shortening whatever is longer than a public bound, so that one record cannot move the answer further. How "
        "many were shortened depends on the records and is not private.",
        r"x\mapsto x\cdot\min\{1,\,C/\|x\|_2\}",
        "core.network.model.gradient",
        ("sensitivity",),
    ),
    Term(
        "colluders",
        "Colluding sites, colluders' view",
        "Sites that tell the aggregator all they know, their own zero-sum noise included. The more collude, the less "
        "of the noise still hides an honest site's record. S_C is their number.",
        r"\mu^2=\Big(\frac\Delta\tau\Big)^2\frac S{S+1}\Big(1+\frac S{S-S_C}\Big)",
        "core.cape.leakage",
        ("aggregator", "honest-gain"),
    ),
    Term(
        "composition",
        "Composition",
        "What several releases of the same records add up to. Gaussian releases compose exactly, as lengths at right "
        "angles do; for any others the ε and the δ add up, which is more than need be.",
        r"\mu=\sqrt{\textstyle\sum_i\mu_i^2}",
        "core.privacy.compose",
        ("mu", "ledger", "pure"),
    ),
    Term(
        "conventional",
        "Conventional scheme",
        "Every site adds its own noise, independent of all others. The average of S messages is √S times as noisy as "
        "one curator's.",
        r"\operatorname{Var}=\tau^2/S",
        "core.schemes.release",
        ("scheme", "cape"),
    ),
    Term(
        "delta",
        "δ (delta)",
        "The probability mass on which the promise ε may fail. It should be far below one over the number of records.",
        r"\Pr[M(D)\in E]\le e^{\varepsilon}\Pr[M(D')\in E]+\delta",
        "core.privacy.gdp_delta",
        ("epsilon", "neighbours"),
    ),
    Term(
        "delta-conv",
        "δ_conv",
        "The δ of conventional messages whose noise is lowered until their average is as exact as CAPE's: what that "
        "accuracy would cost without correlated noise.",
        r"\mu=\sqrt S\,\Delta/\tau",
        "core.cape.conventional_delta",
        ("delta", "conventional"),
    ),
    Term(
        "epsilon",
        "ε (epsilon)",
        "How far one record can shift the odds of anything that an onlooker may see: at most by the factor e^ε, but "
        "for probability δ. Small is private; 1 is a factor of 2.7.",
        r"\Pr[M(D)\in E]\le e^{\varepsilon}\Pr[M(D')\in E]+\delta",
        "core.privacy.gdp_epsilon",
        ("delta", "mu", "neighbours"),
    ),
    Term(
        "excess",
        "Excess H",
        "Noise variance of CAPE's average over that of one curator, at equal weights as published: 1 for equal sites, "
        "more as their sizes differ.",
        r"H(n)=\frac{\sum_s\Delta^2(n_s)}{S^3\Delta^2(N)}=\frac{G(n)}S",
        "core.cape.excess",
        ("gain", "weights"),
    ),
    Term(
        "functional-mechanism",
        "Functional mechanism",
        "A loss that is a polynomial in the weights is released through its noisy coefficients, once; minimising it "
        "afterwards costs nothing more.",
        r"\hat f(w)=\hat\Lambda_0+\hat\Lambda_1^{\top}w+w^{\top}\hat\Lambda_2w",
        "core.functional.fit",
        ("sensitivity", "post-processing"),
    ),
    Term(
        "gain",
        "Gain G",
        "Noise variance of the conventional average over that of one curator who holds all data: what correlated noise "
        "can win back. S for equal sites.",
        r"G(n)=\frac{N^2}{S^2}\sum_s\frac1{n_s^2}",
        "core.cape.gain",
        ("excess", "honest-gain"),
    ),
    Term(
        "honest-gain",
        "Honest gain",
        "The gain that is left when all schemes get the noise that keeps the same promise towards the aggregator and "
        "colluding sites, not just for one message.",
        r"\frac{(S+1)(S-S_C)}{2S-S_C}",
        "core.cape.honest_gain",
        ("gain", "colluders"),
    ),
    Term(
        "ledger",
        "Ledger",
        "The account of a session: every draw of private noise that was shown, added up. In a simulation nothing is "
        "spent; it says what would have been.",
        r"\mu=\sqrt{\textstyle\sum_i\mu_i^2}",
        "core.privacy.accountant.Accountant",
        ("composition", "pure"),
    ),
    Term(
        "local",
        "Local scheme",
        "One site releases its own statistic and nothing is shared: its noise stays whole, and its answer is about its "
        "own records only.",
        r"\operatorname{Var}=\tau^2",
        "core.schemes.release",
        ("scheme",),
    ),
    Term(
        "message",
        "Message, one message's view",
        "What one site sends. Demands of the papers hold for whoever sees one message alone; who sees more may learn "
        "more.",
        r"\mu=\Delta/\tau",
        "core.schemes.Release",
        ("aggregator", "public-view"),
    ),
    Term(
        "mu",
        "μ, Gaussian differential privacy",
        "A Gaussian release is as hard to see through as telling one draw of N(0, 1) from one of N(μ, 1). It says all "
        "about its privacy in one number; every pair (ε, δ) follows.",
        r"\mu=\frac\Delta\tau,\qquad\delta(\varepsilon)=\Phi\Big(\frac\mu2-\frac\varepsilon\mu\Big)"
        r"-e^{\varepsilon}\,\Phi\Big(-\frac\mu2-\frac\varepsilon\mu\Big)",
        "core.privacy.gdp_delta",
        ("epsilon", "delta", "tradeoff"),
    ),
    Term(
        "neighbours",
        "Neighbours",
        "Two data sets that must be hard to tell apart. Here they differ in one record at one site, replaced by any "
        "other; the number of records is public. Where a page protects something else, its guarantee says so.",
        "",
        "core.privacy.Privacy",
        ("epsilon", "sensitivity"),
    ),
    Term(
        "perplexity",
        "Perplexity",
        "How many words a model is torn between when it predicts held-out words: lower is better.",
        r"\exp\Big(-\frac1n\sum_i\ln p(w_i)\Big)",
        "core.topics.metrics.perplexity",
        ("topics",),
    ),
    Term(
        "pooled",
        "Pooled scheme",
        "One trusted curator holds all records and adds noise once: the measure of what could be reached, if anybody "
        "could be trusted so far.",
        r"\operatorname{Var}=\tau^2/S^2",
        "core.schemes.release",
        ("scheme", "gain"),
    ),
    Term(
        "post-processing",
        "Post-processing",
        "Whatever is computed from a private release without looking at the records again is as private as the "
        "release.",
        "",
        "",
        ("composition",),
    ),
    Term(
        "power-method",
        "Power method",
        "Finds a tensor's components by applying it to a vector again and again. Privately, every step answers with "
        "noise, and the steps compose.",
        r"u\leftarrow\frac{T(I,u,u)+\text{noise}}{\|\cdot\|}",
        "core.power.private",
        ("composition",),
    ),
    Term(
        "public-view",
        "Public view",
        "What everybody sees: the released average or result, and nothing of how it came about.",
        r"\mu=w_s\Delta_s/\tau_c",
        "core.schemes.Release",
        ("message", "aggregator"),
    ),
    Term(
        "pure",
        "Pure ε-privacy, Laplace noise",
        "A promise that never fails, δ = 0. Laplace noise keeps it. In sums with Gaussian releases it counts as the "
        "least Gaussian one that is no more private.",
        r"b=\frac{\Delta_1}{\varepsilon},\qquad\mu=2\,\Phi^{-1}\Big(\frac{e^{\varepsilon}}{1+e^{\varepsilon}}\Big)",
        "core.privacy.accountant.pure_mu",
        ("epsilon", "composition"),
    ),
    Term(
        "scheme",
        "Scheme",
        "How sites' statistics become one released average: non-private, pooled, local, conventional or CAPE. All else "
        "on a page is the same for all of them.",
        "",
        "core.schemes.release",
        ("cape", "conventional", "pooled", "local"),
    ),
    Term(
        "second-moment",
        "Second moment",
        "The average of xxᵀ over the records. Its leading eigenvectors are the principal components.",
        r"A_s=\frac1{n_s}X_s^{\top}X_s,\qquad\Delta=\frac{\sqrt2}{n_s}",
        "core.pca.second_moments",
        ("captured-energy", "sensitivity"),
    ),
    Term(
        "secure-sum",
        "Secure aggregation",
        "Sites learn the sum of their numbers and nothing else, by masks that cancel and secret shares that replace "
        "those of a site that falls silent. It hides by cryptography, which is no (ε, δ).",
        r"\sum_s(x_s+\text{mask}_s)=\sum_sx_s",
        "core.secure_sum.secure_sum",
        ("zero-sum",),
    ),
    Term(
        "sensitivity",
        "Sensitivity Δ",
        "The furthest that one record can move a statistic. Noise is measured against it.",
        r"\Delta=\max_{D\sim D'}\|f(D)-f(D')\|_2",
        "core.pca.sensitivity",
        ("mu", "clipping", "neighbours"),
    ),
    Term(
        "single-topic",
        "Single-topic moments",
        "In documents of one topic each, averages of word pairs and triples are sums over topics; the topics can be "
        "read off them.",
        r"M_2=\sum_k w_ka_ka_k^{\top},\qquad M_3=\sum_k w_k\,a_k\otimes a_k\otimes a_k",
        "core.moments.single_topic",
        ("mixture", "whitening"),
    ),
    Term(
        "mixture",
        "Moments of a mixture of Gaussians",
        "Points around unknown centres: after subtracting what the spread σ² adds, the second and third moments are "
        "sums over centres.",
        r"M_2=\mathbb E[xx^{\top}]-\sigma^2I=\sum_kw_ka_ka_k^{\top}",
        "core.moments.gaussian_mixture",
        ("single-topic", "whitening"),
    ),
    Term(
        "topics",
        "Topic",
        "A probability law over words. Spectral LDA finds topics from the first three moments of documents' words.",
        "",
        "core.topics.fit",
        ("single-topic", "perplexity"),
    ),
    Term(
        "tradeoff",
        "Trade-off function",
        "The least rate at which any attack misses a record, given its rate of false alarms. It is the whole guarantee; "
        "(ε, δ) are tangents to it.",
        r"T(\alpha)=\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big)",
        "core.privacy.tradeoff",
        ("mu", "advantage"),
    ),
    Term(
        "weights",
        "Weights of the average",
        "How much each site counts: 1/S each, or its share of the records. By size, and with one demand for all, CAPE's "
        "average has exactly one curator's noise.",
        r"w_s=\frac1S\quad\text{or}\quad w_s=\frac{n_s}N",
        "core.schemes.noise_design.design",
        ("excess", "zero-sum"),
    ),
    Term(
        "whitening",
        "Whitening",
        "A linear map that makes the second moment the identity on the subspace that was found, so that components of "
        "the third moment stand at right angles.",
        r"W^{\top}M_2W=I",
        "core.moments.whitening.whiten",
        ("second-moment", "single-topic"),
    ),
    Term(
        "zero-sum",
        "Zero-sum noise",
        "Noise that sites draw together so that it adds up to nothing. Each site's part hides its message; in the "
        "average it is gone.",
        r"e_s=\hat e_s-\frac1S\sum_j\hat e_j,\qquad\sum_s e_s=0",
        "core.schemes.noise_design.design",
        ("cape", "secure-sum"),
    ),
)
BY_KEY = {term.key: term for term in TERMS}
# Where the help beside a control leads.
CONTROLS = {
    "epsilon": "epsilon",
    "delta": "delta",
    "schemes": "scheme",
    "calibration": "calibration",
    "colluding": "colluders",
    "neighbours": "neighbours",
    "alpha0": "topics",
    "imbalance": "gain",
    "clip": "clipping",
}
