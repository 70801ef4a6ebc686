"""A site as a face: a square with eyes and a mouth; a silent one has its eyes shut."""

from __future__ import annotations

from dashboard.theme.colours import COLLUDING

HONEST, COLLUDES, SILENT = "honest", "colludes", "silent"
ROLES = (HONEST, COLLUDES, SILENT)

# The sheet needs the colours --ink, --quiet and --paper.
SHEET = (
    f":host, svg, .slides {{ --colluding: {COLLUDING} }}"
    + """
.head { fill: color-mix(in srgb, var(--ink) 7%, var(--paper)); stroke: var(--ink); stroke-width: 1.6; transition: fill 0.3s }
.eye { fill: var(--ink) } .mouth { fill: none; stroke: var(--ink); stroke-width: 1.6; stroke-linecap: round }
.site { cursor: pointer; outline: none }
.site:hover .head { stroke-width: 3 }
.site:focus-visible .head { stroke: var(--mui-palette-primary-main); stroke-width: 4 }
.site.colludes .head { fill: var(--colluding) } .site.colludes .eye { fill: #fff }
.site.colludes .mouth { stroke: #fff }
.site.silent .head { fill: var(--paper); stroke-dasharray: 3 3; stroke: var(--quiet) }
.site.silent .eye { fill: var(--quiet) } .site.silent .mouth { stroke: var(--quiet) }
"""
)


def next_role(role: str) -> str:
    """The role after a click: honest, colluding, silent, and honest again."""
    return ROLES[(ROLES.index(role) + 1) % len(ROLES)]


def face(size: float, *, shut: bool = False, sly: bool = False, smiles: bool = True) -> str:
    """SVG of a face around the origin; `size` is about half of its side in pixels.

    A sly one has brows and a crooked mouth; one that neither smiles nor sleeps has a straight mouth.
    """
    shape = f"cy='{-0.12 * size:.1f}' rx='{0.13 * size:.1f}' ry='{1 if shut else 0.17 * size:.1f}'"
    eyes = "".join(f"<ellipse class='eye' cx='{side * 0.4 * size:.1f}' {shape}/>" for side in (-1, 1))
    bend = 0.68 if smiles and not shut else 0.4
    if sly:
        mouth = " ".join(
            f"M{side * 0.62 * size:.1f} {-0.56 * size:.1f}L{side * 0.18 * size:.1f} {-0.34 * size:.1f}"
            for side in (-1, 1)
        )
        bent = f"Q{0.15 * size:.1f} {0.56 * size:.1f} {0.4 * size:.1f} {0.22 * size:.1f}"
        mouth += f"M{-0.33 * size:.1f} {0.5 * size:.1f}{bent}"
        return _drawn(size, eyes, mouth)
    mouth = f"M{-0.33 * size:.1f} {0.4 * size:.1f}Q0 {bend * size:.1f} {0.33 * size:.1f} {0.4 * size:.1f}"
    return _drawn(size, eyes, mouth)


def _drawn(size, eyes, mouth):
    side = 1.8 * size
    return (
        f"<rect class='head' x='{-side / 2:.1f}' y='{-side / 2:.1f}' width='{side:.1f}' height='{side:.1f}' "
        f"rx='{0.4 * size:.1f}'/>{eyes}<path class='mouth' d='{mouth}'/>"
    )
