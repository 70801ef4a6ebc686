"""What the app says of a page before it is opened: read from the page's source, so that its module is not imported.

A page imports its algorithms, its data and their libraries. A session needs them when the page is opened; navigation,
lectures and the ledger need a few words of the page only.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property

from dashboard.page.base import Page
from dashboard.page.broken import broken

_LOG = logging.getLogger("cape-lab")


@dataclass(frozen=True)
class Listed:
    """A page as lists show it; the attributes are the class attributes of `Page`.

    Attributes
    ----------
    steps : bool
        Whether a lecture has steps on this page.
    load : callable
        Imports the page and returns its class; for a page that cannot be imported, a placeholder.
    """

    name: str
    title: str
    group: str
    icon: str
    tab_of: str
    lead: str
    no_release: str
    steps: bool
    load: Callable[[], type[Page]]

    @cached_property
    def kind(self) -> type[Page]:
        """The page's class; its module is imported at the first access."""
        return self.load()

    @classmethod
    def of(cls, kind: type[Page]) -> Listed:
        """The entry of a class that is imported already."""
        return cls(
            **{name: getattr(kind, name) for name in _WORDS}, steps=bool(kind.steps), load=lambda: kind
        )


def compared(name: str, title: str, module: str, *, first: str, lead: str, steps: bool) -> Listed:
    """The entry of an algorithm, a tab of the `first`; its module has the `Comparison` and is imported late."""

    def load():
        from dashboard.compare.page import ComparePage
        from dashboard.compare.spec import Comparison

        found = next(
            one for one in vars(importlib.import_module(module)).values() if isinstance(one, Comparison)
        )
        return ComparePage.of(found, lead=lead, tab_of=words["tab_of"])

    words = {
        "icon": "compare_arrows",
        "group": "Compare",
        "tab_of": "" if name == first else first,
        "lead": lead,
        "no_release": "",
    }
    return Listed(name=name, title=title, steps=steps, load=load, **words)


def introduce(page: Page, listed: Iterable[Listed]) -> None:
    """Tell a page of the others of its app, and of those in the same row of tabs."""
    entries = tuple(listed)
    main = page.tab_of or page.name
    page.others = tuple(entry for entry in entries if entry.name != page.name)
    page.tabs = tuple(entry for entry in entries if main in (entry.name, entry.tab_of))


_WORDS = tuple(field.name for field in fields(Listed) if field.name not in ("steps", "load"))


def listed(module: str, name: str, *, group: str) -> Listed:
    """The entry of the page `name` in a module; one that cannot be read is imported.

    Parameters
    ----------
    module : str
        Full name of the module with the page's class.
    group : str
        Where navigation lists the placeholder if the module cannot be imported.
    """

    def load():
        try:
            return _page_of(importlib.import_module(module), name)
        except Exception as error:
            _LOG.exception("the page %s could not be imported", name)
            return broken(name, group, error)

    words = _said(module, name)
    if words is None:
        return Listed.of(load())
    steps = words.pop("steps", False)
    defaults = {word: getattr(Page, word, "") for word in _WORDS}
    return Listed(**(defaults | words), steps=steps, load=load)


def _page_of(module, name):
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, Page) and vars(found).get("name") == name:
            return found
    raise ImportError(f"{module.__name__} must define a Page whose name is {name!r}")


def _said(module, name):
    """The literal class attributes of a page in the source of its module; None if they cannot be read."""
    try:
        spec = importlib.util.find_spec(module)
        tree = ast.parse(spec.loader.get_source(module))
    except Exception:  # Importing the page says what is wrong.
        return None
    for part in tree.body:
        if isinstance(part, ast.ClassDef):
            words = dict(_attributes(part))
            if words.get("name") == name:
                return words if all(isinstance(words.get(word, ""), str) for word in _WORDS) else None
    return None


def _attributes(part):
    """Names and values of a class's literal attributes that lists show; of `steps`, whether there are any."""
    for line in part.body:
        if isinstance(line, ast.Assign):
            pairs = [pair for target in line.targets for pair in _pairs(target, line.value)]
        elif isinstance(line, ast.AnnAssign) and line.value is not None:
            pairs = [(line.target, line.value)]
        else:
            continue
        for target, value in pairs:
            if isinstance(target, ast.Name) and target.id == "steps":
                yield "steps", not (isinstance(value, ast.Tuple) and not value.elts)
            elif isinstance(target, ast.Name) and target.id in _WORDS:
                yield target.id, value.value if isinstance(value, ast.Constant) else None


def _pairs(target, value):
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return zip(target.elts, value.elts, strict=False)
    return [(target, value)]
