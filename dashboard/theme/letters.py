"""The letters of all pages: the component library's own font files, under a family of their own.

The library's style sheets come later, and twice; text whose families are among theirs vanishes each time until their
files are there. This family stands from the first picture on.
"""

from __future__ import annotations

import re

from panel_material_ui.base import BUNDLE_PATH

FAMILY = "Letters, Helvetica, Arial, sans-serif"
_FOLDER = "static/extensions/panel-material-ui"
# Of each file of letters: its name, alphabet and weight, and for which letters a browser loads it.
_FACES = re.findall(
    r"@font-face\{[^}]*?(roboto-(latin|greek|math)-(400|700)-normal-\w+\.woff2)[^}]*?(unicode-range:[^;}]+)",
    BUNDLE_PATH.with_suffix(".css").read_text(encoding="utf-8"),
)
LINKS = "".join(
    f'<link rel="preload" as="font" type="font/woff2" href="{_FOLDER}/{file}" crossorigin>'
    for file, alphabet, *_ in _FACES
    if alphabet == "latin"
)
# The custom property comes through to every component; theirs of the library does not, as each defines it anew.
SHEET = f":root {{ --family: {FAMILY} }}" + "".join(
    f"@font-face {{ font-family: Letters; font-weight: {weight}; font-display: swap; {letters}; "
    f'src: url({_FOLDER}/{file}) format("woff2") }}'
    for file, _, weight, letters in _FACES
)
