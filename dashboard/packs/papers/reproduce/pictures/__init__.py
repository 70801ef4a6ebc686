"""Figures as SVG, and the small drawings of the gallery."""
