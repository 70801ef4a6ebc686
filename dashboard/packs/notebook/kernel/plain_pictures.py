"""Pictures of HoloViews in a notebook without Material UI around them.

Importing panel-material-ui makes its design that of every output of a kernel, and wraps each output that is not its own
in a component that loads its script from the internet: without a network a picture is blank, and each takes 150 kB.
"""

from __future__ import annotations

import sys


def unwrap() -> None:
    """Leave outputs that are not Material UI's own as they are; nothing to do before that library is imported."""
    theme = sys.modules.get("panel_material_ui.theme")
    if theme is not None:
        theme.MaterialDesign._wrapper = _itself


def _itself(design, viewable):
    return viewable
