"""Colours by what they stand for, beside the schemes' own (`scheme_style`): parts of the noise, onlookers, forms.

They are Okabe and Ito's, safe for colour-blind readers.
"""

BLUE, SKY, GREEN, ORANGE, VERMILION = "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00"
GREY = "#9aa3ad"

ZERO_SUM, LOCAL_NOISE, LOST = BLUE, ORANGE, GREY  # Parts of CAPE's noise, and what dropped sites leave.
ONE_MESSAGE, PUBLIC, AGGREGATOR, COLLUDERS = GREEN, SKY, BLUE, VERMILION  # Who sees.
ONE_SITE = ORANGE
PUBLISHED, CORRECTED = VERMILION, BLUE  # As a paper prints it, and as it is right.
NOISY = VERMILION  # Where noise enters.
FIRST_DATA, SECOND_DATA = ORANGE, BLUE  # Two neighbouring data sets.
OBSERVED, FORBIDDEN = BLUE, VERMILION  # What an audit saw, and what a promise rules out.
