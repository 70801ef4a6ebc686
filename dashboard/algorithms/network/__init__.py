"""A classifier that several sites train together: its borders step by step, and its accuracy."""
