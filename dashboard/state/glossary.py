"""The glossary's terms: each in plain words, as a formula, and as the function that computes it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """One entry of the glossary.

    Attributes
    ----------
    key : str
        Identifies the term in links.
    name : str
        The term as the glossary prints it.
    text : str
        One to three plain sentences.
    formula : str
        TeX, "" if it has none.
    code : str
        Full name of the function that computes it, "" if none does.
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
        "The largest difference between an attack's rate of hits and its rate of false alarms, when the "
        "attack must decide whether one record was used. The best threshold is taken. At 0 an attacker does "
        "no better than guessing; at 1 the decision is always right.",
        r"\operatorname{adv}=2\,\Phi(\mu/2)-1",
        "core.privacy.attack_risk.advantage",
        ("mu", "tradeoff"),
    ),
    Term(
        "aggregator",
        "Aggregator's view",
        "The aggregator sees all messages of all sites, and everything that is broadcast to agree on the "
        "zero-sum noise. Under CAPE the messages are correlated, so together they reveal more about a "
        "record than its site's message alone.",
        r"\mu^2=\Big(\frac{\Delta}{\tau}\Big)^2\frac{2S}{S+1}",
        "core.cape.leakage",
        ("message", "colluders", "cape"),
    ),
    Term(
        "amplitude",
        "Amplitude of zero-sum noise",
        "How loud the noise that cancels is: its variance in units of CAPE as published. Louder noise hides the messages "
        "better, so that the noise which stays can be smaller. What a site that drops out held of it stays in the average.",
        r"a=\frac{D}{S\gamma}",
        "core.schemes.best_amplitude",
        ("zero-sum", "dropouts", "cape"),
    ),
    Term(
        "audit",
        "Audit",
        "A test that runs a mechanism many times on two neighbouring data sets. If the outputs can be "
        "distinguished better than (ε, δ) allows, the claimed guarantee is false. If they cannot, nothing "
        "is proved.",
        "",
        "core.audit.audit",
        ("neighbours", "tradeoff"),
    ),
    Term(
        "calibration",
        "Calibration",
        "The formula that turns a privacy target (ε, δ) into a standard deviation of noise. Exact: the "
        "smallest standard deviation that meets the target. Published: the classical formula, which is "
        "proved for ε ≤ 1 only.",
        r"\tau_{\text{published}}=\frac\Delta\varepsilon\sqrt{2\ln\frac{1.25}\delta}",
        "core.privacy.gaussian_std",
        ("epsilon", "delta", "mu"),
    ),
    Term(
        "cape",
        "CAPE",
        "A protocol for computations that are averages, with correlated noise. The noise of every site's "
        "message is enough for the privacy target. Part of the noise of all sites together cancels in the "
        "average.",
        r"\hat f_s=f_s+e_s+g_s,\qquad\sum_s e_s=0,\qquad"
        r"\operatorname{Var}\Big(\frac1S\sum_s\hat f_s\Big)=\frac{\tau^2}{S^2}",
        "core.schemes.release",
        ("zero-sum", "gain", "scheme"),
    ),
    Term(
        "captured-energy",
        "Captured energy",
        "The part of the records' second moment that lies in the computed subspace, as a share of what the "
        "best subspace of the same dimension captures.",
        r"q=\operatorname{tr}(\hat V^{\top}A\hat V)",
        "core.pca.captured_energy",
        ("second-moment",),
    ),
    Term(
        "clipping",
        "Clipping",
        "Every vector longer than a public bound is shortened to that bound. This limits how far one record "
        "can move the result. The number of shortened vectors depends on the records and is not private.",
        r"x\mapsto x\cdot\min\{1,\,C/\|x\|_2\}",
        "core.network.model.gradient",
        ("sensitivity",),
    ),
    Term(
        "colluders",
        "Colluding sites, colluders' view",
        "Sites that give the aggregator everything they know, including their own zero-sum noise. The more "
        "sites collude, the less noise still hides an honest site's record. S_C is their number.",
        r"\mu^2=\Big(\frac\Delta\tau\Big)^2\frac S{S+1}\Big(1+\frac S{S-S_C}\Big)",
        "core.cape.leakage",
        ("aggregator", "honest-gain"),
    ),
    Term(
        "composition",
        "Composition",
        "The total privacy cost of several releases of the same records. Gaussian releases compose exactly: "
        "their μ add in squares. For other releases the ε and the δ are added, which overstates the cost.",
        r"\mu=\sqrt{\textstyle\sum_i\mu_i^2}",
        "core.privacy.compose",
        ("mu", "ledger", "pure"),
    ),
    Term(
        "conventional",
        "Conventional scheme",
        "Every site adds its own noise, independently of all other sites. The average of S messages then "
        "has √S times the noise standard deviation of one curator's result.",
        r"\operatorname{Var}=\tau^2/S",
        "core.schemes.release",
        ("scheme", "cape"),
    ),
    Term(
        "delta",
        "δ (delta)",
        "The probability mass on which the guarantee ε may fail. It should be far below one divided by the "
        "number of records.",
        r"\Pr[M(D)\in E]\le e^{\varepsilon}\Pr[M(D')\in E]+\delta",
        "core.privacy.gdp_delta",
        ("epsilon", "neighbours"),
    ),
    Term(
        "delta-conv",
        "δ_conv",
        "The δ of conventional messages whose noise is reduced until their average is as accurate as "
        "CAPE's. It is the privacy cost of that accuracy without correlated noise.",
        r"\mu=\sqrt S\,\Delta/\tau",
        "core.cape.conventional_delta",
        ("delta", "conventional"),
    ),
    Term(
        "discrete-gaussian",
        "Discrete Gaussian noise",
        "Whole numbers with probabilities in the shape of a normal density. It can be drawn exactly, without rounding, "
        "and sums of it stay whole numbers, as secure aggregation needs.",
        r"P(k)\propto e^{-k^2/2\sigma^2},\quad k\in\mathbb Z",
        "core.schemes.release",
        ("secure-sum", "mu"),
    ),
    Term(
        "dropouts",
        "Sites that drop out",
        "Sites that agree on zero-sum noise and then send nothing. Their parts are missing in the sum, so the noise of the "
        "others no longer cancels: the average gets noisier, and nobody's records less private.",
        r"\operatorname{Var}=\frac{\gamma+D\,r/S}{S-r}",
        "core.schemes.noise_factor",
        ("zero-sum", "amplitude"),
    ),
    Term(
        "epsilon",
        "ε (epsilon)",
        "A bound on how much one record can change the odds of anything that an observer may see: at most "
        "by the factor e^ε, except with probability δ. A smaller ε is more private; ε = 1 is a factor of "
        "2.7.",
        r"\Pr[M(D)\in E]\le e^{\varepsilon}\Pr[M(D')\in E]+\delta",
        "core.privacy.gdp_epsilon",
        ("delta", "mu", "neighbours"),
    ),
    Term(
        "excess",
        "Excess H",
        "The noise variance of CAPE's average divided by that of one curator, with equal weights as "
        "published. It is 1 for sites of equal size and grows as their sizes differ.",
        r"H(n)=\frac{\sum_s\Delta^2(n_s)}{S^3\Delta^2(N)}=\frac{G(n)}S",
        "core.cape.excess",
        ("gain", "weights"),
    ),
    Term(
        "functional-mechanism",
        "Functional mechanism",
        "The loss is a polynomial in the weights, and its coefficients are released once with noise. "
        "Minimising the noisy polynomial afterwards has no further privacy cost.",
        r"\hat f(w)=\hat\Lambda_0+\hat\Lambda_1^{\top}w+w^{\top}\hat\Lambda_2w",
        "core.functional.fit",
        ("sensitivity", "post-processing"),
    ),
    Term(
        "gain",
        "Gain G",
        "The noise variance of the conventional average divided by that of one curator who holds all data. "
        "It is the largest improvement that correlated noise can give; for S sites of equal size it is S.",
        r"G(n)=\frac{N^2}{S^2}\sum_s\frac1{n_s^2}",
        "core.cape.gain",
        ("excess", "honest-gain"),
    ),
    Term(
        "graph-noise",
        "Noise on a graph",
        "Neighbours on a public graph draw noise in pairs: one adds it, the other subtracts it. It needs no broadcast. A "
        "site whose neighbours all collude has only its own noise left.",
        r"\mu_s^2=\Delta^2\big[(\gamma I+\sigma^2L_H)^{-1}\big]_{ss}",
        "core.schemes.graph_noise.design",
        ("zero-sum", "colluders"),
    ),
    Term(
        "honest-gain",
        "Honest gain",
        "The gain that remains when every scheme gets enough noise to meet the same privacy target against "
        "the aggregator together with the colluding sites, and not only for one message.",
        r"\frac{(S+1)(S-S_C)}{2S-S_C}",
        "core.cape.honest_gain",
        ("gain", "colluders"),
    ),
    Term(
        "ledger",
        "Ledger",
        "The record of a session's privacy cost: every draw of private noise that was shown, composed. In a "
        "simulation no privacy is lost; the ledger states what the cost would have been.",
        r"\mu=\sqrt{\textstyle\sum_i\mu_i^2}",
        "core.privacy.accountant.Accountant",
        ("composition", "pure"),
    ),
    Term(
        "local",
        "Local scheme",
        "One site releases its own statistic, and nothing is shared. No averaging reduces the "
        "noise. The result describes the records of this site only.",
        r"\operatorname{Var}=\tau^2",
        "core.schemes.release",
        ("scheme",),
    ),
    Term(
        "message",
        "Message, one message's view",
        "What one site sends. The papers' guarantees are for an adversary who sees a single message; one "
        "who sees more may learn more.",
        r"\mu=\Delta/\tau",
        "core.schemes.Release",
        ("aggregator", "public-view"),
    ),
    Term(
        "mu",
        "μ, Gaussian differential privacy",
        "A Gaussian release with parameter μ is as hard to analyse as deciding whether one draw came from "
        "N(0, 1) or from N(μ, 1). This one number describes its privacy completely; every pair (ε, δ) "
        "follows from it.",
        r"\mu=\frac\Delta\tau,\qquad\delta(\varepsilon)=\Phi\Big(\frac\mu2-\frac\varepsilon\mu\Big)"
        r"-e^{\varepsilon}\,\Phi\Big(-\frac\mu2-\frac\varepsilon\mu\Big)",
        "core.privacy.gdp_delta",
        ("epsilon", "delta", "tradeoff"),
    ),
    Term(
        "neighbours",
        "Neighbours",
        "Two data sets that must be hard to distinguish. Here they differ in one record at one site, "
        "replaced by any other record; the number of records is public. If a page protects something else, "
        "its guarantee says so.",
        "",
        "core.privacy.Privacy",
        ("epsilon", "sensitivity"),
    ),
    Term(
        "perplexity",
        "Perplexity",
        "How well a topic model predicts held-out words, expressed as a number of equally likely words. A "
        "lower value is better.",
        r"\exp\Big(-\frac1n\sum_i\ln p(w_i)\Big)",
        "core.topics.metrics.perplexity",
        ("topics",),
    ),
    Term(
        "pooled",
        "Pooled scheme",
        "One trusted curator holds all records and adds noise once. This is the reference for the other "
        "schemes: the accuracy that is possible if the sites trust one party.",
        r"\operatorname{Var}=\tau^2/S^2",
        "core.schemes.release",
        ("scheme", "gain"),
    ),
    Term(
        "post-processing",
        "Post-processing",
        "A result that is computed from a private release, without another look at the records, is as "
        "private as the release.",
        "",
        "",
        ("composition",),
    ),
    Term(
        "power-method",
        "Power method",
        "Finds a tensor's components by applying the tensor to a vector repeatedly. In the private form "
        "every step adds noise, and the privacy costs of the steps compose.",
        r"u\leftarrow\frac{T(I,u,u)+\text{noise}}{\|\cdot\|}",
        "core.power.private",
        ("composition",),
    ),
    Term(
        "public-view",
        "Public view",
        "What everybody sees: the released average or result, but no message and no intermediate value.",
        r"\mu=w_s\Delta_s/\tau_c",
        "core.schemes.Release",
        ("message", "aggregator"),
    ),
    Term(
        "pure",
        "Pure ε-privacy, Laplace noise",
        "A guarantee that never fails: δ = 0. Laplace noise provides it. When it is composed with Gaussian "
        "releases, it counts as the smallest μ whose Gaussian release is no more private.",
        r"b=\frac{\Delta_1}{\varepsilon},\qquad\mu=2\,\Phi^{-1}\Big(\frac{e^{\varepsilon}}{1+e^{\varepsilon}}\Big)",
        "core.privacy.accountant.pure_mu",
        ("epsilon", "composition"),
    ),
    Term(
        "scheme",
        "Scheme",
        "How the sites' statistics become one released average: non-private, pooled, local, conventional or "
        "CAPE. All other settings on a page are the same for all schemes.",
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
        "secure-aggregation",
        "Secure aggregation",
        "Cryptography shows the aggregator only the sum of the messages, so each site adds just its share of the noise. A "
        "message tells nothing as long as the cryptography holds. If it fails, only this share protects a message.",
        r"\gamma=\frac{\Delta^2}{\mu^2\,(S-c-r)}",
        "core.schemes.release",
        ("secure-sum", "dropouts", "discrete-gaussian"),
    ),
    Term(
        "secure-sum",
        "Secure aggregation",
        "A protocol by which sites learn the sum of their numbers and nothing else. Masks cancel in the "
        "sum, and secret shares replace the masks of a site that drops out. It protects the inputs by "
        "cryptography and gives no (ε, δ).",
        r"\sum_s(x_s+\text{mask}_s)=\sum_sx_s",
        "core.secure_sum.secure_sum",
        ("zero-sum",),
    ),
    Term(
        "sensitivity",
        "Sensitivity Δ",
        "The largest distance by which one record can move a statistic. The noise is scaled to it.",
        r"\Delta=\max_{D\sim D'}\|f(D)-f(D')\|_2",
        "core.pca.sensitivity",
        ("mu", "clipping", "neighbours"),
    ),
    Term(
        "single-topic",
        "Single-topic moments",
        "If every document has one topic, the averages of word pairs and word triples are sums over the "
        "topics. The topics can be computed from these sums.",
        r"M_2=\sum_k w_ka_ka_k^{\top},\qquad M_3=\sum_k w_k\,a_k\otimes a_k\otimes a_k",
        "core.moments.single_topic",
        ("mixture", "whitening"),
    ),
    Term(
        "mixture",
        "Moments of a mixture of Gaussians",
        "Points are scattered around unknown centres. After the contribution of the variance σ² is "
        "subtracted, the second and third moments are sums over the centres.",
        r"M_2=\mathbb E[xx^{\top}]-\sigma^2I=\sum_kw_ka_ka_k^{\top}",
        "core.moments.gaussian_mixture",
        ("single-topic", "whitening"),
    ),
    Term(
        "topics",
        "Topic",
        "A probability distribution over words. Spectral LDA computes topics from the first three moments "
        "of the documents' words.",
        "",
        "core.topics.fit",
        ("single-topic", "perplexity"),
    ),
    Term(
        "tradeoff",
        "Trade-off function",
        "The smallest rate at which any attack misses a record, as a function of its rate of false alarms. "
        "It is the complete guarantee; the pairs (ε, δ) are its tangents.",
        r"T(\alpha)=\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big)",
        "core.privacy.tradeoff",
        ("mu", "advantage"),
    ),
    Term(
        "weights",
        "Weights of the average",
        "The weight of each site in the average: 1/S, or its share of the records. With weights by size and "
        "one privacy target for all sites, CAPE's average has exactly one curator's noise.",
        r"w_s=\frac1S\quad\text{or}\quad w_s=\frac{n_s}N",
        "core.schemes.noise_design.design",
        ("excess", "zero-sum"),
    ),
    Term(
        "whitening",
        "Whitening",
        "A linear map that turns the second moment into the identity on the computed subspace. It makes the "
        "components of the third moment orthogonal.",
        r"W^{\top}M_2W=I",
        "core.moments.whitening.whiten",
        ("second-moment", "single-topic"),
    ),
    Term(
        "zero-sum",
        "Zero-sum noise",
        "Noise that the sites generate together and whose sum is zero. Each site's part hides its message; "
        "in the average the parts cancel.",
        r"e_s=\hat e_s-\frac1S\sum_j\hat e_j,\qquad\sum_s e_s=0",
        "core.schemes.noise_design.design",
        ("cape", "secure-sum"),
    ),
)
BY_KEY = {term.key: term for term in TERMS}
# The glossary term that the help of a control links to.
CONTROLS = {
    "epsilon": "epsilon",
    "delta": "delta",
    "schemes": "scheme",
    "calibration": "calibration",
    "colluding": "colluders",
    "adversary": "aggregator",
    "dropouts": "dropouts",
    "amplitude": "amplitude",
    "neighbours": "neighbours",
    "alpha0": "topics",
    "imbalance": "gain",
    "clip": "clipping",
}
