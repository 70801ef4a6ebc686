"""The settings of a page by name, checked, for a program."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dashboard.page.base import SessionPage
from dashboard.state import url


def near(name: str, names: Iterable[str]) -> str:
    """Names that are like a wrong one, as the end of an error message; "" if there are none."""
    found = difflib.get_close_matches(name.lower(), list(names), n=3, cutoff=0.5)
    return f"; near it: {', '.join(found)}" if found else ""


def checked(page: SessionPage, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values as the page takes them.

    Raises
    ------
    ValueError
        For a setting that the page does not have, with the names that are like it, and for an invalid value.
    """
    names = (*page.shared, *page.own)
    for name in values:
        if name not in names:
            like = near(name, names) or f"; its settings: {', '.join(names)}"
            raise ValueError(f"{name} is not a setting of page {page.name!r}{like}")
    given = {name: url.as_text(value) for name, value in values.items()}
    # A bound may depend on another setting: read them together with those of the page.
    read, problems = page.settings.decode(page.settings.texts() | given)
    if problems:
        raise ValueError("; ".join(problems))
    return {name: read[name] for name in values}


class PageControls:
    """The settings of a page as attributes: read them, or set them to move the page.

    Examples
    --------
    >>> from dashboard import explore
    >>> controls = explore("gain").controls
    >>> controls.sites = 20
    >>> controls.sites
    20
    """

    def __init__(self, page: SessionPage, put: Callable[[Mapping[str, Any]], None]):
        object.__setattr__(self, "_page", page)
        object.__setattr__(self, "_put", put)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self.__dir__():
            like = near(name, self.__dir__())
            raise AttributeError(f"page {self._page.name!r} has no setting {name!r}{like}")
        return getattr(self._page.source(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._put({name: value})

    def update(self, **values: Any) -> None:
        """Set several at once, with one new picture."""
        self._put(values)

    def __dir__(self) -> list[str]:
        return [*self._page.shared, *self._page.own]

    def __iter__(self):
        return iter(self.__dir__())

    def __repr__(self) -> str:
        rows = [(name, getattr(self, name), self._page.source(name).param[name].label or "") for name in self]
        return "\n".join(f"{name} = {value!r}  # {label}" for name, value, label in rows)
