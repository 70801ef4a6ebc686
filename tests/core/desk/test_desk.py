"""The desk: what leaves is in the ledger, forgeries are refused by name, and a receipt says what was released."""

import json
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from desks import CEILING, Consortium

from core.desk import BeyondCeiling, Desk, Ledger, letters, receipt
from core.desk.agreement import Refused, checked_plan, planned_observer
from core.desk.commands import in_words, main
from core.desk.files import Folders
from core.desk.keys import Key, fingerprint
from core.desk.ledger import Damaged, checked
from core.desk.released import opened
from core.desk.running import centre_round, send, site_round
from core.parties.messages import codec
from core.parties.messages.letter import Letter, read
from core.parties.messages.refusals import TooFewSites
from core.privacy import Privacy, gdp_mu


@pytest.fixture
def five(tmp_path):
    return Consortium(tmp_path).agree()


@pytest.mark.parametrize("scheme", ["cape-after", "secure"])
@pytest.mark.parametrize("silent, at", [((), "input"), ((2,), "input"), ((1,), "shares")])
def test_five_desks_release_an_average(tmp_path, scheme, silent, at):
    consortium = Consortium(tmp_path, scheme).agree()
    centre = consortium.run(silent=silent, at=at)
    left = [s for s in range(5) if s not in silent]
    std = float(np.max(consortium.plan.stated((), silent if at == "input" else ()).std))
    # Seven standard deviations: exceeded with probability 3e-12.
    assert abs(float(centre.value[0]) - consortium.truth(left)) < 7 * std * 1.3
    said = receipt.verified(centre.receipt["release"])
    assert said.predicate["dropped"] == [f"h{s}" for s in silent]
    assert len(said.signed) == 1 + len(left) and centre.enough
    for s in range(5):
        lines = consortium.desk(s).ledger.lines
        assert [line["kind"] for line in lines].count("spent") == (0 if s in silent else 1)
        if s in left:
            assert lines[-1]["mu"] >= consortium.plan.promise(s).aggregator
            assert not (consortium.folder(s) / "plans" / consortium.plan.id[:32] / "records.npy").exists()


def test_a_site_that_falls_away_after_its_packet_is_released_and_charged(five):
    centre = five.run(silent=(3,), at="unmask")
    assert abs(float(centre.value[0]) - five.truth(range(5))) < 3
    assert five.desk(3).ledger.lines[-1]["kind"] == "spent"
    said = receipt.verified(centre.receipt["release"])
    assert said.predicate["dropped"] == [] and dict(five.plan.keys)["h3"] not in said.signed


@pytest.mark.parametrize("at", ["shares", "input"])
def test_a_site_that_dropped_out_finishes_in_its_first_release_of_a_year(five, at):
    """Nothing is spent yet: it signs the average that names it as dropped out, and deletes its records."""
    centre = five.run(silent=(3,), at=at)
    (average,) = (data for number, data in centre.again() if number == 3)
    found = five.desk(3).take([average])
    assert not found.refused and len(found.letters) == 1
    assert not list(five.folder(3).glob("plans/*/records.npy"))
    centre.take(found.letters)
    assert (
        not centre.refused
        and dict(five.plan.keys)["h3"] in receipt.verified(centre.receipt["release"]).signed
    )
    year = next(year for year in opened(json.dumps(centre.receipt).encode()).years if year.site == "h3")
    assert year.spent == 0.0


@pytest.mark.parametrize("at, silent", [("join", "h1, h4"), ("shares", "h1, h4")])
def test_fewer_sites_than_planned_are_refused_before_anybody_spoke(tmp_path, at, silent):
    """A release of five would never have the six signatures that its receipt needs. Whoever was silent may come yet."""
    consortium = Consortium(tmp_path, sites=7, dropouts=1).agree()
    centre, here = consortium.centre(), [0, 2, 3, 5, 6]
    queue = [
        d for s in (here if at == "join" else range(7)) for d in consortium.desk(s).begin(consortium.plan)
    ]
    sent = centre.take(queue)
    centre.take([d for n, data in sent if n in here for d in consortium.desk(n).take([data]).letters])
    with pytest.raises(
        TooFewSites, match=rf"at least 6 sites .*not heard from: {silent}; no number .*more dropouts"
    ):
        centre.close()
    assert not any(consortium.desk(s).ledger.has(consortium.plan.id, "1") for s in range(7))
    one = consortium.desk(1)
    centre.take(one.begin(consortium.plan) if at == "join" else one.take([dict(sent)[1]]).letters)
    sent = centre.close()
    while sent:
        sent = centre.take([d for n, data in sent if n != 4 for d in consortium.desk(n).take([data]).letters])
    assert centre.enough and receipt.verified(centre.receipt["release"]).predicate["dropped"] == ["h4"]


