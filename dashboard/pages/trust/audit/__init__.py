"""Audit: is it really private? A test that guesses, mechanisms sound and broken, and what the guesses prove."""
