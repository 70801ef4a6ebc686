"""Sites as processes of their own over folders, a desk behind a socket, and the commands that lead to a release."""

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from desk_processes import programs, wait_for
from desks import CEILING, Consortium

from core.desk import letters, local_socket, receipt
from core.desk.commands import main
from core.desk.keys import Key
from core.desk.released import opened
from core.desk.result import std_of
from core.parties import Column, Plan, Statistic
from core.parties.messages.letter import AGGREGATOR, Letter

needs_sockets = pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="Unix sockets")


def folders(consortium, drive, sites):
    """The commands of desks and aggregator over a shared drive."""
    plan = consortium.root / "plan.json"
    plan.write_text(consortium.plan.text())
    runs = [
        ["site", "run", consortium.folder(s), "--files", drive / "down" / f"site-{s}", drive / "up"]
        for s in sites
    ]
    return runs, ["aggregate", plan, consortium.root / "centre", "--files", drive / "up", drive / "down"]


@pytest.mark.slow
def test_five_sites_as_processes_of_their_own_release_a_vector(tmp_path):
    """One of them is killed in between and started again; the receipt is complete."""
    columns = tuple(Column(f"c{n}", "", 0.0, 1.0) for n in range(40))
    tables = [np.random.default_rng(s).random((200 + s, 40)) for s in range(5)]
    consortium = Consortium(
        tmp_path, statistic=Statistic("mean", (40,), 0.0, 1.0), columns=columns, tables=tables
    ).agree()
    runs, leads = folders(consortium, tmp_path / "drive", range(5))
    with programs([*runs, leads]) as started:
        state = consortium.folder(2) / "plans" / consortium.plan.id[:32] / "state"
        wait_for([state])
        started[2].kill()
        with programs([runs[2]]):
            started[-1].wait(180)
    found = opened((consortium.centre().place / "receipt.json").read_bytes())
    truth = np.average([x.mean(axis=0) for x in tables], axis=0, weights=[len(x) for x in tables])
    assert np.abs(found.value - truth).max() < 6 * std_of(consortium.plan) and found.dropped == ()
    assert len(found.signed) >= 1 + consortium.plan.answers(5)
    sent = sum(path.stat().st_size for path in (tmp_path / "drive").rglob("*.letter"))
    assert 20_000 < sent < 200_000


@pytest.mark.slow
def test_a_silent_process_is_released_without_when_somebody_closes(tmp_path):
    consortium = Consortium(tmp_path).agree()
    runs, leads = folders(consortium, tmp_path / "drive", range(4))
    with programs(runs):
        end, place = time.time() + 240, consortium.centre().place
        while time.time() < end and not (place / "receipt.json").exists():
            told = subprocess.run(
                [sys.executable, "-m", "core.desk", *map(str, leads), "--once", "--close"],
                capture_output=True,
                text=True,
            )
            time.sleep(0.5)
    assert told.returncode in (0, 2)
    assert receipt.verified(consortium.centre().receipt["release"]).predicate["dropped"] == ["h4"]


@pytest.fixture
def answering():
    """Serve in a thread until the test has ended."""
    threads = []

    def serve(path, answer, **options):
        thread = threading.Thread(target=local_socket.serve, args=(path, answer), kwargs=options, daemon=True)
        thread.start()
        threads.append(thread)
        wait_for([path])
        return thread

    return serve


@needs_sockets
def test_desks_behind_sockets_release_an_average(tmp_path, answering):
    consortium = Consortium(tmp_path, sites=3, dropouts=0).agree()
    plan = consortium.plan
    for s in range(3):
        answering(
            tmp_path / f"{s}",
            lambda letters, close, s=s: local_socket.desk_answer(consortium.desk(s), letters, close),
        )
    centre = tmp_path / "c"
    consortium.centre()
    leads = answering(
        centre,
        lambda letters, close: local_socket.centre_answer(consortium.centre(), letters, close),
        forever=False,
        tells=True,
    )
    posts = {s: [] for s in range(3)}
    for _ in range(8):
        came = [
            data
            for s, sent in posts.items()
            for _, data in local_socket.ask(tmp_path / f"{s}", sent)["letters"]
        ]
        found = local_socket.ask(centre, came)
        assert not found["refused"]
        if found["done"]:
            break
        posts = {s: [data for to, data in found["letters"] if to == s] for s in range(3)}
    assert found["done"] and abs(
        float(consortium.centre().value[0]) - consortium.truth(range(3))
    ) < 6 * std_of(plan)
    leads.join(10)
    assert not leads.is_alive() and not centre.exists()
    if os.name == "posix":
        assert stat.S_IMODE((tmp_path / "0").stat().st_mode) == 0o660


