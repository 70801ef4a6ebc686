"""The panel of controls: what it shows again to a browser that has just built it."""

from __future__ import annotations

import param
import pytest

from dashboard.components.control_panel import ControlPanel, Instead
from dashboard.state.controls import Controls


def test_only_what_was_moved_since_the_panel_was_handed_out_is_shown_again():
    controls = Controls()
    panel = ControlPanel([(controls, "sites"), (controls, "epsilon")])
    panel.get_root()
    sites, epsilon = panel.state
    panel.show_again()
    assert panel.state == [sites, epsilon]  # Its user may be moving them right now.
    panel.received({"name": "sites", "value": sites["value"] + 1})
    panel.show_again()
    now, same = panel.state
    assert now["value"] == sites["value"] + 1 and now["stamp"] != sites["stamp"]
    assert same == epsilon


def test_help_names_what_the_page_protects():
    controls = Controls()
    names = [(controls, "epsilon"), (controls, "delta"), (controls, "sites")]
    panel = ControlPanel(names, protects="one entry of the tensor")
    panel.limit({"sites": 7})
    assert ["the tensor" in control["help"] for control in panel.spec] == [True, True, False]


def test_a_value_set_before_a_choice_was_heard_of_is_known_by_its_number():
    controls = Controls()
    panel = ControlPanel([(controls, "sites")])
    (before,) = panel.state
    controls.sites = 40
    (crossing,) = panel.state  # On its way while the user chooses: the browser leaves it.
    assert crossing["stamp"] != before["stamp"] and crossing["heard"] == 0
    panel.received({"name": "sites", "value": before["value"], "number": 1})
    controls.sites = 50
    (after,) = panel.state
    assert after["heard"] == 1
    for bad in (True, "2", -1, 2.0, 2**40, None):
        panel.received({"name": "sites", "value": 3, "number": bad})
        controls.sites = 50
        assert panel.state[0]["heard"] == 1


def test_a_slider_says_the_value_that_it_holds():
    controls = Controls(epsilon=0.9996, delta=9.9996e-6)
    panel = ControlPanel([(controls, "epsilon"), (controls, "delta")])
    labels = [spec["texts"][state["value"]] for spec, state in zip(panel.spec, panel.state, strict=True)]
    assert labels == ["0.9996", "9.9996·10⁻⁶"]
    assert all(len(set(spec["texts"])) == len(spec["texts"]) for spec in panel.spec)
    beside = panel.state[0]["value"] + 1
    panel.received({"name": "epsilon", "value": beside})
    assert controls.epsilon == 1 and panel.spec[0]["texts"][beside] == "1"


class _Boxes(param.Parameterized):
    also = param.ListSelector([], objects={"age": 2, "smoker": 3, "ward": 4})


def test_boxes_are_sent_as_what_was_read_whatever_the_list_is_by_then():
    boxes = _Boxes()
    panel = ControlPanel([(boxes, "also")])
    shown = panel.spec[0]["options"]
    boxes.param.also.objects = {"sex": 1, "smoker": 3, "ward": 4}  # On its way to the browser.
    panel.received({"name": "also", "value": [shown[1]]})
    assert boxes.also == [3] and panel.state[0]["value"] == ["smoker"]
    for unknown in ([shown[0]], ["smoker", shown[0]], [1], "smoker", [["smoker"]], None):
        with pytest.raises(ValueError):
            panel.received({"name": "also", "value": unknown})
        assert boxes.also == [3]
    panel.received({"name": "also", "value": ["ward", "sex", "ward"]})
    assert sorted(boxes.also) == [1, 4]
    panel.received({"name": "also", "value": []})
    assert boxes.also == []


def test_boxes_that_are_made_anew_show_what_is_ticked():
    boxes = _Boxes(also=[3])
    panel = ControlPanel([(boxes, "also")])
    (before,) = panel.state
    boxes.param.also.objects = {"smoker": 3, "ward": 4}
    (now,) = panel.state
    assert now["value"] == before["value"] == ["smoker"] and now["stamp"] != before["stamp"]
    # A tick on its way when they were made: they do not have it.
    panel.received({"name": "also", "value": ["smoker", "ward"], "number": 1})
    (after,) = panel.state
    assert after["value"] == ["smoker", "ward"] and after["stamp"] != now["stamp"] and after["heard"] == 1


def test_what_stands_in_the_place_of_a_control_brings_it_back():
    controls, pressed = Controls(), []
    panel = ControlPanel([(controls, "sites"), (controls, "dropouts")])
    note = Instead("are planned for under another target.", "Choose it", lambda: pressed.append(1))
    panel.hide(["dropouts"], instead={"dropouts": note})
    sites, dropouts = panel.state
    assert "instead" not in sites and not dropouts["visible"]
    assert dropouts["instead"] == [note.words, note.button]
    panel.received({"name": "sites", "instead": True})
    panel.received({"name": "dropouts", "value": 3})  # It is not there.
    assert not pressed and controls.dropouts == 0
    panel.received({"name": "dropouts", "instead": True})
    assert pressed == [1]
    panel.hide([])
    assert all("instead" not in one for one in panel.state)
