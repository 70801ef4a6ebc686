"""Names in a plan: two that look alike are never two sites."""

from __future__ import annotations

import json

import pytest

from core import Privacy
from core.parties import Member, Plan, Statistic, plan_of

TARGET = Privacy(1.0, 1e-5)
MEAN = Statistic("mean", (), 0.0, 12.0)
UNSEEN = "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u2028\t\n\0"


@pytest.mark.parametrize("letter", UNSEEN, ids=ascii)
@pytest.mark.parametrize("form", ["A{}", "{}A", "Ward{}A"])
def test_a_letter_that_cannot_be_seen_is_refused_and_its_field_named(letter, form):
    name = form.format(letter)
    with pytest.raises(ValueError, match=r"^name"):
        Member(name, 0.5, 0.06, TARGET)
    with pytest.raises(ValueError, match=r"^name"):
        plan_of(MEAN, [200, 300], TARGET, names=["A", name])
    with pytest.raises(ValueError, match=r"^run"):
        plan_of(MEAN, [200, 300], TARGET, run=name)
    with pytest.raises(ValueError, match=r"^name"):
        Statistic(name, (), 0.0, 1.0)
    found = plan_of(MEAN, [200, 300], TARGET).to_dict()
    found["sites"][1]["name"] = name
    with pytest.raises(ValueError, match=r"sites\.1\.name") as refused:
        Plan.read(json.dumps(found).encode())
    assert letter not in str(refused.value)  # Its number stands there instead.


@pytest.mark.parametrize("name", ["Klinik\u00a0A", "e\u0301", " A", "A ", "\u200b"])
def test_other_spaces_and_letters_in_two_parts_are_refused(name):
    with pytest.raises(ValueError, match=r"^name"):
        Member(name, 0.5, 0.06, TARGET)


@pytest.mark.parametrize("name", ["é", "Öffentl. Klinik 7/b", "병원", "بيمارستان", "A – “B”", "№ 4"])
def test_letters_of_every_language_are_names(name):
    plan = plan_of(MEAN, [200, 300], TARGET, names=["A", name])
    assert Plan.read(plan.text().encode()).sites[1].name == name


def test_two_sites_with_one_name_are_refused_in_a_plan_and_in_its_file():
    with pytest.raises(ValueError, match=r"^names"):
        plan_of(MEAN, [200, 300], TARGET, names=["A", "A"])
    found = plan_of(MEAN, [200, 300], TARGET).to_dict()
    found["sites"][1]["name"] = found["sites"][0]["name"]
    found.pop("id", None)
    with pytest.raises(ValueError, match="names"):
        Plan.read(json.dumps(found).encode())