def test_a_site_that_comes_late_signs_before_the_aggregator_ends(tmp_path):
    """It stopped after its packet; the receipt was complete without it."""
    consortium = Consortium(tmp_path, sites=4).agree()
    centre = consortium.run(silent=(3,), at="unmask")
    assert centre.enough and len(centre.receipt["release"]["signatures"]) == 4
    said, done = [], False
    for waits in (True, False):
        said = local_socket.desk_answer(consortium.desk(3), [data for _, data in said], False)[0]
        said, refused, done = local_socket.centre_answer(centre, [data for _, data in said], False)
        assert done is not waits
        assert all(
            "all is done" in why for why in refused
        )  # Its help to unmask comes too late, its signature does not.
    assert len(centre.receipt["release"]["signatures"]) == 5


@needs_sockets
def test_who_asks_nonsense_gets_words_and_the_socket_goes_on(tmp_path, answering):
    consortium = Consortium(tmp_path / "r", sites=3, dropouts=0).agree()
    before = (consortium.folder(0) / "ledger").read_bytes()
    path = tmp_path / "s"
    answering(path, lambda letters, close: local_socket.desk_answer(consortium.desk(0), letters, close))
    for nonsense in (
        b"\n",
        b"[]\n",
        b'{"letters": 3}\n',
        b'{"letters": ["*"]}\n',
        b"\xff\n",
        b"{" * 1000 + b"\n",
    ):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.sendall(nonsense)
            with line.makefile("rb") as file:
                told = json.loads(file.readline())
        assert told["letters"] == [] and told["refused"]
    with socket.socket(socket.AF_UNIX) as line:  # Somebody who goes at once.
        line.connect(str(path))
    assert local_socket.ask(path, [b"CAPS"])["refused"] == local_socket.ask(path, [b"[]"])["refused"]
    assert (consortium.folder(0) / "ledger").read_bytes() == before
    assert len(local_socket.ask(path, [])["letters"]) == 1


@needs_sockets
def test_a_socket_tells_no_ceiling_no_path_and_no_reason(tmp_path, answering):
    """Whoever may open it asks for the joins of a desk that has no room, whose records are gone, or which is damaged."""
    consortium = Consortium(tmp_path / "r", sites=3, dropouts=0).agree()
    reasons, path, place = [], tmp_path / "s", consortium.desk(0).place(consortium.plan)
    answer = lambda letters, close: local_socket.desk_answer(consortium.desk(0), letters, close)  # noqa: E731
    answering(path, answer, on_refused=reasons.extend)
    stranger = Key.made(tmp_path, lambda n: bytes(range(n)))
    signed = letters.sealed(Letter(consortium.plan.id, "roster", 1, AGGREGATOR, 0, {}).data(), stranger)
    consortium.desk(0).set_ceiling(0.0123, 1e-5, reason="lowered")
    said = [local_socket.ask(path, [])]
    (place / "records.npy").unlink()
    said += [local_socket.ask(path, sent) for sent in ([], [signed], [b"[]", b""])]
    (consortium.folder(0) / "key").unlink()
    said += [local_socket.ask(path, [])]
    assert "0.0123" in reasons[0] and str(place) in reasons[1] and len(reasons) >= 5
    assert [len(one["refused"]) for one in said] == [1, 1, 1, 2, 1]
    for one in said:
        assert not one["letters"]
        assert all(
            why == "refused: the output of the program behind the socket says why" for why in one["refused"]
        )


