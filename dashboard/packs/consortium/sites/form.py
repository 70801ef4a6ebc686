"""What a visitor can do with the table of sites: change it, and save a plan that the sites carry out."""

from __future__ import annotations

from typing import Any

from dashboard.compat.widgets.light_component import Stack
from dashboard.components.buttons import Buttons
from dashboard.components.fold import opener
from dashboard.components.layout import FULL, ButtonLine, text_download
from dashboard.packs.consortium.sites.model import SitesPicture
from dashboard.packs.consortium.sites.table import SitesTable
from dashboard.sheet.spec import Live

NAME = "cape-lab-sites.json"


class SitesForm(Live):
    """The buttons below the picture, and the table that one of them unfolds.

    Attributes
    ----------
    view : viewable
    file
        The button that saves the plan.
    """

    def __init__(self, page: Any):
        self._page, self._table = page, None
        row, self._place = Buttons(), Stack(visible=False, **FULL)
        opener(row, "Change the sites", self._place, before=self._unfolded)
        self.file = text_download("Save a plan for the sites", NAME, lambda: page.model.consortium().text())
        self.view = ButtonLine(row, self.file, unfolds=[self._place])

    @property
    def table(self) -> SitesTable:
        """The table, which is made when it is first needed."""
        if self._table is None:
            self._table = SitesTable(self._page.model, self._say, self._page.shared_table)
        return self._table

    def show(self, picture: SitesPicture) -> None:
        """Offer a plan of this design if there is one."""
        self.file.visible = picture.plannable and not picture.refused

    def _unfolded(self):
        # A table that is not seen would be laid out without a width.
        self._place.objects = [self.table.layout]

    def _say(self, problem):
        self._page.state.problem = problem
        self._page.paint_view()
