"""Averaging: one run of the protocol, and the distribution of the average over many repetitions."""
