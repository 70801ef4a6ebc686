"""A trust page that is opened as a visitor opens it: every part built, and its first run made."""

from sheets import AuditPage

from dashboard.state.controls import Controls


def opened(kind, **values):
    page = kind(Controls())
    page.content()
    page.set({"runs": 2000, **values} if kind is AuditPage else values)
    page.opened()
    assert page.state.problem == ""
    return page
