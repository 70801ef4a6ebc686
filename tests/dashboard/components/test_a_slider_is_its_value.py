"""What a slider says, what the link says and what the guarantee is of are one value, at every value of every slider."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from read_numbers import number
from small_pages import SMALL
from words.test_words import told

from dashboard.components.control_panel import ControlPanel
from dashboard.components.inputs import control, nice_numbers
from dashboard.pages import LISTED
from dashboard.state import url
from dashboard.state.controls import Controls, LogInteger, LogNumber
from dashboard.state.number_text import exact_text, setting_text

KEPT = {"epsilon": 0.9996, "delta": 9.9999e-06}
VALUES = 200  # Of a slider.


def values_of(parameter, rng):
    """Stops, values whose three digits are those of a stop, and values anywhere, each of which a link can set."""
    low, high = parameter.bounds
    whole = isinstance(parameter, LogInteger)
    stops = np.array(nice_numbers(low, high, whole=whole))
    near = rng.choice(stops, VALUES // 2) * (1 + rng.choice([-4e-4, 4e-4, -1e-5, 1e-9], VALUES // 2))
    far = np.exp(rng.uniform(np.log(low), np.log(high), VALUES // 2))
    found = [
        float(f"{value:.{digits}g}")
        for value, digits in zip([*near, *far], rng.integers(3, 17, VALUES), strict=True)
    ]
    found = [round(value) for value in found] if whole else found
    return [value for value in [*stops.tolist(), *found] if low <= value <= high][-VALUES:]


def log_sliders():
    """Every parameter with a logarithmic slider, once, as (class, name)."""
    models = dict.fromkeys(type(entry.kind(Controls()).model) for entry in LISTED)
    found = {}
    for kind in (Controls, *models):
        for name, parameter in kind.param.objects("existing").items():
            if isinstance(parameter, LogNumber | LogInteger):
                found.setdefault((parameter.label, name), kind)
    return [(kind, name) for (_, name), kind in found.items()]


@pytest.mark.parametrize(("kind", "name"), log_sliders(), ids=lambda part: getattr(part, "__name__", part))
def test_a_slider_says_every_value_that_it_holds(kind, name):
    source = kind() if kind is Controls else kind(Controls())
    panel = ControlPanel([(source, name)])
    parameter, plain = source.param[name], control(source, name, live=True)
    for value in values_of(parameter, np.random.default_rng(1)):
        setattr(source, name, value)
        (spec,), (state,) = panel.spec, panel.state
        said = spec["texts"][state["value"]]
        assert number(said) == value == plain.value and len({*spec["texts"]}) == len(spec["texts"])
        assert list(plain.options.values()) == panel.controls[name]._all_stops()
        assert said == setting_text(parameter, value)
        read, problems = url.decode(lambda: source, [name], {name: url.as_text(value)})
        assert read[name] == value and not problems


@pytest.mark.parametrize(("kind", "name"), log_sliders(), ids=lambda part: getattr(part, "__name__", part))
def test_a_stop_is_the_number_that_is_read_there_also_if_the_stops_change_on_the_way(kind, name):
    source = kind() if kind is Controls else kind(Controls())
    parameter = source.param[name]
    setattr(source, name, between(parameter, 1))
    panel = ControlPanel([(source, name)])
    (spec,), (state,) = panel.spec, panel.state
    for place in {*range(len(spec["texts"]))} - {state["value"]}:
        setattr(source, name, between(parameter, -2))
        panel.received({"name": name, "value": place, "text": spec["texts"][place]})
        assert getattr(source, name) == number(spec["texts"][place])


def between(parameter, place):
    """A value between two stops."""
    stops = nice_numbers(*parameter.bounds, whole=isinstance(parameter, LogInteger))
    beside = stops.index(next(b for a, b in itertools.pairwise(stops) if b - a > 2 or isinstance(b, float)))
    low = stops[max(place, beside)] if place > 0 else stops[place]
    return low + 1 if isinstance(parameter, LogInteger) else 1.0003 * low


def test_the_last_stop_is_not_replaced_by_a_value_beside_it():
    controls = Controls()
    panel = ControlPanel([(controls, "epsilon"), (controls, "delta")])
    # Both at once, as a link sets them.
    controls.param.update(epsilon=0.9996, delta=9.9999e-06)
    said = [spec["texts"][state["value"]] for spec, state in zip(panel.spec, panel.state, strict=True)]
    assert said == ["0.9996", "9.9999·10⁻⁶"]
    place = panel.state[0]["value"]
    panel.received({"name": "epsilon", "value": place + 1, "text": panel.spec[0]["texts"][place + 1]})
    assert controls.epsilon == 1


def test_a_stop_that_is_gone_is_refused_and_not_taken_for_the_one_in_its_place():
    controls = Controls(epsilon=0.9996)
    panel = ControlPanel([(controls, "epsilon")])
    (spec,), (state,) = panel.spec, panel.state
    controls.epsilon = 3.1234
    with pytest.raises(ValueError):
        panel.received({"name": "epsilon", "value": state["value"], "text": spec["texts"][state["value"]]})
    assert controls.epsilon == 3.1234


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"), (0.9996, "0.9996"), (1e-5, "10⁻⁵"), (9.9999e-06, "9.9999·10⁻⁶"), (1.00000001e-05, "1.00000001·10⁻⁵"),
        (20_000, "20\u202f000"), (12345.5, "12\u202f345.5"), (1_234_567, "1.234567·10⁶"), (1000, "1000"), (0.0, "0"),
        (0.001, "0.001"), (10.0, "10"), (0.1 + 0.2, "0.30000000000000004"), (-1.5, "−1.5"), (-12345, "−12\u202f345"),
    ],
)  # fmt: skip
def test_a_chosen_number_is_written_in_all_its_digits(value, text):
    assert exact_text(value) == text


@pytest.mark.parametrize(
    "entry", [e for e in LISTED if {*KEPT} <= {*e.kind.shared}], ids=lambda entry: entry.name
)
def test_first_picture_headline_and_guarantee_name_the_values_of_the_link(entry):
    small = {**SMALL.get(entry.name, {}), **KEPT}
    said = told(url.search(entry.name, {name: url.as_text(value) for name, value in small.items()}))
    for symbol, text in {"ε": "0.9996", "δ": "9.9999·10⁻⁶"}.items():
        # A folded slider stands among the settings that are printed.
        assert (symbol, entry.name) == ("ε", "plan") or any(
            f"Privacy {symbol}{colon} {text}" in line for line in said for colon in (" :", ":")
        )
    (promise,) = (line for line in said if line.startswith("Guarantee."))
    if entry.name == "plan":
        assert "δ = 9.9999·10⁻⁶" in promise
    elif entry.name == "audit":
        assert any("promise ε = 0.9996, δ = 9.9999·10⁻⁶ is broken" in line for line in said)
    else:
        assert "9.9999·10⁻⁶" in promise and ("ε = 0.9996" in promise or entry.name == "guarantee")
    assert not [line for line in said if re.search(r"ε = 1(?![\d.])|δ = 10⁻⁵", line)]
