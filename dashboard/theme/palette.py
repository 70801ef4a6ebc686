"""Colours by what they stand for, each said once; figures and the styles of schemes take them from here.

The first ones are Okabe and Ito's, safe for colour-blind readers, darkened where they would fall below a contrast of
3 : 1 on white. To give a thing another colour, change its line under "What they stand for".
"""

from __future__ import annotations

BLUE = "#0072b2"
VERMILION = "#d55e00"
GREEN = "#009e73"
PURPLE = "#b3588a"
ORANGE = "#e69f00"
SKY = "#56b4e9"
OCHRE = "#8f6a00"
VIOLET = "#6a51a3"
GREY = "#9aa3ad"

# What they stand for: schemes, …
CAPE = BLUE
CONVENTIONAL = VERMILION
LOCAL = PURPLE
POOLED = GREEN
# … the two parts of a message's noise in CAPE, …
ZERO_SUM_NOISE = CAPE
LOCAL_NOISE = ORANGE
LOST = GREY  # Noise of sites that dropped out.
# … who takes part, and who looks on, …
SITE = ORANGE
AGGREGATOR = BLUE
PUBLIC = SKY
MESSAGE = GREEN
COLLUDERS = VERMILION
# … the formulas as printed and as they should be, and what was measured against what is allowed.
PUBLISHED = VERMILION
CORRECTED = BLUE
OBSERVED = BLUE
FORBIDDEN = VERMILION
NEIGHBOURS = (ORANGE, BLUE)  # Outputs on the one data set, and on its neighbour.
NOISE_IN_GRAPH = VERMILION  # Where noise enters a graph of computations.
GUESS = "#e0457b"
