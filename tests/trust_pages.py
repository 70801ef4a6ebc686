"""A trust page that is opened as a visitor opens it: every part built, and its first run made."""

from dashboard.page.base import Page
from dashboard.pages.trust.audit.page import AuditPage
from dashboard.state.controls import Controls


def opened(kind, **values):
    page = kind(Controls())
    page.content()
    if isinstance(page, Page):
        page.before()
        page.more()
    page.set({"runs": 2000, **values} if kind is AuditPage else values)
    page.opened()
    assert page.said.problem == ""
    return page
