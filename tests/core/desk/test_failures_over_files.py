"""Each row of docs/federated.md, *What happens if*, over folders: programs that begin anew at every look, and a drive."""

from dataclasses import replace

import pytest
from desks import CEILING, Consortium

from core.desk import letters, receipt
from core.desk.files import Folders
from core.desk.keys import Key
from core.desk.ledger import BeyondCeiling
from core.desk.result import std_of
from core.desk.running import centre_round, send, site_round
from core.parties.messages.letter import read
from core.parties.messages.refusals import TooFewSites


class Drive:
    """A shared drive of four sites, one of which may drop out; nobody remembers anything but by files."""

    def __init__(self, root, *, agreed=True, **options):
        self.own = Consortium(root, sites=4, **options)
        if agreed:
            self.own.agree()
        self.root, self.plan = root / "drive", self.own.plan
        self.refused = []

    def site(self, s):
        found = site_round(self.own.desk(s), Folders(self.root / "down" / f"site-{s}", self.root / "up"))
        self.refused += found.refused

    def centre(self):
        return self.own.centre(self.plan), Folders(self.root / "up", self.root / "down")

    def look(self, sites):
        """Every site and the aggregator look once."""
        for s in sites:
            self.site(s)
        centre, here = self.centre()
        self.refused += centre_round(centre, here).refused
        return centre

    def until(self, phase, sites=range(4)):
        """Look until the aggregator waits in a phase."""
        for _ in range(8):
            if (centre := self.look(sites)).phase == phase:
                return centre
        raise AssertionError(f"{phase} was not reached")

    def close(self):
        centre, here = self.centre()
        send(centre, here, centre.close())

    def finish(self, sites):
        """Look until the receipt is whole; whom the aggregator waits for in vain is closed out."""
        for _ in range(12):
            centre = self.look(sites)
            if centre.phase == "done" and centre.enough:
                return centre
            if centre.phase != "done" and not {f"h{s}" for s in sites} & set(centre.waits_for):
                self.close()
        raise AssertionError("the run did not end")

    def carried(self, kind):
        """How many letters of a round the drive has."""
        paths = (self.root / "up").glob("*.letter")
        return sum(read(letters.bare(path.read_bytes())).round == kind for path in paths)

    def spent(self):
        return [self.own.desk(s).ledger.has(self.plan.id, self.plan.run) for s in range(4)]

    def released(self, dropped, signed):
        """The receipt names who dropped out and who signed; the average is that of the others at the planned noise."""
        centre, _ = self.centre()
        found = receipt.verified(centre.receipt["release"])
        names = {key: name for name, key in self.plan.keys}
        assert found.predicate["dropped"] == [f"h{s}" for s in dropped]
        assert {names[key] for key in found.signed} == {"aggregator", *(f"h{s}" for s in signed)}
        left = [s for s in range(4) if s not in dropped]
        error = abs(float(centre.value[0]) - self.own.truth(left))
        assert error < 6 * std_of(self.plan, [f"h{s}" for s in dropped])


@pytest.fixture
def drive(tmp_path):
    return Drive(tmp_path)


@pytest.mark.parametrize("phase", ["join", "shares", "input"])
def test_silent_before_its_packet(drive, phase):
    if phase != "join":
        drive.until(phase)
    drive.finish([0, 1, 2])
    drive.released([3], [0, 1, 2])
    assert drive.spent() == [True] * 3 + [False]


def test_silent_after_its_packet_and_back_after_the_release(drive):
    drive.until("input")
    for s in (0, 1, 2, 3):
        drive.site(s)
    drive.finish([0, 1, 2])
    drive.released([], [0, 1, 2])
    for _ in range(2):
        drive.look([3])
    drive.released([], [0, 1, 2, 3])
    assert drive.spent() == [True] * 4 and drive.carried("input") == 4


def test_more_silent_before_packets(drive):
    drive.until("shares")
    drive.look([0, 1])
    with pytest.raises(TooFewSites, match="not heard from: h2, h3; no number"):
        drive.close()
    assert drive.spent() == [False] * 4
    drive.finish(range(4))  # They come after all.
    drive.released([], range(4))


def test_more_silent_after_packets(drive):
    drive.until("unmask")
    drive.look([0, 1])
    with pytest.raises(TooFewSites, match="every site whose packet left is charged"):
        drive.close()
    assert drive.spent() == [True] * 4 and drive.centre()[0].value is None
    drive.plan = replace(drive.plan, run="2")
    drive.own.agree(drive.plan).plan = drive.plan
    drive.finish(range(4))  # A further run, with noise of its own.
    drive.released([], range(4))


