"""Statistical audit of a mechanism, and reference cases with a known answer to test the audit."""

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
