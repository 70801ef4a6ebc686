"""Findings: what we found in the papers, each with a demonstration that is computed when it is opened."""
