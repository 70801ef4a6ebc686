"""Parts of pictures that the server draws as SVG; places across are per cent of the width."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.theme.assets import beside

SHEET = beside(__file__, "sketch.css")
"""Style sheet of what stands in an element of the class "sketch"."""


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start", **style: str) -> str:
    """A text at `x` per cent and `y` pixels; foreign text must already be escaped."""
    given = "".join(f' {name}="{value}"' for name, value in style.items())
    return f'<text x="{x:.2f}%" y="{y:.1f}" class="{kind}" text-anchor="{anchor}"{given}>{words}</text>'


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "axis", **style: str) -> str:
    """A straight line; places across in per cent, down in pixels."""
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<line x1="{x:.2f}%" x2="{to_x:.2f}%" y1="{y:.1f}" y2="{to_y:.1f}" class="{kind}"{given}/>'


def curve(
    points: Iterable[tuple[float, float]], *, top: float, height: float, closed: bool = False, **style: str
) -> str:
    """A path through points, per cent across and pixels down from `top`; it stretches with the picture."""
    path = "L".join(f"{10 * x:.1f} {y:.1f}" for x, y in points)
    given = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return (
        f'<svg x="0" y="{top:.1f}" width="100%" height="{height:.1f}" viewBox="0 0 1000 {height:.1f}" '
        f'preserveAspectRatio="none"><path class="outline" d="M{path}{"Z" if closed else ""}"{given}/></svg>'
    )
