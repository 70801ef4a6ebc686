"""The outputs of this kernel that are shown: running a cell again ends those that it showed before."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

MOST = 8  # Outputs that stay live where the notebook does not say which cell is run.
_SHOWN: OrderedDict[Any, tuple[str, str]] = OrderedDict()  # By explorer: its cell, and the run of this cell.


def shown(explorer: Any) -> None:
    """Note that the running cell shows an explorer; those that it replaces are closed."""
    cell, run = _running()
    _SHOWN.pop(explorer, None)
    replaced = [one for one, (its, before) in _SHOWN.items() if its and its == cell and before != run]
    unknown = [one for one, (its, _) in _SHOWN.items() if not its]
    replaced += unknown[: max(0, len(unknown) + (not cell) - MOST)]
    for one in replaced:
        del _SHOWN[one]
        one.close()
    _SHOWN[explorer] = cell, run


def closed(explorer: Any) -> None:
    """Note that an explorer is shown no more."""
    _SHOWN.pop(explorer, None)


def in_kernel() -> bool:
    """Whether a notebook's kernel runs this program."""
    return getattr(_shell(), "kernel", None) is not None


def _shell():
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


def _running() -> tuple[str, str]:
    """The notebook's name of the running cell, "" if it tells none, and the number of the run."""
    shell = _shell()
    message = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return message.get("metadata", {}).get("cellId") or "", message.get("header", {}).get("msg_id", "")
