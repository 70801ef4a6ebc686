"""A head that others hold is an ancestor of every later one: of a ledger that was cut and is longer now, too."""

import shutil
from dataclasses import replace

import pytest
from desks import CEILING, Consortium

from core.desk import Desk, Ledger, letters
from core.desk.commands import main
from core.desk.files import Folders
from core.desk.ledger import Head, goes_on
from core.desk.running import centre_round, site_round
from core.parties.messages.letter import read


@pytest.fixture
def five(tmp_path):
    return Consortium(tmp_path / "own").agree()


def cut(consortium, extra=2):
    """Site 2 loses its last entry by one byte of its file, and writes more lines than it had."""
    path = consortium.folder(2) / "ledger"
    before = consortium.desk(2).ledger.head
    path.write_bytes(path.read_bytes()[:-1])
    for _ in range(extra):
        consortium.desk(2).set_ceiling(**CEILING)
    assert consortium.desk(2).ledger.head.n == before.n - 1 + extra


def joined(consortium, plan):
    """The centre, and its roster by site, after the joins of all."""
    consortium.agree(plan)
    centre = consortium.centre(plan)
    return centre, dict(centre.take([d for s in range(5) for d in consortium.desk(s).begin(plan)]))


@pytest.mark.parametrize("extra", [1, 2, 5])
def test_a_ledger_that_was_cut_is_found_however_long_it_is(five, extra):
    five.run()
    cut(five, extra)
    centre, _ = joined(five, replace(five.plan, run="2"))
    assert len(centre.refused) == 1 and "ledger of site 2 must have gone on from line 3" in centre.refused[0]


def test_the_other_sites_find_it_if_the_aggregator_lets_it_pass(five):
    five.run()
    cut(five)
    (five.root / "centre" / "heads.json").unlink()
    centre, roster = joined(five, replace(five.plan, run="2"))
    assert not centre.refused
    for s in (0, 1, 3, 4):
        found = five.desk(s).take([roster[s]])
        assert not found.letters and "ledger of site 2" in found.refused[0]


@pytest.mark.parametrize("centre_forgets", [False, True])
def test_a_folder_that_was_put_back_with_a_new_key_is_found(five, tmp_path, centre_forgets):
    """The new key's ledger goes on from that of the old one."""
    shutil.copytree(five.folder(2), tmp_path / "kept")
    five.run()
    shutil.rmtree(five.folder(2))
    shutil.copytree(tmp_path / "kept", five.folder(2))
    shutil.rmtree(five.folder(2) / "plans")
    for _ in range(3):
        five.desk(2).set_ceiling(**CEILING)
    keys = dict(five.plan.keys) | {"h2": Desk.renew(five.folder(2)).key.public}
    if centre_forgets:
        (five.root / "centre" / "heads.json").unlink()
    centre, roster = joined(five, replace(five.plan, keys=keys, run="2"))
    why = five.desk(0).take([roster[0]]).refused if centre_forgets else centre.refused
    assert len(why) == 1 and "ledger of site 2" in why[0]


def test_a_ledger_that_is_put_back_after_the_join_is_found_by_its_packet(five):
    """The aggregator refuses the packet; of one that lets it pass the other sites refuse to unmask."""
    five.run()
    second = replace(five.plan, run="2")
    centre, sent = joined(five, second)
    cut(five, 3)
    sent = centre.take([d for n, data in sent.items() for d in five.desk(n).take([data]).letters])
    packets = [d for n, data in sent for d in five.desk(n).take([data]).letters]
    centre.take(packets)
    assert len(centre.refused) == 1 and "ledger of site 2" in centre.refused[0]
    (five.root / "centre" / "heads.json").unlink()
    (asked,) = (data for n, data in centre.take([packets[2]]) if n == 0)
    assert read(letters.bare(asked)).round == "included"
    found = five.desk(0).take([asked])
    assert not found.letters and "ledger of site 2" in found.refused[0]


def test_a_head_is_an_ancestor_or_not(five):
    five.run()
    book = five.desk(1).ledger
    heads = [Head(), *(Head(line["n"], line["hash"]) for line in book.lines)]
    assert all(goes_on(book.head, book.chain, one) for one in heads)
    others = [Head(n, five.desk(0).ledger.lines[n - 1]["hash"]) for n in (1, 2, 3)]
    assert not any(goes_on(book.head, book.chain, one) for one in [*others, Head(4, book.head.hash)])
    assert not goes_on(book.head, book.chain[:-32], heads[1]) and not goes_on(others[2], book.chain, heads[1])


def test_verify_says_that_a_last_line_has_no_end_and_leaves_the_file(five, capsys):
    path = five.folder(1) / "ledger"
    data = path.read_bytes()
    assert main(["ledger", "verify", str(five.folder(1))]) == 0
    for short in (1, 2, 40):
        path.write_bytes(data[:-short])
        assert main(["ledger", "verify", str(five.folder(1))]) == 2
        assert main(["ledger", "show", str(five.folder(1))]) == 0
        assert "without an end after line 1" in capsys.readouterr().err and path.read_bytes() == data[:-short]
    # The next entry takes its place, and the file is whole.
    five.desk(1).set_ceiling(**CEILING)
    assert Ledger(path).head.n == 2 and main(["ledger", "verify", str(five.folder(1))]) == 0


def test_a_second_join_of_one_run_is_named(five, tmp_path):
    shutil.copytree(five.folder(2), tmp_path / "kept")
    centre, _ = joined_once(five)
    centre.take(Desk(tmp_path / "kept").begin(five.plan))
    assert "join of site 2 must be the one that came first" in centre.refused[0]


def joined_once(consortium):
    centre = consortium.centre()
    return centre, centre.take([d for s in range(5) for d in consortium.desk(s).begin(consortium.plan)])


@pytest.mark.parametrize("looks", [1, 2, 3, 4, 6])
def test_programs_that_begin_anew_accuse_nobody(five, tmp_path, looks):
    """They read all letters of the drive again: joins of the run tell heads that are older than its packets'."""
    drive, refused = tmp_path / "drive", []
    for _ in range(looks):
        for s in range(5):
            found = site_round(five.desk(s), Folders(drive / "down" / f"site-{s}", drive / "up"))
            refused += found.refused
        found = centre_round(five.centre(), Folders(drive / "up", drive / "down"))
        refused += found.refused
    assert not refused, refused
    assert five.centre().enough == (looks == 6)


def test_packets_of_two_runs_at_once_may_come_in_any_order(five):
    """An entry that a later head has before it is not lost: nobody is accused, and both runs end."""
    plans = [five.plan, replace(five.plan, run="2")]
    five.agree(plans[1])
    centres = [five.centre(plan) for plan in plans]
    queues = [[d for s in range(5) for d in five.desk(s).begin(plan)] for plan in plans]
    for _ in range(4):
        for run in (1, 0):  # The second run's letters are taken first, and their answers made last.
            queues[run] = centres[run].take(queues[run])
            assert not centres[run].refused
        for run in (0, 1):
            found = [five.desk(n).take([data]) for n, data in queues[run]]
            assert not any(one.refused for one in found), found
            queues[run] = [d for one in found for d in one.letters]
    for run in (1, 0):
        centres[run].take(queues[run])
        assert centres[run].enough and not centres[run].refused
