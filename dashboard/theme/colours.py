"""The colours of the app by what they stand for; figures and the styles of schemes read each of them here.

The named ones are Okabe and Ito's, safe for colour-blind readers, changed where they would fall below a contrast of
3 : 1 on the light or the dark page. To give a thing another colour, change its line below them.
"""

BLUE, SKY, GREEN, ORANGE, VERMILION = "#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00"
PURPLE, OCHRE, VIOLET = "#b3588a", "#8f6a00", "#745bb0"

HEADER = "#12355b"
ACCENT = "#0b5a94", "#7db8e8"  # Controls and links, on the light and on the dark page.

CAPE = BLUE
CAPE_ON_DARK = "#4aa3df"  # Of thin and dotted curves, which would be lost on the dark page.
CONVENTIONAL, LOCAL, POOLED = VERMILION, PURPLE, GREEN
ZERO_SUM, LOCAL_NOISE = CAPE, ORANGE  # Parts of CAPE's noise.
ONE_MESSAGE, PUBLIC, AGGREGATOR, COLLUDERS = GREEN, SKY, BLUE, VERMILION  # Who sees.
COLLUDING = "#5f6b7a"  # The face of a site that colludes, on the light and on the dark page; red is independent noise.
ONE_SITE = ORANGE
PUBLISHED, CORRECTED = VERMILION, BLUE  # As a paper prints it, and as it is right.
EACH_STEP, ONCE, AS_PRINTED = VIOLET, OCHRE, "#69717f"  # Power methods, in no scheme's colour.
ADVERSARIAL, ROUND, WEAK, QUIET = "#96551f", "#47748a", "#587519", VIOLET  # Kinds of disturbance of a tensor.
ONE_CLASS, OTHER_CLASS = "#9c7a00", "#55479d"  # Labels of records, in no scheme's colour.
FIRST_DATA, SECOND_DATA = ORANGE, BLUE  # Two neighbouring data sets.
OBSERVED, FORBIDDEN = BLUE, VERMILION  # What an audit saw, and what a promise rules out.
GUESS = "#e0457b"  # What a class guessed before it saw the answer.
