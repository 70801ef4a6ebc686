"""The pages, a folder each: a model that computes, a page that shows it. Navigation keeps this order.

A page has its folder's name. A placeholder replaces a page that cannot
be imported and shows the error; the other pages keep working.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Iterable

from dashboard.page.base import GROUPS, Page
from dashboard.page.broken import broken

_LOG = logging.getLogger("cape-lab")


def load(names: Iterable[str]) -> tuple[type[Page], ...]:
    """The pages of these modules; the placeholder of a broken one is listed in the group of the page before it."""
    kinds: list[type[Page]] = []
    for folder in names:
        name = folder.rsplit(".", 1)[-1]
        try:
            kinds.append(_page_of(importlib.import_module(f"{__name__}.{folder}.page"), name))
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
        "learn.start",
        "learn.averaging",
        "learn.gain",
        "learn.guarantee",
        "learn.glossary",
        "analyse.pca",
        "analyse.components",
        "analyse.topics",
        "analyse.regression",
        "analyse.network",
        "analyse.power",
        "analyse.power_stream",
        "analyse.power_noise",
        "trust.sites",
        "trust.secure_sum",
        "trust.audit",
        "trust.limits",
        "decide.plan",
        "decide.papers",
        "decide.findings",
    )
)
