"""How the Plan page searches, and what a guess means, in formulas."""

from __future__ import annotations

MATHEMATICS = r"""
$$x^*=\min\{x:\ \mathbb E\,q(x')\ge q_0\ \text{for all}\ x'\ge x\},\qquad
\Pr\big[\,x_{\text{miss}}<x^*\le x_{\text{meet}}\,\big]\ge 95\,\%$$

Along a grid of x runs with fresh noise are added at one point, in looks at 6, 12, 24, … runs, until a test says
that the target is met or missed there. Then the gap between the last miss and the first success is halved. Each of at
most P points may err with probability 5 %/P, so that all decisions together hold with 95 %, whichever points the
search chose. The test of a mean is Student's; *in 9 of 10* counts releases and assumes nothing about their distribution.
*Variance kept* is $$\operatorname{tr}(\hat VC\hat V^{\top})$$ as a share of the most that k components have of the
covariance C of the records. *What the features add* is the loss between the best constant prediction and the answer
without noise. *AUC* is the probability that a record of label 1 is ranked above one of label 0. An average
needs no search: 95 % of its errors stay within $$1.96\,\sigma$$, which is known. That of *local* leaves out how far the
site's average is from that of all sites. If sites of your own table may drop out, the average of the others is a distance
b from that of all, and 95 % of errors stay within q, $$\Phi\big(\tfrac{q-b}\sigma\big)-\Phi\big(\tfrac{-q-b}\sigma\big)
=0.95,$$ for the worst of all sets that may. Where the error is asked for, a risk of R
of 100 right guesses fixes $$\mu=2\,\Phi^{-1}(R/100)$$, and with δ the ε; the mean of all runs there is given with
Student's 95 % interval.

The trade-off function of a μ-Gaussian release bounds what it reveals about one record,
$$T(\alpha)=\Phi\big(\Phi^{-1}(1-\alpha)-\mu\big):$$ the best attack finds $$1-T(\alpha)$$ of the used records while it
accuses a share α of innocent ones, and is right in $$\tfrac12+\tfrac12\big(2\Phi(\mu/2)-1\big)$$ of guesses between two
candidates. In code: `core.sweep.search.search`, `core.privacy.attack_risk`.
"""
