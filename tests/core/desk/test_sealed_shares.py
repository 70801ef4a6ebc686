"""Shares between sites are sealed for their receiver: who carries letters reads none, and can put no other in."""

from dataclasses import replace

import pytest
from desks import Consortium

from core.desk import letters
from core.desk.keys import Key
from core.parties.messages.letter import read
from core.secure_sum import crypto, shamir, site


@pytest.fixture
def three(tmp_path):
    return Consortium(tmp_path, sites=3, dropouts=0).agree()


def relayed(consortium, plan=None):
    """Everything that was carried up to the relay, and the relay's letters by site."""
    plan = consortium.plan if plan is None else plan
    centre = consortium.centre(plan)
    carried = [data for s in range(3) for data in consortium.desk(s).begin(plan)]
    roster = centre.take(carried)
    shares = [d for n, data in roster for d in consortium.desk(n).take([data]).letters]
    relay = centre.take(shares)
    return [*carried, *(data for _, data in roster), *shares, *(data for _, data in relay)], dict(relay)


def altered(consortium, relay, sealed):
    """The relay to site 0 with other sealed shares, signed by the aggregator itself: the one who could."""
    letter = read(letters.bare(relay))
    content = letter.content | {"sealed": {**letter.content["sealed"], **sealed}}
    return letters.sealed(replace(letter, content=content).data(), Key.kept(consortium.root / "centre"))


def sealed_of(relay):
    return dict(read(letters.bare(relay)).content["sealed"])


def taken(consortium, sealed, relay):
    """What site 0 says to altered shares of site 1."""
    place = consortium.desk(0).place(consortium.plan) / "state"
    before = place.read_bytes()
    found = consortium.desk(0).take([altered(consortium, relay, {1: sealed})])
    assert found.letters or place.read_bytes() == before
    return found


def held(consortium, number, plan):
    """The shares of the others that a site holds, as its own state has them: 33 bytes each."""
    site = consortium.desk(number)._state(plan)["site"]
    pairs = [pair for other, pair in site._held["summing"]["held"].items() if other != number]
    return [share.to_bytes(shamir.SHARE_BYTES, "big") for pair in pairs for share in pair]


def texts(value):
    """All bytes of a letter's content, as its reader has them."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [text for part in parts for text in texts(part)]
    return [value] if isinstance(value, bytes) else []


@pytest.mark.parametrize("planted", [False, True])
def test_who_carries_letters_reads_no_share(three, monkeypatch, planted):
    """Not one of the shares that arrive stands in any letter. The planted fault, shares as they are, shows all of them."""
    if planted:
        monkeypatch.setattr(crypto, "seal", lambda key, text, label, random: bytes(crypto.SEAL_BYTES) + text)
        monkeypatch.setattr(crypto, "unseal", lambda key, sealed, label: sealed[crypto.SEAL_BYTES :])
    carried, relay = relayed(three)
    for number, data in relay.items():
        assert three.desk(number).take([data]).letters
    shares = [share for number in range(3) for share in held(three, number, three.plan)]
    assert len(shares) == 12
    said = [part for data in carried for part in (data, *texts(read(letters.bare(data)).content))]
    found = sum(any(share in part for part in said) for share in shares)
    assert found == (12 if planted else 0)


def test_shares_of_another_run_receiver_or_sender_are_refused(three):
    """All three sites are in two runs at once, so that every letter is whole and rightly signed."""
    second = replace(three.plan, run="2")
    three.agree(second)
    _, relay = relayed(three)
    _, other = relayed(three, second)
    cases = {
        "another run": sealed_of(other[0])[1],
        "another receiver": sealed_of(relay[2])[1],
        "another sender": sealed_of(relay[0])[2],
        "its own": sealed_of(relay[1])[0],
    }
    for name, sealed in cases.items():
        found = taken(three, sealed, relay[0])
        assert not found.letters and found.refused[0].startswith("Forged: sealed shares"), name
    assert three.desk(0).take([relay[0]]).letters


def test_a_changed_share_is_refused_at_every_byte(three):
    _, relay = relayed(three)
    whole = sealed_of(relay[0])[1]
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1
        found = taken(three, bytes(flipped), relay[0])
        assert not found.letters and found.refused[0].startswith("Forged: sealed shares"), place
    for cut in (b"", whole[:-1], whole[1:], whole + b"\0"):
        found = taken(three, cut, relay[0])
        assert not found.letters and found.refused[0].startswith("Malformed")


def test_a_relay_that_is_replayed_with_other_shares_changes_nothing(three):
    """The site has answered: it says the same bytes again, whatever the second letter has."""
    _, relay = relayed(three)
    first = three.desk(0).take([relay[0]]).letters
    mixed = sealed_of(relay[0])[2]
    assert taken(three, mixed, relay[0]).letters == first
    assert [line["kind"] for line in three.desk(0).ledger.lines].count("spent") == 1


@pytest.mark.parametrize("fault", ["one key for all", "no tag"])
def test_planted_faults_of_sealing_are_found(three, monkeypatch, fault):
    """With one key for all sites and no names in the label a stranger's share opens; without a tag a changed one does."""
    if fault == "no tag":
        monkeypatch.setattr(crypto, "seal", lambda key, text, label, random: bytes(crypto.SEAL_BYTES) + text)
        monkeypatch.setattr(crypto, "unseal", lambda key, sealed, label: sealed[crypto.SEAL_BYTES :])
    else:
        monkeypatch.setattr(site.SumSite, "_channel", lambda self, other: bytes(32))
        monkeypatch.setattr(site, "_label", lambda sender, receiver: b"")
    _, relay = relayed(three)
    whole = sealed_of(relay[0])[1]
    sealed = whole[:-1] + bytes([whole[-1] ^ 1]) if fault == "no tag" else sealed_of(relay[2])[1]
    assert taken(three, sealed, relay[0]).letters
