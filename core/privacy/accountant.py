"""Privacy accountant: the total privacy cost of several releases of the same record.

Gaussian releases compose exactly: μ = √Σ μ_i² [Gdp, Corollary 2]. A pure ε-private release is converted to the
least μ whose Gaussian trade-off lies below that of every ε-private mechanism. The accountant also keeps the sum of
the ε, which is valid for any mechanisms, and reports the smaller of the two bounds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import scipy

from core import check
from core.privacy import Privacy, gdp_delta, gdp_epsilon, gdp_mu


@check.arguments
def pure_mu(epsilon: float) -> float:
    """The least μ such that every ε-private release is μ-GDP: μ = −2 Φ⁻¹(1/(1 + e^ε)).

    The trade-off function of ε-privacy is two straight lines that meet at α = β = 1/(1 + e^ε) [Gdp, Proposition 3].
    That of a μ-GDP release is convex with the same ends, so it lies below them exactly if it does where they meet,
    and there it is Φ(−μ/2). For many releases of a small ε the bound is √(π/2) = 1.25 times the true μ, which is ε √n.

    Examples
    --------
    >>> round(pure_mu(1.0), 3)
    1.232
    """
    return -2 * float(scipy.special.ndtri_exp(scipy.special.log_expit(-check.positive("epsilon", epsilon))))


@dataclass(frozen=True)
class Accountant:
    """The privacy cost of all releases so far, for one record.

    The settings of a release may depend on the results of earlier ones. The accountant then gives the cost of
    that sequence of releases as if it had been fixed in advance, which is how a budget is enforced.

    Attributes
    ----------
    squares : float
        Σ μ_i² of the Gaussian releases; ∞ once anything was released without privacy.
    pure : float
        Σ ε_i of the pure releases.
    pure_squares : float
        Σ μ(ε_i)² of the pure releases, see `pure_mu`.
    """

    squares: float = 0.0
    pure: float = 0.0
    pure_squares: float = 0.0

    @check.arguments(mu=check.extended, epsilon=check.extended)
    def record(self, *, mu: float = 0.0, epsilon: float = 0.0, releases: int = 1) -> Accountant:
        """Return the accountant after further releases, each with a Gaussian part μ and a pure part ε; 0 means none."""
        if not mu >= 0 or not epsilon >= 0:
            raise ValueError(f"mu and epsilon must be at least 0, got {mu} and {epsilon}")
        releases = check.integer("releases", releases, low=0)
        if releases == 0:
            return self
        more = releases * (pure_mu(epsilon) * pure_mu(epsilon)) if epsilon else 0.0
        return replace(
            self,
            squares=self.squares + releases * (mu * mu),
            pure=self.pure + releases * epsilon,
            pure_squares=self.pure_squares + more,
        )

    def to_dict(self) -> dict[str, float | None]:
        """As a JSON object; None stands for ∞."""
        result = {"squares": self.squares, "pure": self.pure, "pure_squares": self.pure_squares}
        return {name: value if math.isfinite(value) else None for name, value in result.items()}

    @classmethod
    def from_dict(cls, found: Mapping) -> Accountant:
        """The accountant that `to_dict` wrote.

        Raises
        ------
        ValueError
            If the names differ from those of `to_dict`, or a value is neither None nor a number of at least 0.
        """
        names = ("squares", "pure", "pure_squares")
        if not isinstance(found, Mapping) or set(found) != set(names):
            raise ValueError(f"found must have exactly {', '.join(names)}, got {check.shown(found)}")
        values = {
            name: math.inf if found[name] is None else check.nonnegative(name, found[name]) for name in names
        }
        return cls(**values)

    @check.arguments
    def left(self, budget: Privacy) -> float:
        """μ of what may still be released so that all together meet the budget (ε, δ); 0 if nothing may.

        √(μ(ε, δ)² − μ²): exact for Gaussian releases, and smaller than possible if there are pure ones.
        """
        whole = gdp_mu(budget)
        return math.sqrt(max(0.0, whole * whole - self.squares - self.pure_squares))

    @property
    def mu(self) -> float:
        """μ of all releases together, pure ones included."""
        return math.sqrt(self.squares + self.pure_squares)

    @check.arguments
    def epsilon(self, delta: float) -> float:
        """Total ε at δ: exact for Gaussian releases, an upper bound if there are pure ones; ∞ for no privacy."""
        if math.isinf(self.squares):
            return math.inf
        together = gdp_epsilon(delta, self.mu) if self.mu else 0.0
        apart = self.pure + (gdp_epsilon(delta, math.sqrt(self.squares)) if self.squares else 0.0)
        return min(together, apart)

    @check.arguments
    def delta(self, epsilon: float) -> float:
        """Total δ at ε: exact for Gaussian releases, an upper bound if there are pure ones; 1 for no privacy."""
        epsilon = float(check.at_least("epsilon", epsilon, 0))
        if math.isinf(self.squares):
            return 1.0
        together = float(gdp_delta(epsilon, self.mu)) if self.mu else 0.0
        if epsilon < self.pure:
            return together
        apart = float(gdp_delta(epsilon - self.pure, math.sqrt(self.squares))) if self.squares else 0.0
        return min(together, apart)
