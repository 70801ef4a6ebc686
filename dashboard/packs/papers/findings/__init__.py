"""Findings: errors that we found in the papers, each with a demonstration that runs when it is opened."""
