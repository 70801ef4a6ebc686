"""The interactive app: run it with `python -m dashboard` or `panel serve dashboard`.

`from dashboard import explore` shows a page of it in a notebook.
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """`explore`, imported when it is asked for: `panel serve` runs this module for every session."""
    if name == "explore":
        return importlib.import_module("dashboard.packs.notebook.explorer.explore").explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
