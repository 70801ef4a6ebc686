"""Regression: the functional mechanism under every scheme, beside its rivals, streamed while it is computed."""
