"""The pages that are sheets, for tests: each is imported when a test asks for it, so that a pack may be absent."""

from importlib import import_module

from dashboard.sheet.page import Page

_SHEETS = {
    "AuditPage": "dashboard.packs.trust.audit.page.AUDIT",
    "FindingsPage": "dashboard.packs.papers.findings.page.FINDINGS_SHEET",
    "GainPage": "dashboard.pages.learn.gain.page.GAIN",
    "GuaranteePage": "dashboard.pages.learn.guarantee.page.GUARANTEE",
    "LimitsPage": "dashboard.packs.consortium.limits.page.LIMITS",
    "MonthsPage": "dashboard.packs.consortium.months.page.MONTHS",
    "NoisePage": "dashboard.packs.papers.power_noise.page.NOISE",
    "PapersPage": "dashboard.packs.papers.papers.page.PAPERS",
    "ProtocolPage": "dashboard.pages.learn.protocol.page.PROTOCOL",
    "SecureSumPage": "dashboard.packs.trust.secure_sum.page.SECURE_SUM",
    "SitesPage": "dashboard.packs.consortium.sites.page.SITES",
    "StreamPage": "dashboard.packs.papers.power_stream.page.STREAM",
}


def __getattr__(name):
    """A page, the same whenever it is asked for."""
    if name not in _SHEETS:
        raise AttributeError(f"no sheet is called {name!r}")
    module, _, sheet = _SHEETS[name].rpartition(".")
    globals()[name] = Page.of(getattr(import_module(module), sheet))
    return globals()[name]


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
