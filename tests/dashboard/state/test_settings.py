"""Settings, their place in the URL, and the sliders that hold them."""

from __future__ import annotations

import panel as pn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core import SCHEMES
from dashboard.components.inputs import control, nice_numbers
from dashboard.state import url
from dashboard.state.controls import Controls

NAMES = [name for name in Controls.param.objects() if name != "name"]


# Settings and the URL.


def test_snapshots_are_equal_hashable_and_in_the_order_of_the_schemes():
    one, other = Controls(), Controls()
    other.schemes = list(reversed(other.schemes))
    assert one.snapshot() == other.snapshot()
    assert hash(one.snapshot()) == hash(other.snapshot())
    other.epsilon = 2.0
    assert one.snapshot() != other.snapshot()


def test_at_least_one_site_stays_honest():
    controls = Controls(sites=10, colluding=9)
    controls.sites = 4
    assert controls.colluding == 3
    with pytest.raises(ValueError, match="colluding"):
        controls.colluding = 4


@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.floats(1e-3, 10),
    delta=st.floats(1e-12, 0.1),
    sites=st.integers(2, 50),
    samples=st.integers(10, 100_000),
    schemes=st.sets(st.sampled_from(SCHEMES), min_size=1),
    calibration=st.sampled_from(["exact", "published"]),
    seed=st.integers(0, 2**31 - 1),
)
def test_every_state_survives_the_url(epsilon, delta, sites, samples, schemes, calibration, seed):
    controls = Controls(epsilon=epsilon, delta=delta, sites=sites, samples=samples, calibration=calibration)
    controls.param.update(schemes=[s for s in SCHEMES if s in schemes], noise_seed=seed, colluding=sites - 1)
    values, problems = url.decode(Controls, NAMES, url.encode(controls, NAMES))
    assert problems == []
    assert Controls(**values).snapshot() == controls.snapshot()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("epsilon", "0"), ("epsilon", "nan"), ("epsilon", "inf"), ("epsilon", "11"), ("epsilon", "one"),
        ("delta", "1"), ("delta", "-1e-5"), ("sites", "1"), ("sites", "2.5"), ("sites", "51"),
        ("samples", "1e3"), ("colluding", "10"), ("calibration", "best"), ("schemes", "cape,magic"),
        ("schemes", ""), ("noise_seed", "-1"),
    ],
)  # fmt: skip
def test_a_bad_value_in_the_url_is_named_and_spoils_nothing_else(name, text):
    good = {"epsilon": "0.5"} if name != "epsilon" else {"sites": "7"}
    values, problems = url.decode(Controls, NAMES, {name: text, **good})
    assert len(problems) == 1
    assert problems[0].startswith(f"{name} must be")
    assert repr(text) in problems[0]
    assert values[name] == Controls.param[name].default
    assert values[next(iter(good))] == float(next(iter(good.values())))


def test_a_bound_that_depends_on_another_value_is_read_after_it():
    values, problems = url.decode(Controls, NAMES, {"colluding": "19", "sites": "20"})
    assert problems == []
    assert (values["sites"], values["colluding"]) == (20, 19)


# Widgets.


def test_log_sliders_stop_at_round_numbers_and_admit_others():
    stops = nice_numbers(1e-3, 10)
    assert stops[0] == 1e-3 and stops[-1] == 10 and 0.25 in stops
    assert all(isinstance(n, int) for n in nice_numbers(10, 1000, whole=True))
    controls = Controls()
    slider = control(controls, "epsilon", live=True)
    controls.epsilon = 0.3777
    assert slider.value == 0.3777
    slider.value = 0.25
    assert controls.epsilon == 0.25


def test_a_throttled_slider_over_stops_commits_its_value_and_not_the_place_of_the_stop():
    controls = Controls()
    slider = control(controls, "epsilon", live=False)
    slider.value = 0.5
    assert controls.epsilon == 1.0
    with pn.util.edit_readonly(slider):
        slider.value_throttled = list(slider.options.values()).index(0.5)
    assert controls.epsilon == 0.5
