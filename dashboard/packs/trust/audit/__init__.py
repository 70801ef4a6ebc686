"""Audit: a statistical test of sound and broken mechanisms, which gives a lower bound on ε."""
