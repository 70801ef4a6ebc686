"""Widgets and small layouts that several parts of the screen use."""
