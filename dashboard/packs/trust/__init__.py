"""Whom to trust, and how it is tested: Secure sum, Audit."""
