"""What an attacker or an accident does to a desk: ledgers put back, folders copied, clocks set, conflicted copies."""

import shutil
import stat
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from desks import CEILING, Consortium

from core.desk import Desk, ledger, letters
from core.desk.agreement import Refused
from core.desk.files import Folders
from core.desk.keys import Key
from core.desk.ledger import Head, moment, now
from core.parties.messages.letter import Letter, read


@pytest.fixture
def five(tmp_path):
    return Consortium(tmp_path).agree()


def joined(consortium, plan, *, desks=None):
    """Joins of all sites, taken by the aggregator; who is in `desks` speaks with another desk."""
    desks = desks or {}
    joins = [d for s in range(5) for d in desks.get(s, consortium.desk(s)).begin(plan)]
    centre = consortium.centre(plan)
    return centre, centre.take(joins)


def test_a_copied_folder_that_is_used_twice_is_refused(five, tmp_path):
    """Two copies of one desk run a plan each: the second has an older head, or another line of the same number."""
    copy = tmp_path / "copy"
    shutil.copytree(five.folder(2), copy)
    five.run()
    second = replace(five.plan, run="2")
    five.agree(second)
    twin = Desk(copy)
    twin.consent(second, five.tables[2])
    centre, _ = joined(five, second, desks={2: twin})
    assert "ledger of site 2" in centre.refused[0] and len(centre.refused) == 1
    # The twin writes as many lines as the original has: the same number, and another hash.
    twin.set_ceiling(**CEILING)
    assert twin.ledger.head.n == five.desk(2).ledger.head.n
    third = replace(five.plan, run="3")
    five.agree(third)
    twin.consent(third, five.tables[2])
    centre, _ = joined(five, third, desks={2: twin})
    assert "ledger of site 2" in centre.refused[0]


def test_a_site_refuses_an_old_head_that_the_aggregator_lets_pass(five):
    """The aggregator forgets what it holds, as one that helps the cheat would; the other sites hold it."""
    kept = (five.folder(2) / "ledger").read_bytes()
    five.run()
    (five.folder(2) / "ledger").write_bytes(kept)
    (five.root / "centre" / "heads.json").unlink(missing_ok=True)
    second = replace(five.plan, run="2")
    five.agree(second)
    centre, sent = joined(five, second)
    assert not centre.refused
    found = five.desk(0).take([data for number, data in sent if number == 0])
    assert not found.letters and "ledger of site 2" in found.refused[0]


def test_the_planted_fault_of_heads_that_are_not_compared_lets_it_pass(five, monkeypatch):
    kept = (five.folder(2) / "ledger").read_bytes()
    five.run()
    (five.folder(2) / "ledger").write_bytes(kept)
    second = replace(five.plan, run="2")
    five.agree(second)
    from core.desk.centre import Centre

    monkeypatch.setattr(Centre, "_compare_head", lambda *given: None)
    monkeypatch.setattr(Desk, "_compare_head", lambda *given: None)
    centre, sent = joined(five, second)
    assert not centre.refused and five.desk(0).take([d for n, d in sent if n == 0]).letters


