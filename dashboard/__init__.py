"""The interactive app: run it with `python -m dashboard` or `panel serve dashboard`.

`from dashboard import explore` shows a page of it in a notebook.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """`explore` and what else packs bring, imported when asked for: `panel serve` runs this module for every session."""
    if not name.startswith("_"):
        from dashboard.state import printed_names

        if printed_names.known(name):
            return printed_names.named(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