@pytest.mark.parametrize("sites, dropouts", [(4, 1), (6, 2)])
def test_planned_dropouts_may_be_missing_from_the_first_round_on(tmp_path, sites, dropouts):
    """As many as planned do not join at all: released without them at the planned guarantee, with a whole receipt."""
    consortium = Consortium(tmp_path, sites=sites, dropouts=dropouts).agree()
    left = range(dropouts, sites)
    centre = consortium.centre()
    centre.take([d for s in left for d in consortium.desk(s).begin(consortium.plan)])
    sent = centre.close()
    for _ in range(4):
        sent = centre.take([d for n, data in sent for d in consortium.desk(n).take([data]).letters])
    gone = tuple(range(dropouts))
    assert centre.enough and abs(float(centre.value[0]) - consortium.truth(left)) < 6 * float(
        np.max(consortium.plan.stated(gone).std)
    )
    promised = max(consortium.plan.promise(s).aggregator for s in range(sites))
    for k in range(dropouts + 1):  # Some do not join, the others drop out later.
        assert consortium.plan.stated(gone[:k], gone[k:]).mu_aggregator <= promised * (1 + 1e-9)


def test_whoever_joins_a_ledger_is_charged_enough(tmp_path, sites=4, dropouts=1):
    """Of searched designs, as Plan saves them: with a site that does not join μ is above that of all, by rounding."""
    plan = Consortium(tmp_path, sites=sites, dropouts=dropouts, own_noise="sum").plan
    design = replace(plan, noise="iid", draw=None).parts().after
    plan = replace(plan, designs=np.stack([design.seed_std, design.local_std], axis=1))
    charged = min(planned_observer(plan, s, "aggregator") for s in range(sites))
    gone = [(out[:k], out[k:]) for out in combinations(range(sites), dropouts) for k in range(dropouts + 1)]
    largest = max(plan.stated(absent, dropped).mu_aggregator for absent, dropped in gone)
    assert max(plan.promise(s).aggregator for s in range(sites)) < largest <= charged


def test_a_site_does_not_agree_again_with_others(five):
    """An aggregator that asks for it would have two runs of one plan side by side."""
    centre = five.centre()
    centre.take([data for s in range(5) for data in five.desk(s).begin(five.plan)])
    asked = Letter(five.plan.id, "again", 1, "aggregator", 0, {"sites": [0, 1, 2, 3]})
    found = five.desk(0).take([letters.sealed(asked.data(), Key.kept(five.root / "centre"))])
    assert not found.letters and "again" in found.refused[0]


def test_more_silent_sites_than_planned_release_nothing_and_spend_all(five):
    centre = five.centre()
    queue = [data for s in range(5) for data in five.desk(s).begin(five.plan)]
    for _ in range(2):  # Up to the packets.
        sent = centre.take(queue)
        queue = [d for number, data in sent for d in five.desk(number).take([data]).letters]
    packets = [d for d in queue if read(letters.bare(d)).sender < 3]
    centre.take(packets)
    with pytest.raises(TooFewSites, match=r"at least 4 sites .*h3, h4; every site .* charged.*--run"):
        centre.close()
    assert all(five.desk(s).ledger.lines[-1]["kind"] == "spent" for s in range(5))
    assert centre.value is None


def test_a_ceiling_is_never_passed_and_a_refusal_is_an_entry(five, tmp_path):
    """ε = 2 for a year leaves room for so many releases of ε = 1; the next is refused, and nothing leaves."""
    desk = five.desk(0)
    mu, room = five.plan.promise(0).aggregator, gdp_mu(Privacy(2.0, 1e-5))
    most = int((room / mu) ** 2)
    with desk.ledger.locked() as ledger:
        for n in range(most):
            ledger.refuse_beyond(mu, "2026-03-01T00:00:00Z")
            ledger.add("spent", time=_later(ledger), plan="x", run=str(n), mu=mu)
    with pytest.raises(BeyondCeiling):
        five.desk(0).begin(five.plan)
    lines = five.desk(0).ledger.lines
    assert lines[-1]["kind"] == "refused" and 1 < most < 5


def _later(ledger):
    return ledger.lines[-1]["time"]


