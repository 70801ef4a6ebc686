"""Glossary: the words of this subject, each plainly, as a formula, and beside the code that computes it."""
