"""Style sheets, JavaScript and lists of texts lie in files of their own, beside the module that uses them."""

from __future__ import annotations

from pathlib import Path


def beside(module: str, name: str) -> str:
    """The text of a file in the folder of a module.

    Parameters
    ----------
    module : str
        The module's `__file__`.
    name : str
        File name, e.g. "browser.js".
    """
    return Path(module).with_name(name).read_text(encoding="utf-8")
