"""Gain: how much less noise variance CAPE has than the conventional scheme, for any site sizes and with colluders."""