@needs_sockets
def test_who_asks_byte_by_byte_holds_a_socket_for_the_whole_time_alone(tmp_path, answering, monkeypatch):
    monkeypatch.setattr(local_socket, "_PATIENCE", 1.0)
    path = tmp_path / "s"
    answering(path, lambda letters, close: ((), (), False))
    stop = threading.Event()

    def drip():
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            with contextlib.suppress(OSError):
                while not stop.wait(0.05):
                    line.sendall(b"{")

    slow = threading.Thread(target=drip)
    slow.start()
    time.sleep(0.2)
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(20)
            line.connect(str(path))
            line.sendall(b'{"letters": []}\n')
            assert line.recv(1000)
    finally:
        stop.set()
        slow.join()


def test_a_socket_is_refused_by_name_without_unix(tmp_path, monkeypatch):
    monkeypatch.delattr(socket, "AF_UNIX", raising=False)
    with pytest.raises(ValueError, match="--files"):
        local_socket.serve(tmp_path / "s", lambda letters, close: ((), (), True))


@needs_sockets
def test_a_file_in_the_place_of_a_socket_stays(tmp_path):
    (tmp_path / "s").write_text("mine")
    with pytest.raises(ValueError, match="free"):
        local_socket.serve(tmp_path / "s", lambda letters, close: ((), (), True))
    assert (tmp_path / "s").read_text() == "mine"


def test_a_saved_plan_gets_keys_and_a_run_by_a_command(tmp_path, capsys):
    consortium = Consortium(tmp_path)
    keys = dict(consortium.plan.keys)
    from dataclasses import replace

    bare = replace(consortium.plan, keys=None, draw=None, threshold=None)
    (tmp_path / "saved.json").write_text(bare.text())
    given = [f"{name}={key}" for name, key in keys.items()]
    out = str(tmp_path / "plan.json")
    assert main(["plan", str(tmp_path / "saved.json"), *given, "--out", out]) == 0
    assert Plan.read((tmp_path / "plan.json").read_bytes()) == consortium.plan
    assert main(["plan", out, "--run", "2", "--out", out]) == 0
    assert Plan.read((tmp_path / "plan.json").read_bytes()) == replace(consortium.plan, run="2")
    capsys.readouterr()
    unnamed = tmp_path / "unnamed.json"
    unnamed.write_text(replace(bare, columns=None).text())
    for command in (
        ["plan", str(unnamed), *given, "--out", str(tmp_path / "no")],
        consent_to(unnamed, consortium),
    ):
        assert main(command) == 2 and "own table" in capsys.readouterr().err
    for wrong, words in ((given[:-1], "keys"), ([*given[:-1], "aggregator=00"], "keys"), (["x"], "NAME=KEY")):
        assert main(["plan", str(tmp_path / "saved.json"), *wrong, "--out", str(tmp_path / "no")]) == 2
        assert words in capsys.readouterr().err and not (tmp_path / "no").exists()


def consent_to(plan, consortium):
    return ["site", "consent", str(consortium.folder(0)), str(plan), str(plan), "--yes"]


def test_too_few_are_said_in_a_sentence(tmp_path, capsys):
    consortium = Consortium(tmp_path)
    _, leads = folders(consortium, tmp_path / "drive", ())
    assert main([*map(str, leads), "--once", "--close"]) == 2
    assert "sites must join" in capsys.readouterr().err


def test_files_work_where_posix_does_not(tmp_path):
    """As on Windows: no fcntl, no os.fsync of folders; a socket is refused by name."""
    consortium = Consortium(tmp_path, sites=3, dropouts=0)
    for s, table in enumerate(consortium.tables):
        desk = consortium.desk(s)
        desk.set_ceiling(**CEILING)
        desk.consent(consortium.plan, table)
    runs, leads = folders(consortium, tmp_path / "drive", range(3))
    program = f"""
import sys, types
import core.desk.commands
sys.modules["fcntl"] = None
msvcrt = types.ModuleType("msvcrt"); msvcrt.LK_LOCK = 1; msvcrt.locking = lambda *given: None
sys.modules["msvcrt"] = msvcrt
import socket
if hasattr(socket, "AF_UNIX"): del socket.AF_UNIX
from core.desk.commands import main
for _ in range(9):
    for command in {[[*map(str, c), "--once"] for c in [*runs, leads]]!r}:
        assert main(command) == 0
sys.exit(main({[*map(str, runs[0][:3]), "--socket", "x"]!r}))
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.returncode == 2 and "--files" in told.stderr, told.stderr
    assert consortium.centre().phase == "done"
