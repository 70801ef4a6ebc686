"""The layout of any page: of a comparison, of a sheet, or of one that could not be loaded."""

from __future__ import annotations

import panel as pn

from dashboard.compare import layout as compared
from dashboard.compare.page import ComparePage
from dashboard.page.base import SessionPage
from dashboard.pages.broken import BrokenPage
from dashboard.sheet import layout as sheets
from dashboard.shell.browser import Browser


def laid_out(page: SessionPage, browser: Browser) -> pn.viewable.Viewable:
    """The whole page, with its controls and actions."""
    if isinstance(page, BrokenPage):
        return page.content()
    return (
        compared.laid_out(page, browser) if isinstance(page, ComparePage) else sheets.laid_out(page, browser)
    )