def test_every_byte_of_a_ledger_counts_and_a_cut_tail_is_found_with_receipts(five, tmp_path):
    centre = five.run()
    path = five.folder(1) / "ledger"
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.choice(len(data), 120, replace=False):
        flipped = bytearray(data)
        flipped[place] ^= 1 << int(rng.integers(8))
        with pytest.raises((Damaged, UnicodeDecodeError)):
            checked(bytes(flipped))
            raise AssertionError(f"byte {place} may be changed")
    receipts = tmp_path / "receipts"
    receipts.mkdir()
    (receipts / "receipt.json").write_text(json.dumps(centre.receipt))
    assert main(["ledger", "verify", str(five.folder(1)), "--receipts", str(receipts)]) == 0
    lines = data.splitlines(keepends=True)
    for kept in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:kept]))
        assert main(["ledger", "verify", str(five.folder(1)), "--receipts", str(receipts)]) == 2
    path.write_bytes(data + b'{"n": 99')  # A line that was not written to its end: nothing left after it.
    assert Ledger(path).head.n == len(lines) and path.read_bytes() == data + b'{"n": 99'


def test_every_byte_of_a_letter_and_of_a_receipt_counts(five):
    (join,) = five.desk(0).begin(five.plan)
    keys = {n: dict(five.plan.keys)[site.name] for n, site in enumerate(five.plan.sites)}
    rng = np.random.default_rng(1)
    for place in rng.choice(len(join), 150, replace=False):
        flipped = bytearray(join)
        flipped[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(Exception, match=r".") as caught:
            letters.opened(bytes(flipped), keys)
        assert type(caught.value).__module__.startswith("core")
    found = json.dumps(five.run().receipt["release"])
    changed = 0
    for place in rng.choice(len(found), 150, replace=False):
        text = found[:place] + chr((ord(found[place]) + 1) % 127) + found[place + 1 :]
        try:
            again = receipt.verified(json.loads(text))
        except (receipt.NoReceipt, ValueError):
            changed += 1
            continue
        # A name of a field that nobody reads, or padding: what is said and who signed are the same.
        assert again == receipt.verified(json.loads(found))
    assert changed > 100


def test_forgeries_are_refused_by_name_and_change_nothing(five, tmp_path):
    centre = five.centre()
    joins = [data for s in range(5) for data in five.desk(s).begin(five.plan)]
    roster = dict(centre.take(joins))
    before = _state(five, 0)
    key = Key.kept(five.root / "centre")
    letter = read(letters.bare(roster[0]))
    stranger = Key.made(tmp_path, lambda n: bytes(range(n)))
    swapped = {**letter.content["keys"], 1: letter.content["keys"][2]}
    cases = {
        "signed": letters.sealed(letters.bare(roster[0]), stranger),
        "joins": letters.sealed(replace(letter, content={**letter.content, "joins": {}}).data(), key),
        "site 1 signed": letters.sealed(
            replace(letter, content={**letter.content, "keys": swapped}).data(), key
        ),
        "consented": letters.sealed(replace(letter, plan="0" * 64).data(), key),
        "must be for": roster[1],
        "signed letter": b"CAPS\x01",
    }
    for words, data in cases.items():
        found = five.desk(0).take([data])
        assert not found.letters and words in found.refused[0], (words, found.refused)
        assert _state(five, 0) == before
    assert five.desk(0).take([roster[0]]).letters


def _state(consortium, site):
    return (consortium.folder(site) / "plans" / consortium.plan.id[:32] / "state").read_bytes()


def test_a_lost_answer_is_said_again_with_the_same_bytes(five):
    centre = five.centre()
    joins = [data for s in range(5) for data in five.desk(s).begin(five.plan)]
    assert five.desk(0).begin(five.plan) == [joins[0]]
    for number, data in centre.take(joins):
        first, second = (five.desk(number).take([data]).letters for _ in range(2))
        assert first == second


def test_a_ledger_that_was_put_back_is_refused_by_the_others(tmp_path):
    consortium = Consortium(tmp_path).agree()
    kept = (consortium.folder(2) / "ledger").read_bytes()
    consortium.run()
    (consortium.folder(2) / "ledger").write_bytes(kept)
    second = replace(consortium.plan, run="2")
    consortium.agree(second)
    joins = [data for s in range(5) for data in consortium.desk(s).begin(second)]
    centre = consortium.centre(second)
    centre.take(joins)
    assert "ledger of site 2" in centre.refused[0] and len(centre.refused) == 1


def test_a_state_that_is_gone_draws_no_second_noise(five):
    five.run()
    (five.folder(0) / "plans" / five.plan.id[:32] / "state").unlink()
    with pytest.raises(Refused, match="spent"):
        five.desk(0).begin(five.plan)


def test_clock_records_and_plan_must_be_what_was_agreed(five):
    early = Desk(five.folder(0), clock=lambda: "2020-01-01T00:00:00Z")
    with pytest.raises(ValueError, match="time"):
        early.begin(five.plan)
    changed = replace(five.plan, note="another")
    with pytest.raises(Refused, match="consented"):
        five.desk(0).begin(changed)
    path = five.folder(1) / "plans" / five.plan.id[:32] / "records.npy"
    np.save(path, five.tables[1] + 1)
    with pytest.raises(Refused, match="records"):
        five.desk(1).begin(five.plan)
    with pytest.raises(ValueError, match="records"):
        five.desk(2).consent(five.plan, five.tables[2][:-1])


@pytest.mark.parametrize(
    "change, words",
    [
        ({"keys": None}, "keys"),
        ({"draw": None}, "draw"),
        ({"against": "message"}, "against"),
        ({"scheme": "conventional"}, "scheme"),
        ({"noise": "iid"}, "noise"),
        ({"zero_sum": "broadcast"}, "zero_sum"),
    ],
)
def test_what_is_no_release_is_refused_by_name(tmp_path, change, words):
    plan = replace(Consortium(tmp_path).plan, **change)
    with pytest.raises(Refused, match=words):
        checked_plan(plan)


def test_no_letter_of_a_site_has_a_floating_point_number(five):
    seen = []

    def look(number, data):
        _, content = codec.decode(letters.bare(data))
        seen.extend(v.dtype.kind for v in content.values() if isinstance(v, np.ndarray))
        assert not any(isinstance(v, float) for v in content.values())

    five.run(on_letter=look)
    assert seen and set(seen) <= {"i", "u"}


def test_five_sites_over_two_folders_each(five, tmp_path):
    """Half a file, a conflicted copy and a foreign file are left alone."""
    drive = tmp_path / "drive"
    centre, here = five.centre(), Folders(drive / "up", drive / "down")
    pipes = [Folders(drive / "down" / f"site-{s}", drive / "up") for s in range(5)]
    for path in (
        drive / "down" / "site-0" / ("0" * 64 + "-10.letter"),
        drive / "up" / "note (conflicted copy).letter",
    ):
        path.write_bytes(b"half")
    for _ in range(30):
        refused = [why for s, pipe in enumerate(pipes) for why in site_round(five.desk(s), pipe).refused]
        refused += centre_round(centre, here).refused
        assert not refused
        if centre.phase == "done" and len(centre.receipt["release"]["signatures"]) == 6:
            break
        if not centre.waits_for:
            send(centre, here, centre.close())
    assert abs(float(centre.value[0]) - five.truth(range(5))) < 3


def test_the_commands_from_a_key_to_a_verified_receipt(tmp_path, monkeypatch, capsys):
    """As somebody types them, with five folders on one machine."""
    monkeypatch.chdir(tmp_path)
    consortium = Consortium(tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_text(consortium.plan.text())
    for s, table in enumerate(consortium.tables):
        csv = tmp_path / f"{s}.csv"
        csv.write_text(
            "patient,stay\n" + "".join(f"{n},{value!r}\n" for n, value in enumerate(table[:, 0].tolist()))
        )
        folder = str(consortium.folder(s))
        assert main(["site", "consent", folder, str(plan), str(csv), "--yes"]) == 2  # No ceiling yet.
        assert main(["site", "ceiling", folder, "2,1e-5", "--reason", "first year"]) == 0
        assert main(["site", "consent", folder, str(plan), str(csv), "--yes"]) == 0
    words = capsys.readouterr().out
    assert fingerprint(dict(consortium.plan.keys)["h3"]) in words and "stay (days)" in words
    for _ in range(12):
        for s in range(5):
            args = ["site", "run", str(consortium.folder(s)), "--files", f"down/site-{s}", "up", "--once"]
            assert main(args) == 0
        assert main(["aggregate", str(plan), "centre", "--files", "up", "down", "--once"]) == 0
    assert "average:" in capsys.readouterr().out
    made = str(consortium.centre().place / "receipt.json")
    assert main(["verify", made, "--keys", str(plan)]) == 0
    assert "signed by 6 of 6" in capsys.readouterr().out
    from core.desk import receipt as module

    alone = subprocess.run(
        [sys.executable, "-I", module.__file__, made, str(plan)],
        capture_output=True,
        text=True,
    )
    assert alone.returncode == 0 and "signed by 6 of 6" in alone.stdout


def test_consent_tells_costs_bounds_and_what_is_left_of_the_year(five, tmp_path):
    words = in_words(five.plan, 60, five.desk(0))
    for part in (
        "stay (days), clipped to 0 to 50",
        "epsilon 1 at delta 1e-05, against the aggregator",
        "as h0",
        "ceiling is epsilon 2 at delta 1e-05",
        "at most epsilon 2 is left",
    ):
        assert part in words, words
    five.run()
    ledger, room = five.desk(0).ledger, five.desk(0).room()
    spent, most = ledger.spent(int(ledger.lines[-1]["time"][:4])), gdp_mu(Privacy(2.0, 1e-5))
    assert np.hypot(spent, gdp_mu(Privacy(room, 1e-5))) == pytest.approx(most, rel=1e-6)
    left = float(in_words(five.plan, 60, five.desk(0)).split("at most epsilon ")[1].split()[0])
    assert room * 0.999 < left <= room < 2


def test_a_run_tells_what_it_did_and_that_it_is_done(five, tmp_path, capsys):
    run = [
        "site",
        "run",
        str(five.folder(0)),
        "--files",
        str(tmp_path / "in"),
        str(tmp_path / "out"),
        "--once",
    ]
    assert main(run) == 0 and "joined" in capsys.readouterr().out
    centre = five.run()
    assert centre.enough and main(run) == 0
    told = capsys.readouterr().out
    assert five.plan.id[:8] in told and "done: the average is signed, the records are deleted" in told


def test_a_run_that_is_stopped_by_hand_ends_without_a_trace(five, tmp_path, monkeypatch, capsys):
    def stop(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("core.desk.commands.time.sleep", stop)
    run = ["site", "run", str(five.folder(0)), "--files", str(tmp_path / "in"), str(tmp_path / "out")]
    assert main(run) == 130 and not capsys.readouterr().err


def test_a_key_that_is_changed_leaves_the_ledger_as_it_is(five, tmp_path, capsys):
    """The year goes on, receipts of the old key still find a tail that was cut off, and the next plan has the new key."""
    with pytest.raises(Refused, match="plans must be done"):
        Desk.renew(five.folder(0))
    receipts, centre = tmp_path / "receipts", five.run()
    receipts.mkdir()
    (receipts / "1.json").write_text(json.dumps(centre.receipt))
    before, room, old = five.desk(0).ledger.lines, five.desk(0).room(), five.desk(0).key.public
    assert main(["site", "init", str(five.folder(0)), "--new-key"]) == 0
    desk = five.desk(0)
    assert desk.key.public != old and desk.key.public in capsys.readouterr().out
    assert (
        desk.ledger.lines[:-1] == before and desk.ledger.lines[-1]["kind"] == "opened" and desk.room() == room
    )
    keys = dict(five.plan.keys) | {"h0": desk.key.public}
    five.plan = replace(five.plan, keys=keys, run="2")
    assert five.agree().run().enough
    verify = ["ledger", "verify", str(five.folder(0)), "--receipts", str(receipts)]
    assert main(verify) == 0
    path, about = five.folder(0) / "ledger", five.folder(0) / "site.json"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert main(verify) == 2
    # The planted fault: a desk that forgot its earlier key looks at no receipt of it.
    about.write_text(
        json.dumps({name: value for name, value in json.loads(about.read_text()).items() if name != "before"})
    )
    assert main(verify) == 0


def test_the_desk_needs_no_web_server():
    program = """
import sys
class No:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("panel", "bokeh", "holoviews", "param", "tornado"):
            raise ImportError(name)
sys.meta_path.insert(0, No())
import core.desk.commands, core.desk.running
try:
    import panel
except ImportError:
    sys.exit()
sys.exit("the block of imports blocks nothing")
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_keys_are_read_by_their_owner_alone(tmp_path):
    desk = Desk.init(tmp_path / "a")
    with pytest.raises(ValueError, match="key"):
        Desk.init(tmp_path / "a")
    assert (tmp_path / "a" / "key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "a" / "key").chmod(0o644)
    with pytest.raises(ValueError, match="0600"):
        Desk(tmp_path / "a")
    assert len(fingerprint(desk.key.public).split()) == 8 and CEILING
