"""The pages that are sheets, for tests."""

from dashboard.packs.consortium.limits.page import LIMITS
from dashboard.packs.consortium.sites.page import SITES
from dashboard.packs.papers.findings.page import FINDINGS_SHEET
from dashboard.packs.papers.papers.page import PAPERS
from dashboard.packs.papers.power_noise.page import NOISE
from dashboard.packs.papers.power_stream.page import STREAM
from dashboard.packs.trust.audit.page import AUDIT
from dashboard.packs.trust.secure_sum.page import SECURE_SUM
from dashboard.pages.learn.gain.page import GAIN
from dashboard.pages.learn.guarantee.page import GUARANTEE
from dashboard.pages.learn.protocol.page import PROTOCOL
from dashboard.sheet.page import SheetPage

AuditPage = SheetPage.of(AUDIT)
FindingsPage = SheetPage.of(FINDINGS_SHEET)
GainPage = SheetPage.of(GAIN)
GuaranteePage = SheetPage.of(GUARANTEE)
LimitsPage = SheetPage.of(LIMITS)
NoisePage = SheetPage.of(NOISE)
PapersPage = SheetPage.of(PAPERS)
ProtocolPage = SheetPage.of(PROTOCOL)
SecureSumPage = SheetPage.of(SECURE_SUM)
SitesPage = SheetPage.of(SITES)
StreamPage = SheetPage.of(STREAM)


def play_on(page):
    """The component that plays the protocol."""
    page.content()
    return page.board.live["play"].view


def answer_of(page) -> str:
    """What Plan answers: the sentence and the rows of the schemes."""
    shown = page.shown
    return "" if shown is None else shown.headline + shown.sections["answer"]


def record_of(page) -> str:
    """What Plan says of one record."""
    return "" if page.shown is None else page.shown.sections.get("record", "")
