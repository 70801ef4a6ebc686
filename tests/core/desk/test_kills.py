"""Desks and aggregator stop at random writes and begin anew: never a message without its entry, none twice."""

import json
from dataclasses import replace

import numpy as np
import pytest
from desks import CEILING, Consortium

from core.desk import BeyondCeiling, Desk, letters, records
from core.desk.centre import Centre
from core.desk.ledger import Ledger
from core.parties.messages.letter import read
from core.privacy import gdp_mu


class Killed(BaseException):
    """The machine stopped."""


class Kills:
    """Every fourth write stops the program: half of them before anything is written, half just after."""

    def __init__(self, monkeypatch, seed, rate=0.25):
        self.rng, self.rate, self.armed, self.count = np.random.default_rng(seed), rate, True, 0
        for name in ("whole", "appended"):
            monkeypatch.setattr(records, name, self._may_stop(getattr(records, name)))

    def _may_stop(self, function):
        def write(*given, **options):
            if self.armed and self.rng.random() < self.rate:
                self.count += 1
                if self.rng.random() < 0.5:
                    function(*given, **options)
                raise Killed
            return function(*given, **options)

        return write


def tried(step):
    """Start again until a step goes through."""
    for _ in range(400):
        try:
            return step()
        except Killed:
            continue
    raise AssertionError("never went through")


def carried_out(consortium, plan, packets):
    """A run in which everything is read from files at every step; `packets` collects what left of each site."""
    sites = range(len(consortium.tables))
    place = consortium.root / "centre"
    tried(lambda: Centre(place, plan))
    queue = [d for s in sites for d in tried(lambda s=s: consortium.desk(s).begin(plan))]
    for _ in range(60):
        sent = []
        for data in queue:
            sent += tried(lambda data=data: Centre(place, plan).take([data])) or ()
        centre = tried(lambda: Centre(place, plan))
        if centre.value is not None and centre.enough:
            assert json.loads((centre.place / "receipt.json").read_bytes()) == centre.receipt
            return centre
        queue = []
        # Who starts anew says again what it said last, as with folders, whose letters are all looked at again.
        for number, data in dict.fromkeys([*sent, *tried(lambda: Centre(place, plan).again())]):
            found = tried(lambda n=number, d=data: consortium.desk(n).take([d]))
            for letter in found.letters:
                if read(letters.bare(letter)).round == "input":
                    packets.setdefault(number, set()).add(letter)
                    lines = Ledger(consortium.folder(number) / "ledger").lines
                    assert [(x["kind"], x["plan"]) for x in lines].count(("spent", plan.id)) == 1
                queue.append(letter)
    raise AssertionError("the run did not end")


def run_with_kills(root, monkeypatch, seed):
    consortium = Consortium(root, sites=3, dropouts=0, seed=seed).agree()
    kills, packets = Kills(monkeypatch, seed), {}
    centre = carried_out(consortium, consortium.plan, packets)
    kills.armed = False
    assert abs(float(centre.value[0]) - consortium.truth(range(3))) < 5
    assert [len(packets[s]) for s in range(3)] == [1, 1, 1]
    for s in range(3):
        consortium.desk(s).begin(consortium.plan)
        assert not list(consortium.folder(s).glob("plans/*/records.npy"))
    return kills.count


@pytest.mark.parametrize("seed", range(2))
def test_a_kill_at_any_write_leaves_one_entry_for_one_message(tmp_path, monkeypatch, seed):
    assert run_with_kills(tmp_path, monkeypatch, seed) > 5


@pytest.mark.slow
def test_a_thousand_kills_of_desks_and_aggregator(tmp_path, monkeypatch):
    kills, seed = 0, 100
    while kills < 1000:
        with monkeypatch.context() as patch:
            kills += run_with_kills(tmp_path / str(seed), patch, seed)
        seed += 1


def test_a_desk_that_sends_before_it_writes_is_found(tmp_path, monkeypatch):
    """The planted fault: the entry is written after the bytes have left, as if nobody could stop in between."""
    monkeypatch.setattr(Desk, "_outgoing", _without_an_entry)
    with pytest.raises((AssertionError, KeyError)):
        run_with_kills(tmp_path, monkeypatch, 0)


def _without_an_entry(desk, plan, state, ledger):
    return [letters.sealed(data, desk.key) for data in state["out"]]


def two_at_once(consortium):
    """Two plans whose joins have both been accepted, with room for one of them; the letters that lead to the packets."""
    plans = [consortium.plan, replace(consortium.plan, run="2")]
    mu = max(plans[0].promise(s).aggregator for s in range(len(consortium.tables)))
    for s, table in enumerate(consortium.tables):
        desk = consortium.desk(s)
        # ε = 1 at the plan's own μ: one release, and no second.
        desk.set_ceiling(**CEILING | {"epsilon": 1.1})
        assert mu < gdp_mu(desk.ledger.ceiling.privacy) < 1.4 * mu
        for plan in plans:
            desk.consent(plan, table)
    relays = []
    for plan in plans:
        centre = Centre(consortium.root / "centre", plan)
        queue = [d for s in range(len(consortium.tables)) for d in consortium.desk(s).begin(plan)]
        shares = [d for n, data in centre.take(queue) for d in consortium.desk(n).take([data]).letters]
        relays.append(dict(centre.take(shares)))
    return plans, relays


def test_two_rounds_at_once_have_room_for_one(tmp_path):
    consortium = Consortium(tmp_path, sites=3, dropouts=0)
    plans, (first, second) = two_at_once(consortium)
    assert consortium.desk(0).take([first[0]]).letters
    refused = consortium.desk(0).take([second[0]])
    assert not refused.letters and "BeyondCeiling" in refused.refused[0]
    kinds = [line["kind"] for line in consortium.desk(0).ledger.lines]
    assert kinds.count("spent") == 1 and kinds.count("refused") == 1
    # A desk that looks every second does not write it every second.
    consortium.desk(0).take([second[0]])
    assert [line["kind"] for line in consortium.desk(0).ledger.lines].count("refused") == 1
    assert consortium.desk(0).begin(plans[0])


@pytest.mark.parametrize("planted", [False, True])
def test_a_stop_between_state_and_ledger_gives_no_room_for_two(tmp_path, monkeypatch, planted):
    """The first packet is in the state and not in the ledger; the second leaves; the first may not follow it."""
    consortium = Consortium(tmp_path, sites=3, dropouts=0)
    plans, (first, second) = two_at_once(consortium)

    def stop(*given, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(records, "appended", stop)
        with pytest.raises(Killed):
            consortium.desk(0).take([first[0]])
    assert consortium.desk(0).take([second[0]]).letters
    if planted:  # Without the second look at the ceiling, the year is overspent.
        monkeypatch.setattr(Desk, "_refuse_beyond", lambda *given: None)
        consortium.desk(0).begin(plans[0])
    else:
        with pytest.raises(BeyondCeiling):
            consortium.desk(0).begin(plans[0])
    ledger = consortium.desk(0).ledger
    year = int(ledger.lines[-1]["time"][:4])
    assert (ledger.spent(year) > gdp_mu(ledger.ceiling.privacy)) == planted
