"""What a play of the slider showed: the sentence behind it."""

import re

from dashboard.page.played import Play, Reached, marks
from dashboard.theme.scheme_style import LOOKS, label, subject


def played(stops, symbol="ε"):
    play = Play(lambda who: Reached("all topics were found by", who, symbol))
    for value, who in stops.items():
        play.note(value, who)
    return play.text().replace("\u00a0", " ")


def numbers(text):
    """The numbers of a sentence, in order."""
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", text)]


def test_each_scheme_is_said_to_reach_the_mark_where_it_does():
    stops = {
        0.5: {"CAPE": True, "conventional": False, "local": False, "pooled": True, "odd": True},
        1.0: {"CAPE": True, "conventional": False, "local": False, "pooled": False, "odd": False},
        2.0: {"CAPE": True, "conventional": True, "local": False, "pooled": False, "odd": True},
        5.0: {"CAPE": True, "conventional": True, "local": False, "pooled": False, "odd": True},
    }
    # From 0.5 to 5: conventional from 2 on, pooled at 0.5 only, odd at three of four stops.
    assert numbers(played(stops)) == [0.5, 5, 2, 0.5, 0.5, 2, 5]
    falls = {0.3: {"quiet": True}, 0.5: {"quiet": True}, 0.9: {"quiet": False}}
    assert numbers(played(falls, symbol="")) == [0.3, 0.9, 0.5]


def test_of_one_stop_or_of_a_scheme_that_was_not_known_at_all_stops_nothing_is_said():
    assert played({1.0: {"CAPE": True}}) == ""
    said = played({1.0: {"CAPE": True, "local": True}, 2.0: {"CAPE": True}})
    assert numbers(said) == [1, 2] and "CAPE" in said and "local" not in said


def test_what_is_not_known_at_a_stop_may_be_known_at_the_end():
    known = {}
    play = Play(known.get)
    for value in (1.0, 2.0):
        play.note(value, value)
    assert play.text() == ""
    play.note(3.0, 3.0)
    known |= {1.0: Reached("x by", {"CAPE": False}), 3.0: Reached("x by", {"CAPE": True})}
    assert play.text() == ""  # "From ε = 3 on" would be said of a stop that is not known.
    known[2.0] = Reached("x by", {"CAPE": True})
    assert numbers(play.text()) == [1, 3, 2]
    play.begin()
    assert play.text() == ""


def marked(stops, **about):
    """Where the names stand under the slider."""
    found = marks({at: who and Reached("x by", who, **about) for at, who in stops.items()})
    return {one["name"]: one["value"] for one in found.get("at", ())}


def test_a_name_stands_under_the_slider_from_where_the_scheme_reaches_the_mark_on():
    one, other = subject("conventional"), subject("local")
    stops = {0.5: {"CAPE": True, one: False, other: True}, 1.0: {"CAPE": True, one: False, other: False}}
    assert marked(stops) == {"CAPE": 0.5}  # So far, and nobody who was there and is no more.
    stops[2.0] = {"CAPE": True, one: True, other: False}
    assert marked(stops) == {"CAPE": 0.5, label("conventional"): 2.0}
    assert marked(stops | {1.0: None}) == {"CAPE": 2.0, label("conventional"): 2.0}  # No more than is known.
    found = marks({1.0: Reached("x by", {"CAPE": True}, short="all found")})
    assert found["what"].startswith("all found") and found["at"][0]["colour"] == LOOKS["cape"].colour
    assert marked({1.0: {"CAPE": False}}) == {} == marked({1.0: None}) == marked({})


def test_where_more_is_harder_a_name_stands_where_the_mark_was_reached_last():
    stops = {
        0.3: {"under false patterns": True},
        0.5: {"under false patterns": True},
        0.9: {"under false patterns": False},
    }
    falling = {"falls": True, "looks": {"under false patterns": "quiet"}}
    assert (
        marked(stops, **falling) == {"false patterns": 0.5} and marked(stops | {0.3: None}, **falling) == {}
    )
    assert marks({0.3: Reached("x", {"CAPE": True}, short="found", falls=True)})["what"] != "found"
