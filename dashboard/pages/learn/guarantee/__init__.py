"""Guarantee: the published and the exact δ, and what each adversary can learn."""
