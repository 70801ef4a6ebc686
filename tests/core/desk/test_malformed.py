"""Letters of a foreign shape, rightly signed: refused by name, state and ledger unchanged, and all programs go on."""

import json
import socket
import threading
from dataclasses import replace

import numpy as np
import pytest
from desk_processes import wait_for
from desks import Consortium

from core.desk import letters, local_socket, receipt
from core.desk.commands import main
from core.desk.files import Folders
from core.desk.keys import Key
from core.parties.messages.letter import AGGREGATOR, Letter, read

DEEP = b"[" * 200_000
ROSTERS = [{"sites": 5}, {"sites": [[1]]}, {"sites": 5, "joins": {}}, {"keys": None}, {"keys": {}}]
ROSTERS += [{"joins": {0: 1, 1: 2, 2: 3}}, {"sites": [True]}, {"sites": [0, 1, 99]}, {"sites": None}]
OTHERS = [
    ("included", {"sites": 5, "heads": {}}),
    ("included", {"sites": [99], "heads": {99: b"{}"}}),
    ("included", {"sites": ["x"], "heads": None}),
    ("included", {"sites": [0], "heads": {0: DEEP}}),
    ("average", {"sites": 5, "value": np.zeros(1)}),
    ("average", {"sites": [0, 1, 2], "value": "x"}),
    ("average", {}),
    ("relay", {}),
    ("again", {"sites": {}}),
    ("total", {"total": None}),
]
SIGNED = [
    {},
    {"signature": b"[]", "head": b""},
    {"signature": b"{}", "head": b""},
    {"signature": DEEP, "head": DEEP},
]
SIGNED += [{"signature": b'{"keyid": [], "sig": 3}', "head": b"{}"}, {"signature": 3, "head": 4}]


@pytest.fixture
def three(tmp_path):
    return Consortium(tmp_path, sites=3, dropouts=0).agree()


def rostered(consortium):
    """The letters of the roster, by site."""
    joins = [data for s in range(3) for data in consortium.desk(s).begin(consortium.plan)]
    return dict(consortium.centre().take(joins))


def led(consortium, kind, content):
    key = Key.kept(consortium.root / "centre")
    return letters.sealed(Letter(consortium.plan.id, kind, 1, AGGREGATOR, 0, content).data(), key)


def malformed(consortium):
    """Letters of the aggregator, rightly signed; the true roster last."""
    roster = rostered(consortium)[0]
    good = read(letters.bare(roster)).content
    found = [led(consortium, "roster", {**good, **changed}) for changed in ROSTERS]
    found += [led(consortium, "roster", {k: v for k, v in good.items() if k != name}) for name in good]
    return [*found, *(led(consortium, kind, content) for kind, content in OTHERS)], roster


def files(folder):
    return {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "heads.json"
    }


def test_a_desk_refuses_them_by_name_and_goes_on(three):
    bad, roster = malformed(three)
    before = files(three.folder(0))
    for data in bad:
        found = three.desk(0).take([data])
        assert not found.letters and len(found.refused) == 1
        assert found.refused[0].split(":")[0] in ("Malformed", "Forged", "OutOfOrder"), found.refused
        assert "shape of its round" not in found.refused[0]  # The last net: a check has named it before.
        assert files(three.folder(0)) == before
    assert three.desk(0).take([roster]).letters


def test_a_program_over_folders_goes_on_and_begins_again(three, tmp_path, capsys):
    bad, roster = malformed(three)
    pipe = Folders(tmp_path / "up", tmp_path / "down")
    pipe.put(bad)
    run = [
        "site",
        "run",
        str(three.folder(0)),
        "--files",
        str(tmp_path / "down"),
        str(tmp_path / "up"),
        "--once",
    ]
    for _ in range(2):
        assert main(run) == 0
        assert capsys.readouterr().err.count("refused:") > 5
    before = set((tmp_path / "up").iterdir())
    pipe.put([roster])
    assert main(run) == 0 and set((tmp_path / "up").iterdir()) > before


def test_the_centre_refuses_them_by_name_and_goes_on(tmp_path):
    consortium = Consortium(tmp_path, sites=3, dropouts=0).agree()
    centre = consortium.run()
    before, key = files(centre.place), Key.kept(consortium.folder(0))
    letter = Letter(consortium.plan.id, "signed", 1, 0, AGGREGATOR, {})
    for content in SIGNED:
        assert not centre.take([letters.sealed(replace(letter, content=content).data(), key)])
        assert centre.refused[0].split(":")[0] in ("Malformed", "NoReceipt", "Forged"), centre.refused
        assert files(centre.place) == before
    for kind, content in (
        ("join", {"keys": 5}),
        ("join", {}),
        ("input", {"head": DEEP}),
        ("input", {"head": 3}),
    ):
        centre.take([letters.sealed(replace(letter, round=kind, content=content).data(), key)])
        assert len(centre.refused) == 1 and files(centre.place) == before


def test_what_nobody_of_the_plan_signed_is_not_parsed(three, monkeypatch, tmp_path):
    stranger = Key.made(tmp_path, lambda n: bytes(range(n)))
    data = letters.sealed(Letter(three.plan.id, "roster", 1, AGGREGATOR, 0, {}).data(), stranger)
    monkeypatch.setattr(letters, "read", lambda data: pytest.fail("it was parsed"))
    assert "WrongParty" in three.desk(0).take([data]).refused[0]
    centre = three.centre()
    centre.take([data])
    assert "WrongParty" in centre.refused[0]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="Unix sockets")
def test_a_socket_goes_on_after_nested_and_malformed_questions(three, tmp_path):
    bad, roster = malformed(three)
    path = tmp_path / "s"
    answer = lambda sent, close: local_socket.desk_answer(three.desk(0), sent, close)  # noqa: E731
    threading.Thread(target=local_socket.serve, args=(path, answer), daemon=True).start()
    wait_for([path])
    for question in (DEEP, b'{"letters":[null,"!"]}', b'{"letters":5}', b"[1]"):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.sendall(question + b"\n")
            with line.makefile("rb") as file:
                assert json.loads(file.readline())["refused"]
    assert len(local_socket.ask(path, bad)["refused"]) == len(bad)
    assert local_socket.ask(path, [roster])["letters"]


@pytest.mark.parametrize(
    "data", [b"[]", b"{}", DEEP, b'{"release": 3}', b'{"release": {}, "ledgers": 4}', b"\xff"]
)
def test_what_is_no_receipt_is_refused_in_a_sentence(three, tmp_path, capsys, data):
    (tmp_path / "receipts").mkdir()
    (tmp_path / "receipts" / "x.json").write_bytes(data)
    (tmp_path / "plan.json").write_text(three.plan.text())
    assert main(["verify", str(tmp_path / "receipts" / "x.json"), "--keys", str(tmp_path / "plan.json")]) == 2
    assert "no receipt" in capsys.readouterr().err
    with pytest.raises(receipt.NoReceipt):
        receipt.verified(receipt.parsed(data))
