"""Names that the app, its documents and copied programs print, and that packs stand for: `dashboard.plots` and others."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from dashboard.state import packs

# The pack of each; a name without its pack says which one has it.
PRINTED = {"explore": "notebook", "plots": "notebook", "reproduce": "papers", "handout": "handout"}
COMMANDS = ("handout", "reproduce")  # Of `cape-lab`.


def known(name: str) -> bool:
    """Whether `dashboard.NAME` is something of a pack, present or not."""
    return name in PRINTED or any(name in pack.entry.names for pack in packs.found())


def absent(name: str) -> str:
    """The sentence that says which pack has a name that is printed."""
    return (
        f"{name!r} belongs to the pack {PRINTED[name]!r}, which is not here: see the folder dashboard/packs"
    )


def home(name: str) -> str:
    """Where it is: a module, or "package.module:name".

    Raises
    ------
    ModuleNotFoundError
        If the pack that has it is not here.
    """
    for pack in packs.found():
        if name in pack.entry.names:
            return pack.entry.names[name]
    raise ModuleNotFoundError(absent(name), name=f"dashboard.{name}")


def named(name: str) -> Any:
    """What `dashboard.NAME` is, imported."""
    return pkgutil.resolve_name(home(name))


def stand_in(module: str, name: str) -> None:
    """Called by the module `dashboard.NAME`, to be the package of a pack: also its parts, and as a program.

    Parameters
    ----------
    module : str
        The module's `__name__`.
    name : str
        The name that is printed.
    """
    if module == "__main__":
        try:
            place = home(name)
        except ModuleNotFoundError as error:
            sys.exit(str(error))
        runpy.run_module(place, run_name="__main__", alter_sys=True)
        return
    sys.modules[module] = importlib.import_module(home(name))
    _PARTS.homes[f"{module}."] = f"{home(name)}."
    if _PARTS not in sys.meta_path:
        sys.meta_path.insert(0, _PARTS)


class _Parts(MetaPathFinder, Loader):
    """Finds `dashboard.reproduce.x` where it is, so that there is no second copy of it."""

    def __init__(self):
        self.homes: dict[str, str] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        place = self._place(fullname)
        if place is None or importlib.util.find_spec(place) is None:
            return None
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        place = self._place(module.__name__)
        assert place is not None
        # The import system takes what stands here afterwards.
        sys.modules[module.__name__] = importlib.import_module(place)

    def _place(self, name):
        for start, place in self.homes.items():
            if name.startswith(start):
                return place + name.removeprefix(start)
        return None


_PARTS = _Parts()
