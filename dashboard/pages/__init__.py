"""The pages, one module each: a model that computes, a view that shows. Navigation keeps this order.

A page's module is called like the page. One that cannot be imported leaves the others alone: a page that says why
stands in its place.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterable

from dashboard.broken import broken
from dashboard.page import GROUPS, Page

_LOG = logging.getLogger("cape-lab")


def load(names: Iterable[str]) -> tuple[type[Page], ...]:
    """The pages of these modules; one that is broken stands in the group of the page before it."""
    kinds: list[type[Page]] = []
    for name in names:
        try:
            kinds.append(_page_of(importlib.import_module(f"{__name__}.{name}"), name))
        except Exception as error:
            _LOG.exception("the page %s could not be imported", name)
            kinds.append(broken(name, kinds[-1].group if kinds else GROUPS[0], error))
    return tuple(kinds)


def _page_of(module, name):
    for found in vars(module).values():
        if isinstance(found, type) and issubclass(found, Page) and vars(found).get("name") == name:
            return found
    raise ImportError(f"{module.__name__} must define a Page whose name is {name!r}")


PAGES = load(
    (
        "start",
        "averaging",
        "gain",
        "guarantee",
        "glossary",
        "pca",
        "components",
        "topics",
        "regression",
        "network",
        "power",
        "power_stream",
        "power_noise",
        "sites",
        "secure_sum",
        "audit",
        "plan",
        "papers",
        "findings",
    )
)
