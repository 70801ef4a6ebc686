"""The style of every scheme (label, colour, marker, dash), and the text colours of the light and dark theme.

Colours come from `dashboard.theme.colours`; the markers and dashes keep the schemes apart in print.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from core.schemes import PRIVATE, SCHEMES, named, presented
from core.schemes.registry import find
from dashboard.theme import colours

INK = "ink"  # Tag of Bokeh models drawn in the colour of text, which differs between light and dark.
QUIET = "quiet"  # Tag of those drawn in the softer grey of secondary text.
PAPER = "paper"  # Tag of those drawn in the background colour of the page.
CURVE = "curve"  # Tag of thin or dotted curves in CAPE's colour, which is lighter in the dark.
_SHADES = {INK: ("#1a1f27", "#eef1f5"), QUIET: ("#5c6672", "#a7b0bb"), PAPER: ("#ffffff", "#14181d")}
_SHADES[CURVE] = colours.CAPE, colours.CAPE_ON_DARK
_PROPERTIES = {"line_color", "text_color", "fill_color", "label_text_color", "grid_line_color"}


@dataclass(frozen=True)
class Look:
    """The style of a scheme in every picture."""

    label: str
    colour: str
    marker: str
    dash: str
    plain: str
    legend: str = ""  # The entry of a curve's legend, if it says more than the label.


# Colour, marker and dash of the schemes; their records in `core.schemes` hold label and explanation.
_STYLES = {
    "nonprivate": (_SHADES[INK][0], "dash", "dashed"),
    "pooled": (colours.POOLED, "square", "dotdash"),
    "cape": (colours.CAPE, "circle", "solid"),
    "conventional": (colours.CONVENTIONAL, "diamond", "solid"),
    "local": (colours.LOCAL, "triangle", "dotted"),
    "secure": ("#6b5bd6", "square_pin", "dashed"),
    "cape-best": ("#3a93c9", "star", "dashed"),
    "cape-after": ("#0f7f86", "inverted_triangle", "solid"),
    "graph": ("#6b7280", "hex", "dotdash"),
}
DASHES = {"solid": (), "dashed": (7, 4), "dotted": (2, 4), "dotdash": (2, 4, 7, 4), "dashdot": (7, 4, 2, 4)}
"""Pixels drawn and left out, of a dash."""
# What is special about a scheme, beside its name, for those who see it for the first time.
GLOSSES = {
    "nonprivate": "no noise",
    "pooled": "all in one place",
    "cape": "most noise cancels",
    "conventional": "independent noise",
    "local": "one site alone",
}
# Names that are long for a chip, and at the end of a curve.
SHORT = {
    "CAPE, best amplitude": "best amplitude",
    "CAPE, sum after": "sum after",
    "noise on a graph": "graph",
    "secure aggregation": "secure agg.",
}
# A scheme that is registered without a style takes the next of these. They also differ in lightness, from each other
# and from the above, for colour-blind readers. When all are used, the colours repeat with other markers.
SPARE_COLOURS = ("#8a5a00", "#4d7c8a", "#9a5a24", "#5f7d1a", "#6b7280")
_SPARE_MARKERS = (
    "hex_dot",
    "star_dot",
    "square_x",
    "inverted_triangle",
    "circle_cross",
    "diamond_dot",
    "asterisk",
)
_SPARE_DASHES = ("dashdot", "dashed", "dotdash")

_SUBJECTS = {
    "conventional": "the conventional scheme",
    "local": "one site alone (local)",
    "cape-after": "CAPE with the sum after the messages",
}
# The conventional scheme on pages that compare kinds of noise.
INDEPENDENT = "independent noise"
_METHODS = {
    # Methods beyond the five schemes, in the order in which legends list them.
    "dpdispca": Look(
        *("DPdisPCA", "#8a6d00", "inverted_triangle", "dashdot"),
        "each site sends a few components of its noisy matrix, a partial square root",
    ),
    "avn": Look(
        *("AVN", "#8c6d00", "square_pin", "dashdot", "vector noise: one curator, pure ε"),
        legend="AVN (one curator)",
    ),
    "random": Look(
        *("random vectors", "#7a7f87", "cross", "dotted", "baseline without any information on the records"),
        legend="random vectors (no records used)",
    ),
    "dpfm": Look(
        *("dp-fm", colours.OCHRE, "star", "dashdot"),
        "noisy loss: one curator, Laplace noise on every coefficient of the loss",
        legend="dp-fm (one curator)",
    ),
    "objpert": Look(
        *("objPert", colours.VIOLET, "hex", "dotdash"),
        "objective perturbation: one curator adds a random linear term to the loss",
        legend="objPert (one curator)",
    ),
    "configuration-e": Look(
        "E, one curator", "#00796b", "circle", "solid", "equalised documents, clipped whitening"
    ),
    "configuration-1": Look(
        "1: M2, M3", colours.VERMILION, "diamond", "solid", "published: noise on both moments"
    ),
    "configuration-1-pure": Look("1, pure ε", "#b07a00", "star", "dotdash", "the same with Laplace noise"),
    "configuration-2": Look(
        "2: T", "#8156ab", "square", "dashdot", "published: noise on the whitened tensor"
    ),
    "configuration-3": Look(
        "3: pairs", colours.PURPLE, "triangle", "dotted", "published: noise on eigenpairs"
    ),
    "configuration-4": Look(
        "4: output", "#5c6e7a", "inverted_triangle", "dotted", "published: noise on the topics"
    ),
    "variational": Look("DP variational", "#6b8e23", "hex", "dashdot", "private variational inference"),
    # Power methods: private accountings, and kinds of disturbance.
    "alg3_exact": Look(
        "noise each step",
        colours.EACH_STEP,
        "triangle",
        "solid",
        "Algorithm 3: noise in every step, exact composition",
    ),
    "alg3_published": Look(
        "each step, as published",
        colours.AS_PRINTED,
        "diamond",
        "dashed",
        "Algorithm 3: noise in every step, the published constants",
    ),
    "input": Look("noise once", colours.ONCE, "square", "dotdash", "noise on the whole tensor, once"),
    "adversarial": Look(
        "one way",
        colours.ADVERSARIAL,
        "diamond",
        "solid",
        "adversarial: moves every start to one side",
    ),
    "round": Look("random", colours.ROUND, "circle", "solid", "round: Gaussian entries"),
    "weak": Look(
        "off patterns", colours.WEAK, "triangle", "dashed", "weakly correlated: Gaussian, projected"
    ),
    "quiet": Look(
        "false patterns",
        colours.QUIET,
        "square",
        "dotdash",
        "other components, in the rest of the space",
    ),
}


class Looks(Mapping):
    """Styles by name: all registered schemes in their order of presentation, then the other methods."""

    def __getitem__(self, name: str) -> Look:
        if name in _METHODS:
            return _METHODS[name]
        if (scheme := find(name)) is None:
            raise KeyError(name)
        return _look(scheme.label, *(_STYLES.get(name) or _spare(name)), scheme.explanation)

    def __iter__(self) -> Iterator[str]:
        return iter((*presented(), *_METHODS))

    def __len__(self) -> int:
        return len(SCHEMES) + len(_METHODS)


LOOKS = Looks()
_look = lru_cache(maxsize=64)(Look)


def planned_order() -> tuple[str, ...]:
    """Private schemes in the order in which sentences and plans name them; those with a curator come last."""
    return tuple(sorted(presented(PRIVATE), key=lambda scheme: named(scheme).curator))


def _spare(name):
    """Colour, marker and dash of a scheme without a style, by its position among such schemes."""
    place = [scheme for scheme in SCHEMES if scheme not in _STYLES].index(name)
    choices = SPARE_COLOURS, _SPARE_MARKERS, _SPARE_DASHES
    return tuple(options[place % len(options)] for options in choices)


def label(scheme: str) -> str:
    """The name of a scheme as pictures print it."""
    return LOOKS[scheme].label


def subject(scheme: str) -> str:
    """The scheme as the subject of a sentence; one that has no plainer name is called as pictures call it."""
    return _SUBJECTS.get(scheme) or label(scheme)


# In a sentence the coloured part is the name of the curve, or what stands for it.
_SPOKEN = {"conventional": ("the ", "conventional", " scheme"), "local": ("", "one site alone", "")}


def spoken(scheme: str, name: str = "") -> str:
    """The scheme as the subject of a sentence, in its colour, as HTML; `name` in place of its own, plain text."""
    before, text, after = ("", name, "") if name else _SPOKEN.get(scheme, ("", subject(scheme), ""))
    return f"{before}{coloured(scheme, text)}{after}"


def coloured(scheme: str, text: str, tag: str = "span") -> str:
    """A plain text in a scheme's colour, as HTML; as "b" a number."""
    return f"<{tag} class='of' style='--of:{colour_of(scheme)}'>{html.escape(text)}</{tag}>"


def colour_of(scheme: str) -> str:
    """A scheme's colour as CSS, which a page may replace by a custom property."""
    return f"var(--of-{scheme}, {LOOKS[scheme].colour})"


def ink(*, dark: bool, quiet: bool = False) -> str:
    """The colour of text, or of secondary text, in the light or the dark theme."""
    return _SHADES[QUIET if quiet else INK][dark]


def paper(*, dark: bool) -> str:
    """The background colour of the page."""
    return _SHADES[PAPER][dark]


def follow_theme(model, *, dark: bool) -> None:
    """Set the colours of all Bokeh models inside `model` that have one of these tags to those of the theme."""
    for part in model.references():
        for tag in part.tags:
            if isinstance(tag, str) and tag in _SHADES:
                for name in part.properties() & _PROPERTIES:
                    if getattr(part, name) is not None:
                        setattr(part, name, _SHADES[tag][dark])
