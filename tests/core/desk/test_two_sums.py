"""An aggregator with copied folders asks for two sums of one run: how many it takes, and that no plan is open to one."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from desks import Consortium

from core.desk import Desk, agreement, letters
from core.desk.agreement import Refused, checked_plan, fewest, opening_two
from core.desk.commands import in_words, with_keys
from core.desk.keys import Key
from core.parties import Aggregator
from core.parties.messages.letter import read
from core.secure_sum import recovered

VICTIM = 0  # The site that is in one sum alone.


class Liar:
    """An aggregator that led a run up to the packets, and then tells sites of different sums."""

    def __init__(self, consortium):
        self.own, self.plan = consortium, consortium.plan
        self.sites = range(len(self.plan.sites))
        self.centre = consortium.centre()
        self.key = Key.kept(consortium.root / "centre")
        queue = [data for s in self.sites for data in consortium.desk(s).begin(self.plan)]
        for _ in ("shares", "packets"):
            sent = self.centre.take(queue)
            queue = [d for n, data in sent for d in consortium.desk(n).take([data]).letters]
        self.asked = {n: read(letters.bare(data)) for n, data in self.centre.take(queue)}
        held = Aggregator.restore(self.plan, self.centre._read()["party"])._held
        self.keys = {s: tuple(pair) for s, pair in held["keys"].items()}
        self.inputs = held["inputs"]

    def copies(self, sites):
        """Desks in folders that were copied after the packets left."""
        made = {}
        for s in sites:
            place = self.own.root / f"copy{len(list(self.own.root.glob('copy*')))}"
            shutil.copytree(self.own.folder(s), place)
            made[s] = Desk(place)
        return made

    def shares(self, desk, number, included):
        """What a desk hands out if it is told that these sites are in the sum."""
        letter = self.asked[number]
        heads = {s: letter.content["heads"][s] for s in included}
        told = replace(letter, content=letter.content | {"sites": list(included), "heads": heads})
        found = desk.take([letters.sealed(told.data(), self.key)])
        return [read(letters.bare(data)).content["shares"] for data in found.letters]

    def opens(self, included, answers):
        """Whether these answers unmask the sum of these sites, as the sites themselves know it."""
        numbers = {
            n: {owner: int.from_bytes(share, "big") for owner, share in told.items()}
            for n, told in answers.items()
        }
        try:
            inputs = {s: self.inputs[s] for s in included}
            total = recovered(self.keys, list(self.sites), inputs, numbers, fewest(self.plan))
        except (ValueError, OverflowError):  # Too few shares are no key.
            return False
        levels = [self.own.desk(s)._state(self.plan)["site"]._held["levels"] for s in included]
        return np.array_equal(total.view(np.int64), np.sum(levels, axis=0).ravel())


def two_sums(consortium, copied, first):
    """Which of two sums open if `copied` folders answer for both, and of the other sites `first` for the sum of all."""
    liar = Liar(consortium)
    twins = liar.copies(copied)
    everybody, without = list(liar.sites), [s for s in liar.sites if s != VICTIM]
    honest = [s for s in liar.sites if s not in copied]
    one, two = {}, {}
    for s in [*honest[:first], *copied]:
        (one[s],) = liar.shares(consortium.desk(s), s, everybody)
    for s in honest[first:]:
        (two[s],) = liar.shares(consortium.desk(s), s, without)
    for s, twin in twins.items():
        (two[s],) = liar.shares(twin, s, without)
    return liar.opens(everybody, one), liar.opens(without, two)


def test_no_plan_is_open_to_one_copied_folder(tmp_path):
    """Five sites of which two may drop out: refused, by a command, a site and an aggregator."""
    consortium = Consortium(tmp_path, dropouts=2)
    assert opening_two(consortium.plan) == 1
    for refuse in (checked_plan, lambda plan: with_keys(plan, []), consortium.agree, consortium.centre):
        with pytest.raises(Refused, match="dropouts must be at most 1 of 5 sites, got 2"):
            refuse(consortium.plan)


def test_the_planted_fault_of_such_a_plan_opens_two_sums_by_one_copy(tmp_path, monkeypatch):
    """Without the refusal: three answers for each sum, of five sites and one copy; the difference is one site's numbers."""
    monkeypatch.setattr(agreement, "COPIES", 0)
    consortium = Consortium(tmp_path, dropouts=2).agree()
    assert two_sums(consortium, [4], 2) == (True, True)


@pytest.mark.parametrize("scheme", ["cape-after", "secure"])
def test_two_copies_of_five_open_one_sum_at_most(tmp_path, scheme):
    """One dropout is planned: four answers for each sum. However the others are told, seven answers are no eight."""
    for first in (1, 2, 3):
        consortium = Consortium(tmp_path / str(first), scheme).agree()
        opened = two_sums(consortium, [3, 4], first)
        assert sum(opened) <= 1 and opened == (first >= 2, first <= 1)


def test_three_copies_of_five_are_as_many_as_it_takes(tmp_path):
    """The bound is exact: S − 2r."""
    consortium = Consortium(tmp_path).agree()
    assert opening_two(consortium.plan) == 3
    assert two_sums(consortium, [2, 3, 4], 1) == (True, True)


def test_two_copies_of_one_folder_are_one(tmp_path):
    """They hand out the same shares; and one folder that answered has answered."""
    consortium = Consortium(tmp_path).agree()
    liar = Liar(consortium)
    (first,), (second,) = liar.copies([4]).values(), liar.copies([4]).values()
    without = [1, 2, 3, 4]
    assert liar.shares(first, 4, without) == liar.shares(second, 4, without)
    (told,) = liar.shares(consortium.desk(4), 4, [0, 1, 2, 3, 4])
    # Asked for another sum the folder says again what it said.
    assert liar.shares(consortium.desk(4), 4, without) in ([], [told])


@pytest.mark.parametrize(
    "sites, dropouts, colluding, fine",
    [
        (3, 0, 0, True),
        (3, 1, 0, False),
        (4, 1, 0, True),
        (5, 1, 1, True),
        (4, 1, 1, False),
        (6, 2, 0, True),
        (7, 2, 2, False),
        (2, 0, 0, True),
    ],
)
def test_planned_dropouts_leave_room_for_colluding_sites_and_one_copy(
    tmp_path, sites, dropouts, colluding, fine
):
    against = {"against": "colluders", "colluding": colluding} if colluding else {}
    plan = Consortium(tmp_path, sites=sites, dropouts=dropouts, **against).plan
    if not fine:
        with pytest.raises(Refused, match="two sums of one run"):
            checked_plan(plan)
        return
    assert checked_plan(plan) is plan and opening_two(plan) > colluding + 1
    with pytest.raises(Refused, match="threshold must be"):
        checked_plan(replace(plan, threshold=None))
    assert with_keys(replace(plan, threshold=None), []) == plan


def test_consent_says_how_many_it_takes(tmp_path):
    consortium = Consortium(tmp_path).agree()
    assert "help of 3 of 5 sites could open two sums" in in_words(consortium.plan, 60, consortium.desk(0))
