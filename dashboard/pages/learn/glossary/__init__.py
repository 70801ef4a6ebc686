"""Glossary: the terms of this field, each in plain words, as a formula, and with the code that computes it."""
