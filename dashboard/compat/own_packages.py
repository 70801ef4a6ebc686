"""Refuse to start beside a foreign package called `core` or `data`: these names are common.

Python imports the first package of a name on its path. Without this check a foreign one shows itself by an error
about a missing part of it, which names neither package.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

NAMES = ("core", "data")


def require_own_packages() -> None:
    """Check that `core` and `data` are those of CAPE Lab, which stand beside `dashboard`.

    Raises
    ------
    ImportError
        If one of them is another package, or missing; names the file that Python would import instead.
    """
    home = Path(__file__).resolve().parents[2]
    for name in NAMES:
        place = _place(name)
        if place is None:
            raise ImportError(
                f"CAPE Lab's package {name!r} is missing: install CAPE Lab again (it should be in {home})."
            )
        if place.parent != home / name:
            raise ImportError(
                f"CAPE Lab needs its own package {name!r} in {home / name}, but Python finds another one first: "
                f"{place}. Install CAPE Lab in an environment of its own, or start it from another folder."
            )


def _place(name):
    """The file that `import name` would run; a folder without `__init__.py` has none and stands for itself."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    if spec.origin is not None:
        return Path(spec.origin).resolve()
    folders = list(spec.submodule_search_locations or ())
    return Path(folders[0]).resolve() / "__init__.py" if folders else None
