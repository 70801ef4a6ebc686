"""Statistical audit of a mechanism, and mechanisms with a known verdict to test the auditor on."""

from core.audit.auditor import (
    Audit,
    Distinguisher,
    Mechanism,
    Score,
    adversary_view,
    audit,
    distinguisher,
    likelihood_ratio,
    promised_mu,
    promised_tradeoff,
    repeated,
    view_covariance,
)

__all__ = [
    "Audit",
    "Distinguisher",
    "Mechanism",
    "Score",
    "adversary_view",
    "audit",
    "distinguisher",
    "likelihood_ratio",
    "promised_mu",
    "promised_tradeoff",
    "repeated",
    "view_covariance",
]
