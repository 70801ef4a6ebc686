"""The layout of any page: of a comparison, of a sheet, or of a page that draws in place."""

from __future__ import annotations

import panel as pn

from dashboard.compare import layout as compared
from dashboard.compare.page import ComparePage
from dashboard.page.base import SessionPage
from dashboard.sheet import layout as sheets
from dashboard.sheet.page import SheetPage
from dashboard.shell.browser import Browser
from dashboard.shell.page_layout import shell


def laid_out(page: SessionPage, browser: Browser) -> pn.viewable.Viewable:
    """The whole page, with its controls and actions."""
    if isinstance(page, SheetPage):
        return sheets.laid_out(page, browser)
    return compared.laid_out(page, browser) if isinstance(page, ComparePage) else shell(page, browser)
