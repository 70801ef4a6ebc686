"""How a scheme looks, everywhere: label, colour, marker, dash; and the inks that follow light and dark.

The colours are Okabe and Ito's (safe for colour-blind readers), darkened where they would fall below a
contrast of 3 : 1 on white; the markers and dashes keep the schemes apart in print.
"""

from __future__ import annotations

from dataclasses import dataclass

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


LOOKS = {
    "nonprivate": Look("non-private", _SHADES[INK][0], "dash", "dashed", "the answer without any noise"),
    "pooled": Look("pooled", "#009e73", "square", "dotdash", "one trusted curator holds all records"),
    "cape": Look("CAPE", "#0072b2", "circle", "solid", "sites add noise that cancels in the average"),
    "conventional": Look("conventional", "#d55e00", "diamond", "solid", "every site adds its own noise"),
    "local": Look("local", "#b3588a", "triangle", "dotted", "one site alone, nothing shared"),
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
    "configuration-1": Look("1: M2, M3", "#d55e00", "diamond", "solid", "published: noise on both moments"),
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
        "Alg. 3, exact", "#0072b2", "circle", "solid", "noise in every step, exact composition"
    ),
    "alg3_published": Look(
        "Alg. 3, published", "#d55e00", "diamond", "dashed", "noise in every step, the printed constants"
    ),
    "input": Look("input perturbation", "#009e73", "square", "dotdash", "noise on the whole tensor, once"),
    "adversarial": Look("adversarial", "#d55e00", "diamond", "solid", "draws every start to one direction"),
    "round": Look("round", "#0072b2", "circle", "solid", "Gaussian entries"),
    "weak": Look("weakly correlated", "#8f6a00", "triangle", "dashed", "Gaussian, off the components"),
    "quiet": Look("quiet", "#6a51a3", "square", "dotdash", "other components in the rest of the space"),
}


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
