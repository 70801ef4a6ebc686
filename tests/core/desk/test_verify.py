"""`cape-lab verify` of what strangers write: every change is refused in a sentence, and what is missing is named."""

import json

import pytest
from desks import Consortium

from core.desk import receipt
from core.desk.commands import main
from core.desk.keys import Key
from core.desk.receipt import NoReceipt
from core.desk.released import opened


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    consortium = Consortium(tmp_path_factory.mktemp("run"), sites=3, dropouts=0).agree()
    centre = consortium.run()
    plan = consortium.root / "plan.json"
    plan.write_text(consortium.plan.text())
    return consortium, json.loads((centre.place / "receipt.json").read_bytes()), plan


def told(found, keys, tmp_path, capsys, *more):
    """Exit code, and what is said."""
    path = tmp_path / "r.json"
    path.write_bytes(found if isinstance(found, bytes) else json.dumps(found).encode())
    code = main(["verify", str(path), "--keys", str(keys), *map(str, more)])
    said = capsys.readouterr()
    return code, said.out + said.err


def test_no_byte_of_a_receipt_may_change(run, tmp_path, capsys):
    """One bit of every byte; what is accepted says the same, such as a digit beyond a number's precision."""
    _, found, plan = run
    good, path = json.dumps(found, indent=1).encode(), tmp_path / "r.json"
    assert told(good, plan, tmp_path, capsys)[0] == 0
    for place in range(len(good)):
        changed = bytearray(good)
        changed[place] ^= 1 << place % 7
        path.write_bytes(changed)
        same = receipt.tell(path, plan) == 0 and json.loads(changed) == found
        assert same or "no receipt: " in capsys.readouterr().err, good[place - 20 : place + 9]


def strange(predicate, subject="0" * 64):
    """An envelope that a stranger has signed with a key of his own."""
    payload = receipt.statement(receipt.RELEASE, "average", subject, predicate)
    return receipt.envelope(payload, [receipt.signature(payload, Key(b"\x07" * 32))])


ODD = [[], {}, 5, None, [[]], {"a": []}, "\x1b[2J"]


@pytest.mark.parametrize("name", ["plan", "keys", "sites", "dropped"])
@pytest.mark.parametrize("value", ODD, ids=repr)
def test_an_envelope_of_a_stranger_is_no_receipt_whatever_it_says(run, tmp_path, capsys, name, value):
    _, found, plan = run
    said = receipt.verified(found["release"]).predicate
    code, words = told(found | {"release": strange({**said, name: value})}, plan, tmp_path, capsys)
    assert code == 2 and words.startswith("no receipt: ") and "\x1b" not in words


@pytest.mark.parametrize("name", ["sites", "dropped"])
@pytest.mark.parametrize("value", ODD[:6], ids=repr)
def test_signed_by_all_it_is_refused_too_if_it_has_another_shape(run, tmp_path, capsys, name, value):
    consortium, found, plan = run
    said = receipt.verified(found["release"])
    payload = receipt.statement(receipt.RELEASE, "average", said.subject, {**said.predicate, name: value})
    folders = [consortium.root / "centre", *(consortium.folder(s) for s in range(3))]
    signatures = [receipt.signature(payload, Key.kept(folder)) for folder in folders]
    code, words = told(found | {"release": receipt.envelope(payload, signatures)}, plan, tmp_path, capsys)
    assert (code == 2 and "dropped out must be" in words) or (name, value) == ("dropped", [])


def test_what_a_stranger_calls_a_key_controls_no_terminal(run, tmp_path, capsys):
    _, found, plan = run
    first, *others = found["release"]["signatures"]
    changed = found["release"] | {"signatures": [first | {"keyid": "\x1b[2J\x1b[H!"}, *others]}
    code, words = told(found | {"release": changed}, plan, tmp_path, capsys)
    assert code == 2 and "\x1b" not in words and "x1b" in words


@pytest.mark.parametrize("depth", [500, 990, 5000])
def test_nested_parts_are_refused(run, tmp_path, capsys, depth):
    _, found, plan = run
    deep = '"z":' + "[" * depth + "]" * depth + "}"
    surplus = json.dumps(found)[:-1] + "," + deep
    nested = json.dumps(found | {"plan": "@"}).replace('"@"', json.dumps(found["plan"])[:-1] + "," + deep)
    for text in (surplus, nested):
        code, words = told(text.encode(), plan, tmp_path, capsys)
        assert code == 2 and words.startswith("no receipt: ")


def test_ledgers_are_of_each_site_once_and_who_has_none_is_named(run, tmp_path, capsys):
    _, found, plan = run
    one, *_ = ledgers = found["ledgers"]
    assert len(ledgers) == 3 and "no ledger" not in told(found, plan, tmp_path, capsys)[1]
    for twice in ([one] * 3, [*ledgers, one]):
        code, words = told(found | {"ledgers": twice}, plan, tmp_path, capsys)
        assert code == 2 and "each site at most one" in words
        with pytest.raises(NoReceipt, match="each site at most one"):
            opened(json.dumps(found | {"ledgers": twice}).encode())
    code, words = told(found | {"ledgers": []}, plan, tmp_path, capsys)
    assert code == 0 and "no ledger of h0, h1, h2" in words
    assert "no ledger of h0, h1\n" in told(found | {"ledgers": ledgers[2:]}, plan, tmp_path, capsys)[1]
    for surplus in ("ledgerz", "x"):
        assert told(found | {surplus: []}, plan, tmp_path, capsys)[0] == 2


def test_letters_that_are_not_there_accuse_nobody(run, tmp_path, capsys):
    _, found, plan = run
    code, words = told(found, plan, tmp_path, capsys, "--letters", tmp_path / "none")
    assert code == 2 and "must be a folder of letters" in words
    code, words = told(found, plan, tmp_path, capsys, "--letters", tmp_path)
    assert code == 2 and "some are missing" in words and "another one" not in words
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(found["plan"]["keys"]))
    code, words = told(found, keys, tmp_path, capsys, "--letters", tmp_path)
    assert code == 2 and "some are missing" in words
