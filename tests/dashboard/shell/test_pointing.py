"""Clauses of a text point at the curve that they are about."""

import re

import pytest

from dashboard.shell.pointing import pointing

LABELS = {"CAPE", "CAPE, best", "conventional", "local", "non-private"}


def marks(text):
    return re.findall(r'<span data-mark="([^"]*)">(.*?)</span>', pointing(text, LABELS))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("<p>CAPE keeps <b>93 %</b>, conventional <b>71 %</b>.</p>", ["CAPE", "conventional"]),
        ("<b>ε = 0.3</b> (CAPE, 1 of 2); <b>ε ≈ 0.9</b> (conventional)", ["CAPE", "conventional"]),
        ("For 9,000 records, <b>CAPE, best</b> needs 1.5", ["CAPE, best"]),
        ("Where each message is alone, the Conventional average has 5", ["conventional"]),
        ("Its local noise is small.", []),
        ("CAPEs and the semilocal", []),
    ],
)
def test_a_clause_with_one_label_is_about_its_curve(text, expected):
    assert [label for label, _ in marks(text)] == expected


def test_numbers_belong_to_the_clause():
    assert marks("<p>CAPE keeps <b>9.3 %</b>, conventional less.</p>")[0][1] == "CAPE keeps <b>9.3 %</b>,"


def test_halves_with_a_number_each_are_two_clauses():
    found = marks("At 1 CAPE loses <b>5 %</b> and the conventional scheme <b>27 %</b> of it.")
    assert [label for label, _ in found] == ["CAPE", "conventional"] and "27" in found[1][1]


def test_of_several_labels_only_these_are_marked_and_the_text_stays():
    text = "<p>Both <b>CAPE and conventional</b> keep 3 &lt; 4 (<a href='?page=a'>CAPE</a>).</p>"
    assert marks(text) == [("CAPE", "CAPE"), ("conventional", "conventional"), ("CAPE", "CAPE")]
    assert re.sub(r"</?span[^>]*>", "", pointing(text, LABELS)) == text
    assert pointing(text, ()) == text


def test_elements_that_a_clause_cuts_are_left_whole():
    text = "<b>CAPE, since ε is small,</b> wins."
    assert pointing(text, {"CAPE"}) == '<b><span data-mark="CAPE">CAPE</span>, since ε is small,</b> wins.'


def test_only_bold_numbers_are_underlined():
    text = (
        "<b>ε ≈ 0.9</b> (CAPE), <b>more than ε = 10</b> (local). <b>Forecast</b> for CAPE: <b>1.5</b> times."
    )
    found = pointing(text, {"CAPE", "local"})
    assert found.count("<b class='said'>") == 2
    assert "<b class='said'>more than ε = 10</b>" in found and "<b class='said'>Forecast</b>" in found
