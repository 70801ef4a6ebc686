"""Notebooks: pages in a cell, pictures of results, and what their kernel needs."""