@pytest.mark.parametrize("days", [-31, 31])
def test_a_clock_that_was_set_is_found_by_the_others(five, tmp_path, days):
    """A clock of next year would open a new year's budget; 29 days are within what a plan allows."""

    def clock():
        return (moment(now()) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")

    early = days < 0
    if early:
        with pytest.raises(ValueError, match="time must not be before"):
            Desk(five.folder(2), clock=clock).begin(five.plan)
        return
    centre, sent = joined(five, five.plan, desks={2: Desk(five.folder(2), clock=clock)})
    assert not centre.refused
    for number, data in sent:
        found = five.desk(number).take([data])
        assert not found.letters and "within 30 days" in found.refused[0]


def test_a_clock_within_the_span_is_let_pass(five):
    def clock():
        return (moment(now()) + timedelta(days=29)).strftime("%Y-%m-%dT%H:%M:%SZ")

    _, sent = joined(five, five.plan, desks={2: Desk(five.folder(2), clock=clock)})
    assert all(five.desk(number).take([data]).letters for number, data in sent)


def test_a_site_that_comes_back_after_a_day_goes_on(five):
    """Its files are all it has; its entry carries the time of its join, so that a year's end changes nothing."""
    _, sent = joined(five, five.plan)
    centre = five.centre()
    shares = [d for n, data in sent for d in five.desk(n).take([data]).letters]
    relays = centre.take(shares)
    late = Desk(
        five.folder(3), clock=lambda: (moment(now()) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    )
    joined_at = late._state(five.plan)["time"]
    packets = [d for n, data in relays for d in (late if n == 3 else five.desk(n)).take([data]).letters]
    entry = late.ledger.lines[-1]
    assert entry["kind"] == "spent" and moment(entry["time"]) - moment(joined_at) < timedelta(minutes=10)
    for _ in range(4):
        sent = centre.take(packets)
        packets = [d for n, data in sent for d in (late if n == 3 else five.desk(n)).take([data]).letters]
    assert centre.phase == "done" and centre.enough


def led(consortium, number, sites, value=42.0):
    """An average as the aggregator's own key signs it."""
    letter = Letter(
        consortium.plan.id, "average", 1, "aggregator", number, {"value": np.array([value]), "sites": sites}
    )
    return letters.sealed(letter.data(), Key.kept(consortium.root / "centre"))


def refused(consortium, number, sites):
    before = (consortium.folder(number) / "plans" / consortium.plan.id[:32] / "state").read_bytes()
    found = consortium.desk(number).take([led(consortium, number, sites)])
    assert not found.letters and found.refused[0].startswith(("Forged", "Malformed")), found
    assert (consortium.folder(number) / "plans" / consortium.plan.id[:32] / "state").read_bytes() == before
    return found.refused[0]


def test_an_average_is_signed_of_the_sum_that_was_unmasked_alone(five):
    """False averages after each round: of a release that never was, of too few, and of other sites than were unmasked."""
    everybody = [0, 1, 2, 3, 4]
    centre, sent = joined(five, five.plan)
    assert "no packet" in refused(five, 0, everybody)
    assert "at least 4" in refused(
        five, 0, [1, 2, 3]
    )  # Else those that are left out would sign what nobody spoke in.
    for round_, words in (("roster", "no packet"), ("relay", "unmasked"), ("included", "has unmasked")):
        assert {read(letters.bare(data)).round for _, data in sent} == {round_}
        answers = [d for n, data in sent for d in five.desk(n).take([data]).letters]
        if round_ == "included":
            assert words in refused(five, 0, [0, 1, 2, 3]) and words in refused(five, 0, [1, 2, 3, 4])
        else:
            assert words in refused(five, 0, everybody)
        sent = centre.take(answers)
    for number, data in sent:
        found = five.desk(number).take([data])
        assert not found.refused
        centre.take(found.letters)
    assert centre.enough and len(centre.receipt["release"]["signatures"]) == 6


def test_a_site_whose_packet_came_too_late_signs_that_it_dropped_out(five):
    centre, sent = joined(five, five.plan)
    for _ in range(2):
        sent = centre.take([d for n, data in sent for d in five.desk(n).take([data]).letters])
        sent = sent or centre.close()
        if read(letters.bare(sent[0][1])).round == "relay":
            packets = {n: five.desk(n).take([data]).letters for n, data in sent}
            centre.take([d for n in (0, 1, 2, 3) for d in packets[n]])
            sent = centre.close()
            break
    sent = centre.take([d for n, data in sent for d in five.desk(n).take([data]).letters])
    (average,) = (data for n, data in sent if n == 4)
    found = five.desk(4).take([average])
    assert not found.refused and found.letters
    assert five.desk(4).ledger.has(five.plan.id, five.plan.run)  # It is charged all the same.


def test_a_site_that_lost_what_it_was_to_unmask_gets_it_again_and_signs(five):
    centre = five.run(silent=(3,), at="unmask")
    sent = [data for number, data in centre.again() if number == 3]
    assert [read(letters.bare(data)).round for data in sent] == ["included", "average"]
    assert "has not unmasked" in five.desk(3).take(sent[1:]).refused[0]
    found = five.desk(3).take(sent)
    assert not found.refused and not list(five.folder(3).glob("plans/*/records.npy"))
    centre.take(found.letters)  # The unmasking comes too late, the signature does not.
    assert len(centre.receipt["release"]["signatures"]) == 6


def test_conflicted_copies_and_halves_are_left_alone(tmp_path):
    folders = Folders(tmp_path / "in", tmp_path / "out")
    folders.put([b"whole"], tmp_path / "in")
    (name,) = (path.name for path in (tmp_path / "in").iterdir())
    stem = name.removesuffix(".letter")
    for other in (
        f"{stem} (1).letter",
        f"{stem} (conflicted copy 2026-05-03).letter",
        f"{stem}.sync-conflict-1.letter",
    ):
        (tmp_path / "in" / other).write_bytes(b"whole")
    (tmp_path / "in" / ("0" * 64 + "-5.letter")).write_bytes(b"whole")  # Another content.
    half = "f" * 64 + "-9.letter"
    (tmp_path / "in" / half).write_bytes(b"hal")
    assert [data for _, data in folders.waiting()] == [b"whole"]


def test_a_run_that_is_done_takes_no_records_again(five):
    """Consent after the end would write the records anew, and nobody would delete them."""
    five.run()
    for s in range(5):
        with pytest.raises(Refused, match="run must be a new one"):
            five.desk(s).consent(five.plan, five.tables[s])
        assert not list(five.folder(s).glob("**/records.npy"))
        assert five.tables[s].astype("<f8").tobytes() not in b"".join(
            path.read_bytes() for path in five.folder(s).glob("**/*") if path.is_file()
        )


def test_a_run_that_is_under_way_takes_no_other_records(five):
    five.desk(1).begin(five.plan)
    with pytest.raises(Refused, match="under way"):
        five.desk(1).consent(five.plan, five.tables[1])


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files are POSIX's")
def test_another_user_reads_neither_records_nor_key(five):
    """An app at the node runs as the node's user. As that user it may open nothing of the desk's folder."""
    five.desk(0).begin(five.plan)
    folder = five.folder(0)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.glob("**/*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        if path.name in ("key", "records.npy", "state", "ledger"):
            assert mode == 0o600, path
    from os import geteuid

    if geteuid() != 0:
        pytest.skip("only root may start a program as another user")
    chmod = [five.root, *five.root.parents]
    before = [(path, path.stat().st_mode) for path in chmod]
    try:
        for path in chmod:  # Whoever may come as far as the folder still stands before it.
            path.chmod(path.stat().st_mode | 0o011)
        program = "import os,sys\nos.setgid(65534); os.setuid(65534)\nfor path in sys.argv[1:]:\n open(path,'rb').read()"
        for name in ("key", "ledger"):
            told = subprocess.run(
                [sys.executable, "-c", program, str(folder / name)], capture_output=True, text=True
            )
            assert told.returncode and "PermissionError" in told.stderr
        (five.root / "open").write_text("")
        (five.root / "open").chmod(0o644)
        assert not subprocess.run([sys.executable, "-c", program, str(five.root / "open")]).returncode
    finally:
        for path, mode in before:
            path.chmod(stat.S_IMODE(mode))


def test_a_ledger_cut_at_each_line_is_found_by_a_head_of_others(five):
    five.run()
    path = five.folder(0) / "ledger"
    head = five.desk(0).ledger.head
    lines = path.read_bytes().splitlines(keepends=True)
    for kept in range(len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        assert ledger.Ledger(path).head != head
        assert not ledger.follows(ledger.Ledger(path).lines, Head(head.n, head.hash))
    path.write_bytes(b"".join(lines))
    assert ledger.follows(ledger.Ledger(path).lines, head)


def test_a_letter_of_a_site_holds_no_floating_point_array(tmp_path):
    """Of vectors, too; and the planted fault, a float that leaves, is seen by the same look."""
    from core.parties import Column, Statistic
    from core.parties.messages import codec

    columns = tuple(Column(f"c{n}", "", 0.0, 1.0) for n in range(4))
    tables = [np.random.default_rng(s).random((80, 4)) for s in range(5)]
    consortium = Consortium(
        tmp_path, statistic=Statistic("mean", (4,), 0.0, 1.0), columns=columns, tables=tables
    ).agree()
    kinds = set()

    def kinds_of(value):
        if isinstance(value, np.ndarray):
            return {value.dtype.kind}
        if isinstance(value, dict | list):
            return set().union(set(), *map(kinds_of, value.values() if isinstance(value, dict) else value))
        return {"f"} if isinstance(value, float) else set()

    consortium.run(on_letter=lambda number, data: kinds.update(kinds_of(codec.decode(letters.bare(data))[1])))
    assert kinds == {"i", "u"}
    assert kinds_of({"message": [np.zeros(2)]}) == {"f"}
