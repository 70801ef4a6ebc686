"""Sites, Secure sum and Audit without a browser: what the three pages have in common."""

import numpy as np
import pytest
from pictures import held
from sheets import AuditPage, LimitsPage, SecureSumPage, SitesPage
from trust_pages import opened

from dashboard.state.controls import Controls

KINDS = (SitesPage, SecureSumPage, AuditPage)


MAIN = {
    SitesPage: "target",
    SecureSumPage: "lost",
    AuditPage: "runs",
}  # Sites has no slider above its picture.


@pytest.mark.parametrize("kind", KINDS)
def test_the_primary_control_changes_figures_and_words(kind):
    page = opened(kind)
    figures, words = held(page), page.state.words
    page.set({MAIN[kind]: {"target": 0.9, "lost": 2, "runs": 4000}[MAIN[kind]]})
    assert page.state.words not in ("", words)
    assert held(page) != figures


@pytest.mark.parametrize("kind", KINDS)
def test_the_script_leaves_the_numbers_of_the_table(kind, capsys):
    page = opened(kind, noise_seed=5)
    space = {}
    exec(compile(page.script(), "script", "exec"), space)
    table = page.table()
    for name, values in space["columns"].items():
        assert np.allclose(values, table[name], rtol=1e-12, atol=0, equal_nan=True), name
    assert capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_opens_in_the_state_that_its_link_names(kind):
    page = opened(kind, noise_seed=9)
    page.set({MAIN[kind]: {"target": 1.3, "lost": 0, "runs": 3000}[MAIN[kind]]})
    query = dict(part.split("=", 1) for part in page.search().removeprefix("?").split("&"))
    other = kind(Controls())
    assert other.take(query) == []
    assert other.search() == page.search()


@pytest.mark.parametrize("kind", KINDS)
def test_presets_change_what_is_said_and_leave_no_problem(kind):
    page = opened(kind)
    said = set()
    for preset in page.presets:
        page.set({**preset.values, "runs": 2000} if kind is AuditPage else preset.values)
        said.add(page.state.words)
        assert page.state.problem == ""
    assert len(said) == len(page.presets)


@pytest.mark.parametrize("kind", (SitesPage, AuditPage, LimitsPage))
def test_buttons_of_the_first_picture_can_be_seen_before_scripts_bring_the_palette(kind):
    page = kind(Controls())
    page.content()
    page.opened()
    shown = page.first_html()
    # Without a colour of the first picture's own they would be white on white, and their words alone would stand.
    assert "background: var(--mui-palette-primary-main, var(--primary))" in shown
    assert "background: var(--mui-palette-primary-main)" not in shown
