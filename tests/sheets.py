"""The pages that are sheets, for tests."""

from dashboard.pages.learn.gain.page import GAIN
from dashboard.pages.learn.guarantee.page import GUARANTEE
from dashboard.sheet.page import SheetPage

GainPage = SheetPage.of(GAIN)
GuaranteePage = SheetPage.of(GUARANTEE)
