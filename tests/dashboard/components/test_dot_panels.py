"""Panels of dots: what the browser gets, what stands before scripts run, and what stays while a result is on its way."""

import numpy as np

from dashboard.components.dot_panels import DotPanels, Panel, Picture, still

DOTS = np.array([[0.0, 0.0], [0.5, 1.0], [9.0, np.nan]])
SHOWN = Panel(
    *("cape", "CAPE <b>", "off by 1 %", "#0072b2", DOTS, np.array([0, 1, 1])),
    found=np.array([[0.25, 0.75]]),
    right=np.array([True]),
)


def test_places_are_whole_numbers_inside_of_the_panel():
    state = Picture((SHOWN,), rings=np.array([[0.5, 0.5]])).state
    (panel,) = state["panels"]
    assert panel["dots"] == [[0, 500, 1000], [1000, 0, 500]]
    assert panel["found"] == [[250], [250]] and state["rings"] == [[500], [500]]
    assert state["line"] == state["level"] == state["home"] == [[], []]


def test_the_still_picture_has_every_dot_and_foreign_text_as_text():
    ring = np.array([[0.5, 0.5]])
    markup = still(Picture((SHOWN,), told="a < b", line=np.array([[0, 0], [1, 1]]), rings=ring).state)
    assert markup.count('class="ring"') == 1 and 'class="tick"' not in markup, "no circle tells what is right"
    assert markup.count("h0") == 3 and markup.count('class="dot"') == 2
    assert markup.count("--tint: #") == 2 and 'class="near"' not in markup, (
        "a cross has the colour of its dots"
    )
    assert "CAPE &lt;b&gt;" in markup and "CAPE <b>" not in markup and "a &lt; b" in markup
    assert 'd="M0 1000L1000 0"' in markup
    assert still({}) == ""


def test_a_key_has_an_item_each_and_circles_are_as_large_as_in_the_panel():
    ring = np.array([[0.5, 0.5]])
    key = Picture(
        (SHOWN,),
        told=("○ true", "+ found"),
        rings=ring,
        under="0 %: none",
        near=np.array([0.25]),
        high=(2, 2),
    ).state
    assert key["near"] == [125]
    markup = still(key)
    assert "<span>○ true</span><span>+ found</span>" in markup and 'r="125"' in markup
    assert markup.count('class="near hit"') == markup.count('class="tick"') == 1
    assert '<p class="under">0 %: none</p>' in markup


def test_what_belongs_to_no_group_and_a_cross_outside_of_its_circle_are_grey():
    lost = Panel("cape", "CAPE", "", "#0072b2", DOTS, np.array([0, -1, 0]), found=np.array([[1.0, 1.0]]))
    state = Picture((lost,), rings=np.array([[0.5, 0.5]]), near=np.array([0.25])).state
    assert state["panels"][0]["groups"] == [0, -1, 0]
    markup = still(state)
    assert markup.count("--dot: var(--none)") == 1 and markup.count("--tint: var(--none)") == 2
    assert 'class="miss" d="M500 500L1000 0"' in markup


def test_the_first_panel_alone_says_what_the_directions_are():
    markup = still(Picture((SHOWN, Panel("local", "local", dots=DOTS)), across="true →", up="↑ told").state)
    assert markup.count("true →") == markup.count("↑ told") == 1


def test_a_panel_keeps_its_dots_until_the_next_result_unless_all_begins_afresh():
    panels, waiting = DotPanels(), Picture((Panel("cape", "CAPE"), Panel("local", "local")))
    panels.show(Picture((SHOWN,)))
    panels.show(waiting)
    assert [len(panel["dots"][0]) for panel in panels.state["panels"]] == [3, 0]
    panels.begin(waiting)
    assert [len(panel["dots"][0]) for panel in panels.state["panels"]] == [3, 0], "the same panels stay"
    panels.begin(Picture((Panel("cape", "CAPE"),)))
    assert [len(panel["dots"][0]) for panel in panels.state["panels"]] == [0], "others begin anew"
    panels.show(waiting, afresh=True)
    assert [len(panel["dots"][0]) for panel in panels.state["panels"]] == [0, 0]
