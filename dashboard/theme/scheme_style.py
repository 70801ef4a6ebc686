"""How a scheme looks, everywhere: label, colour, marker, dash; and the inks that follow light and dark.

The colours are Okabe and Ito's (safe for colour-blind readers), darkened where they would fall below a
contrast of 3 : 1 on white; the markers and dashes keep the schemes apart in print.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.schemes import PRIVATE, SCHEMES, named, presented
from dashboard.theme.colours import BLUE, CORRECTED, GREEN, PUBLISHED, VERMILION

INK = "ink"  # Tag of Bokeh models drawn in the colour of text, which differs between light and dark.
QUIET = "quiet"  # Tag of those drawn in the softer grey of secondary text.
PAPER = "paper"  # And of what is drawn in the colour of the page.
_SHADES = {INK: ("#1a1f27", "#eef1f5"), QUIET: ("#5c6672", "#a7b0bb"), PAPER: ("#ffffff", "#14181d")}
_PROPERTIES = {"line_color", "text_color", "fill_color", "label_text_color", "grid_line_color"}


@dataclass(frozen=True)
class Look:
    """What identifies a scheme in every picture."""

    label: str
    colour: str
    marker: str
    dash: str
    plain: str


# Colour, marker and dash of the schemes; label and explanation are those of their records.
_STYLES = {
    "nonprivate": (_SHADES[INK][0], "dash", "dashed"),
    "pooled": (GREEN, "square", "dotdash"),
    "cape": (BLUE, "circle", "solid"),
    "conventional": (VERMILION, "diamond", "solid"),
    "local": ("#b3588a", "triangle", "dotted"),
}
# A scheme that is registered without a style of its own takes the next of these. They differ in lightness too, from
# each other and from the above, for colour-blind readers; when all are taken the colours return with other markers.
_SPARE_COLOURS = ("#3b2a8c", "#3a93c9", "#7a4a1e", "#5f7d1a", "#6b7280")
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

_METHODS = {
    # Methods beyond the five schemes, in the order in which legends list them.
    "dpdispca": Look(
        "DPdisPCA", "#8a6d00", "inverted_triangle", "dashdot", "sites send partial square roots"
    ),
    "avn": Look("AVN", "#8c6d00", "square_pin", "dashdot", "one curator, pure-ε vector noise"),
    "random": Look("random vectors", "#7a7f87", "cross", "dotted", "the level of knowing nothing"),
    "dpfm": Look("dp-fm", "#8f6a00", "star", "dashdot", "one curator, Laplace noise on every coefficient"),
    "objpert": Look("objPert", "#6a51a3", "hex", "dotdash", "one curator perturbs the objective"),
    "configuration-e": Look(
        "E, one curator", "#00796b", "circle", "solid", "equalised documents, clipped whitening"
    ),
    "configuration-1": Look("1: M2, M3", VERMILION, "diamond", "solid", "published: noise on both moments"),
    "configuration-1-pure": Look("1, pure ε", "#b07a00", "star", "dotdash", "the same with Laplace noise"),
    "configuration-2": Look(
        "2: T", "#7a4fa3", "square", "dashdot", "published: noise on the whitened tensor"
    ),
    "configuration-3": Look("3: pairs", "#b3588a", "triangle", "dotted", "published: noise on eigenpairs"),
    "configuration-4": Look(
        "4: output", "#5c6e7a", "inverted_triangle", "dotted", "published: noise on the topics"
    ),
    "variational": Look("DP variational", "#6b8e23", "hex", "dashdot", "private variational inference"),
    # Power methods: private accountings, and kinds of disturbance.
    "alg3_exact": Look(
        "Alg. 3, exact", CORRECTED, "circle", "solid", "noise in every step, exact composition"
    ),
    "alg3_published": Look(
        "Alg. 3, published", PUBLISHED, "diamond", "dashed", "noise in every step, the printed constants"
    ),
    "input": Look("input perturbation", GREEN, "square", "dotdash", "noise on the whole tensor, once"),
    "adversarial": Look("adversarial", VERMILION, "diamond", "solid", "draws every start to one direction"),
    "round": Look("round", BLUE, "circle", "solid", "Gaussian entries"),
    "weak": Look("weakly correlated", "#8f6a00", "triangle", "dashed", "Gaussian, off the components"),
    "quiet": Look("quiet", "#6a51a3", "square", "dotdash", "other components in the rest of the space"),
}


class Looks(Mapping):
    """Looks by name: of all registered schemes in their order of presentation, then of the other methods."""

    def __getitem__(self, name: str) -> Look:
        if name in _METHODS:
            return _METHODS[name]
        if name not in SCHEMES:
            raise KeyError(name)
        scheme = named(name)
        return Look(scheme.label, *(_STYLES.get(name) or _spare(name)), scheme.explanation)

    def __iter__(self) -> Iterator[str]:
        return iter((*presented(), *_METHODS))

    def __len__(self) -> int:
        return len(SCHEMES) + len(_METHODS)


LOOKS = Looks()


def planned_order() -> tuple[str, ...]:
    """Private schemes in the order in which sentences and plans name them: a curator's last."""
    return tuple(sorted(presented(PRIVATE), key=lambda scheme: named(scheme).curator))


def _spare(name):
    """Colour, marker and dash of a scheme that has none of its own, by its place among such schemes."""
    place = [scheme for scheme in SCHEMES if scheme not in _STYLES].index(name)
    choices = _SPARE_COLOURS, _SPARE_MARKERS, _SPARE_DASHES
    return tuple(options[place % len(options)] for options in choices)


def label(scheme: str) -> str:
    """The name of a scheme as pictures print it."""
    return LOOKS[scheme].label


def ink(*, dark: bool, quiet: bool = False) -> str:
    """The colour of text, or of secondary text, on the light or the dark page."""
    return _SHADES[QUIET if quiet else INK][dark]


def paper(*, dark: bool) -> str:
    """The colour of the page."""
    return _SHADES[PAPER][dark]


def follow_theme(model, *, dark: bool) -> None:
    """Give every Bokeh model inside `model` that is tagged INK, QUIET or PAPER its colour in light or dark."""
    for tag, shades in _SHADES.items():
        for part in model.select({"tags": tag}):
            for name in part.properties() & _PROPERTIES:
                if getattr(part, name) is not None:
                    setattr(part, name, shades[dark])
