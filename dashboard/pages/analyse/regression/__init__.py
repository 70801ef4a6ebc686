"""Regression: the functional mechanism under every scheme, beside other methods, streamed while it is computed."""
