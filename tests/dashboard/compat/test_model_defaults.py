"""Defaults that are remembered by class: the same values, and none that two models share."""

from __future__ import annotations

import bokeh.models  # noqa: F401
import pytest
from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.model import Model
from bokeh.models import DataRange1d, Legend, Line, LinearAxis
from bokeh.plotting import figure

from dashboard.compat.widgets import model_defaults

ORIGINAL = PropertyDescriptor.has_unstable_default, HasProps._overridden_defaults


@pytest.fixture
def remembered(monkeypatch):
    monkeypatch.setattr(PropertyDescriptor, "has_unstable_default", model_defaults._asked)
    monkeypatch.setattr(HasProps, "_overridden_defaults", classmethod(model_defaults._collected))
    plain = [vars_of(kind()) for kind in (Line, LinearAxis, Legend, DataRange1d)]
    model_defaults.remember_defaults()
    yield plain
    PropertyDescriptor.has_unstable_default, HasProps._overridden_defaults = ORIGINAL


def vars_of(model):
    return {name: repr(value) for name, value in model.properties_with_values().items() if name != "id"}


def test_models_have_the_defaults_that_bokeh_gives_them(remembered):
    kinds = (Line, LinearAxis, Legend, DataRange1d)
    for _ in range(2):  # The second time they are remembered.
        found = [vars_of(kind()) for kind in kinds]
        for now, before in zip(found, remembered, strict=True):
            assert now.keys() == before.keys()
            own = {n for n, text in before.items() if "(id=" in text}  # Other models, new for each.
            assert {n: now[n] for n in now if n not in own} == {n: before[n] for n in before if n not in own}


def test_every_class_has_the_same_answers(remembered):
    asked = 0
    for kind in list(Model.model_class_reverse_map.values()):
        assert kind._overridden_defaults() == model_defaults._collected(kind)
        for name in kind.properties():
            descriptor, shell = kind.lookup(name), object.__new__(kind)
            if not isinstance(descriptor, PropertyDescriptor):
                continue  # An old name of another property.
            for _ in range(2):
                assert descriptor.has_unstable_default(shell) == model_defaults._asked(descriptor, shell)
            asked += 1
    assert asked > 5000


def test_no_default_is_shared_by_two_models(remembered):
    one, other = figure(), figure()
    for name, value in one.properties_with_values().items():
        if isinstance(value, PropertyValueContainer | Model):
            assert value is not getattr(other, name), name
    one.renderers.append(one.line([1], [2]))
    one.tags.append("mine")
    assert other.renderers == [] and other.tags == []
