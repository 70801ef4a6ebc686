"""Secure sum: one run of secure aggregation, message by message, and what it costs."""
