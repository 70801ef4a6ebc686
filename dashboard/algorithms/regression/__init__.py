"""Regression on labelled records at several sites."""
