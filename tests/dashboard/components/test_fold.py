"""Parts of a page that a button shows."""

import panel as pn

from dashboard.components.fold import unfolding


def test_a_button_shows_what_it_names_and_hides_it_again():
    part = pn.pane.HTML("eigenvalues")
    row, inside = unfolding("How it works", part).objects
    (button,) = row.buttons
    assert button.label == "How it works" and not inside.visible and list(inside) == [part]
    button.click()
    assert inside.visible
    button.click()
    assert not inside.visible