def test_another_plan_at_one_site(tmp_path):
    drive = Drive(tmp_path, agreed=False)
    for s, table in enumerate(drive.own.tables):
        drive.own.desk(s).set_ceiling(**CEILING)
        drive.own.desk(s).consent(drive.plan if s < 3 else replace(drive.plan, note="another"), table)
    drive.look(range(4))
    assert "must belong to the plan" in " ".join(drive.refused)
    drive.finish([0, 1, 2])
    drive.released([3], [0, 1, 2])


def test_letters_that_are_altered_unsigned_foreign_or_replayed(drive, tmp_path):
    """Put on the drive under a right name, in both directions; the run goes on as if they were not there."""
    drive.until("input")
    stranger = Key.made(tmp_path, lambda n: bytes(range(n)))
    for folder in (drive.root / "up", drive.root / "down" / "site-0"):
        pipe, true = Folders(folder, folder), [path.read_bytes() for path in folder.glob("*.letter")]
        bad = [data[:-1] + bytes([data[-1] ^ 1]) for data in true]
        bad += [letters.bare(data) for data in true] + [data[:40] for data in true]
        bad += [letters.sealed(letters.bare(data), stranger) for data in true]
        pipe.put([*bad, *true])
    before = drive.own.desk(0).ledger.lines
    drive.look(range(4))
    kinds = {why.partition(":")[0] for why in drive.refused}
    assert {"WrongParty", "Malformed"} <= kinds and drive.own.desk(0).ledger.lines[:-1] == before
    drive.finish(range(4))
    drive.released([], range(4))
    assert [x["kind"] for x in drive.own.desk(0).ledger.lines].count("spent") == 1


def test_an_aggregator_that_puts_its_key_in_a_sites_place(drive):
    """The roster is signed by itself, with a join of its own making."""
    drive.until("shares")
    place = drive.root / "down" / "site-0"
    (path,) = place.glob("*.letter")
    letter, key = read(letters.bare(path.read_bytes())), Key.kept(drive.own.root / "centre")
    path.unlink()
    keys, joins = dict(letter.content["keys"]), dict(letter.content["joins"])
    keys[1] = keys[2]
    joins[1] = letters.sealed(replace(read(letters.bare(joins[2])), sender=1).data(), key)
    forged = replace(letter, content=letter.content | {"keys": keys, "joins": joins})
    Folders(place, place).put([letters.sealed(forged.data(), key)])
    drive.site(0)
    assert "WrongParty" in drive.refused[-1] and drive.own.desk(0).phase(drive.plan) == "joined"


def test_a_ceiling_that_would_be_passed(drive):
    """It is lowered after consent: an entry "refused", and no packet on the drive."""
    drive.until("input")
    drive.own.desk(0).set_ceiling(**CEILING | {"epsilon": 0.5, "reason": "lowered"})
    drive.look([0])
    kinds = [line["kind"] for line in drive.own.desk(0).ledger.lines]
    assert kinds[-1] == "refused" and BeyondCeiling.__name__ in drive.refused[-1]
    assert drive.carried("input") == 0
    drive.finish([1, 2, 3])
    drive.released([0], [1, 2, 3])


def test_an_average_of_another_sum(drive):
    """The aggregator tells a site that it dropped out of a sum that it helped to unmask."""
    drive.until("unmask")
    drive.look(range(4))
    place = drive.root / "down" / "site-0"
    told = {read(letters.bare(path.read_bytes())).round: path for path in place.glob("*.letter")}
    true = read(letters.bare(told["average"].read_bytes()))
    told["average"].unlink()
    false = replace(true, content=true.content | {"sites": [1, 2, 3]})
    Folders(place, place).put([letters.sealed(false.data(), Key.kept(drive.own.root / "centre"))])
    drive.site(0)
    assert "Forged" in drive.refused[-1] and drive.own.desk(0).phase(drive.plan) == "sent"


def test_a_further_run_uses_the_same_drive_and_leaves_other_letters_alone(tmp_path):
    drive = Drive(tmp_path)
    first = drive.finish(range(4))
    drive.plan = replace(drive.plan, run="2")
    drive.own.agree(drive.plan)
    second = drive.finish(range(4))
    assert second.enough and second.place != first.place
    told = [
        words
        for words in drive.refused
        if f"{drive.plan.id[:8]}, got '{first.plan.id[:8]}': another run" in words
    ]
    assert told
