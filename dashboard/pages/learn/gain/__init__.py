"""Gain: what CAPE wins over the conventional scheme, for sites of any sizes and against colluders."""
