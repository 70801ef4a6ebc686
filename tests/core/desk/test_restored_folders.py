"""A folder that a backup or a snapshot puts back within a run: it sends the same bytes, and no noise is drawn again."""

import shutil
from copy import copy

import pytest
from desks import Consortium

from core.desk import Desk, desk, letters
from core.desk.drawn import Drawn
from core.parties.messages.letter import read
from core.parties.source import Source


def letters_until(consortium, kind):
    """The centre, and its letters of a round by site."""
    centre = consortium.centre()
    queue = [data for s in range(5) for data in consortium.desk(s).begin(consortium.plan)]
    while True:
        sent = dict(centre.take(queue))
        if read(letters.bare(sent[0])).round == kind:
            return centre, sent
        queue = [d for n, data in sent.items() for d in consortium.desk(n).take([data]).letters]


@pytest.mark.parametrize("scheme", ["cape-after", "secure"])
@pytest.mark.parametrize("kind", ["roster", "relay", "included"])
def test_a_folder_put_back_sends_the_very_same_bytes(tmp_path, scheme, kind):
    """After every letter but the join: shares of keys, packet and entry, and what helps to unmask."""
    consortium = Consortium(tmp_path / "own", scheme).agree()
    _, sent = letters_until(consortium, kind)
    shutil.copytree(consortium.folder(2), tmp_path / "kept")
    first = consortium.desk(2).take([sent[2]])
    head = consortium.desk(2).ledger.head
    shutil.rmtree(consortium.folder(2))
    shutil.copytree(tmp_path / "kept", consortium.folder(2))
    again = consortium.desk(2).take([sent[2]])
    assert len(first.letters) == 1 and not first.refused
    assert again == first and consortium.desk(2).ledger.head == head


@pytest.mark.parametrize("planted", [False, True])
def test_a_folder_put_back_draws_other_noise_for_other_sites(tmp_path, monkeypatch, planted):
    """Noise of another roster has another deviation: from the same bits, their difference would bare the statistic."""
    consortium = Consortium(tmp_path / "own").agree()
    joins = [data for s in range(5) for data in consortium.desk(s).begin(consortium.plan)]
    firsts = []

    def draw(self, std, parts=1, *, original=Source.draw):
        firsts.append(copy(self._rng).bytes(64))
        return original(self, std, parts)

    monkeypatch.setattr(Source, "draw", draw)
    if planted:  # Bits that do not depend on the roster.
        monkeypatch.setattr(desk, "Drawn", lambda secret, purpose: Drawn(secret, {"noise": 0}))
    for run, gone in enumerate((None, 4)):
        shutil.copytree(consortium.root, tmp_path / str(run))
        other = copy(consortium)
        other.root = tmp_path / str(run)
        centre = other.centre()
        sent = centre.take([data for s, data in enumerate(joins) if s != gone]) or centre.close()
        sent = centre.take([d for n, data in sent for d in other.desk(n).take([data]).letters])
        assert other.desk(2).take([dict(sent)[2]]).letters
    assert len(firsts) == 4  # Of its two numbers in either run.
    assert (firsts[0] == firsts[2]) == planted and firsts[0] != firsts[1]


def test_noise_is_not_that_of_a_seed_for_keys(tmp_path):
    """Two desks whose keys come from the same bytes draw noise of their own."""
    packets = []
    for n in range(2):
        consortium = Consortium(tmp_path / str(n)).agree()
        make = consortium.desk
        consortium.desk = lambda s, make=make: make(s, random=lambda count: bytes([s + 1]) * count)
        _, sent = letters_until(consortium, "relay")
        (packet,) = consortium.desk(2).take([sent[2]]).letters
        packets.append(int(read(letters.bare(packet)).content["message"][0]))
    assert packets[0] != packets[1]  # Equal by chance with probability below 1e-3.


def test_a_folder_put_back_before_its_join_does_not_go_on_with_the_old_one(tmp_path):
    """It has other keys and other noise than those that it signed before."""
    consortium = Consortium(tmp_path / "own").agree()
    shutil.copytree(consortium.folder(2), tmp_path / "kept")
    _, sent = letters_until(consortium, "roster")
    twin = Desk(tmp_path / "kept")
    twin.begin(consortium.plan)
    found = twin.take([sent[2]])
    assert not found.letters and "its own join" in found.refused[0]
