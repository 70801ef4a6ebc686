"""Damaged files of a desk or a centre: refused by their name, without a traceback; other plans go on."""

import json
import os
import random
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from desks import CEILING, Consortium

from core.desk.commands import main
from core.desk.files import Folders
from core.desk.running import centre_round, site_round


def flipped(seed):
    def flip(data):
        draw, changed = random.Random(seed), bytearray(data)
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(7)
        return bytes(changed)

    return flip


def retyped(data):
    """The same names, with values of other types."""
    found = json.loads(data)
    return json.dumps(
        {name: {} if isinstance(value, list) else [1] for name, value in found.items()}
    ).encode()


def without(place):
    def fewer(data):
        found = json.loads(data)
        found.pop(sorted(found)[place % len(found)])
        return json.dumps(found).encode()

    return fewer


CONTENT = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "list": lambda data: b"[]",
    "object": lambda data: b"{}",
    "null": lambda data: b"null\n",
    "deep": lambda data: b"[" * 100_000,
    "nested": lambda data: b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "binary": lambda data: random.Random(1).randbytes(500),
    "types": retyped,
    **{f"without {n}": without(n) for n in range(3)},
    **{f"flip {n}": flipped(n) for n in range(4)},
}


def folder(path):
    path.unlink()
    path.mkdir()


def pipe(path):
    path.unlink()
    os.mkfifo(path)


def loop(path):
    path.unlink()
    path.symlink_to(path.name)


def huge(path):
    """A hole of more bytes than any file of a desk has; nobody reads them."""
    with path.open("r+b") as file:
        file.truncate(2**40)


KINDS = {"folder": folder, "pipe": pipe, "loop": loop, "huge": huge}
pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are POSIX's")


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Consortia of three sites with two plans, after so many looks of all programs at their folders."""
    found = {}
    for stage in (0, 2, 3, 6):
        root = tmp_path_factory.mktemp(f"base{stage}")
        consortium = Consortium(root, sites=3, dropouts=0)
        for s in range(3):
            consortium.desk(s).set_ceiling(**CEILING | {"epsilon": 4.0})
        consortium.agree()
        (root / "plan.json").write_text(consortium.plan.text())
        pipes = [Folders(root / f"drive/down/site-{s}", root / "drive/up") for s in range(3)]
        centre, here = consortium.centre(), Folders(root / "drive/up", root / "drive/down")
        for _ in range(stage):
            for s, one in enumerate(pipes):
                assert not site_round(consortium.desk(s), one).refused
            assert not centre_round(centre, here).refused
        consortium.agree(replace(consortium.plan, run="2"))
        found[stage] = consortium
    return found


def damaged(bases, tmp_path, stage, name, kind):
    """A copy of the stage in which files of this name are damaged, of the first plan where each plan has one."""
    root = tmp_path / "work"
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(bases[stage].root, root)
    first = bases[stage].plan.id[:32]
    paths = [path for path in root.glob(name.replace("PLAN", first)) if path.exists()]
    for path in paths:
        if kind in KINDS:
            KINDS[kind](path)
        else:
            try:
                data = CONTENT[kind](path.read_bytes())
            except ValueError:
                return root, []  # A change of JSON in what is none.
            path.write_bytes(data + b"\n" * (path.name == "ledger" and kind != "half"))
    return root, paths


class Hangs(BaseException):
    """No error that a command answers with a sentence."""


def said(capsys, *command):
    """Exit code and error output; a pipe without a writer would hold up who opens it."""

    def late(*_):
        raise Hangs(command)

    signal.signal(signal.SIGALRM, late)
    signal.alarm(10)
    try:
        code = main([str(word) for word in command])
    finally:
        signal.alarm(0)
    return code, capsys.readouterr().err


def look(capsys, root, site=2):
    files = root / f"drive/down/site-{site}", root / "drive/up"
    return said(capsys, "site", "run", root / f"site{site}", "--files", *files, "--once")


OF_ONE_PLAN = {
    "site2/plans/PLAN/plan.json": (0, 2),
    "site2/plans/PLAN/consent.json": (0,),
    "site2/plans/PLAN/records.npy": (0,),
    "site2/plans/PLAN/state": (2, 6),
}


@pytest.mark.parametrize("kind", [*CONTENT, *KINDS])
@pytest.mark.parametrize("name", OF_ONE_PLAN)
def test_a_damaged_file_of_one_plan_is_told_by_name_and_the_other_plan_goes_on(
    bases, tmp_path, capsys, name, kind
):
    for stage in OF_ONE_PLAN[name]:
        root, paths = damaged(bases, tmp_path, stage, name, kind)
        if not paths:
            continue
        other = replace(bases[stage].plan, run="2").id[:32]
        code, err = look(capsys, root)
        assert code == 0 and (root / f"site2/plans/{other}/state").exists(), (stage, err)
        if not kind.startswith(
            ("flip", "without")
        ):  # These may leave what is read, such as what has a default.
            of_file = Path(name).name in err
            assert of_file or "it was changed" in err or "were changed" in err, (stage, kind, err)


WHOLE = {
    "site2/key": ("empty", "half", "binary", *KINDS),
    "site2/ledger": ("half", "list", "object", "null", "deep", "nested", "binary", "types", *KINDS),
}


@pytest.mark.parametrize("name, kind", [(name, kind) for name, kinds in WHOLE.items() for kind in kinds])
def test_a_damaged_key_or_ledger_ends_the_desk_with_its_name(bases, tmp_path, capsys, name, kind):
    root, paths = damaged(bases, tmp_path, 2, name, kind)
    code, err = look(capsys, root)
    if kind == "half" and name == "site2/ledger":  # Lines that were cut off; the desk or others see it.
        assert code in (0, 2)
    elif paths:
        assert code == 2 and Path(name).name in err, err


@pytest.mark.parametrize("kind", [*CONTENT, *KINDS])
def test_what_a_desk_says_of_itself_is_read_by_name(bases, tmp_path, capsys, kind):
    root, _ = damaged(bases, tmp_path, 2, "site2/site.json", kind)
    code, err = said(capsys, "ledger", "verify", root / "site2")
    assert (code == 2 and "site.json" in err) or (code == 0 and kind.startswith(("flip", "without"))), (
        code,
        err,
    )


@pytest.mark.parametrize("kind", [*CONTENT, *KINDS])
@pytest.mark.parametrize("name", ["state", "plan.json", "../../heads.json", "receipt.json"])
def test_a_damaged_file_of_the_centre_is_told_by_name(bases, tmp_path, capsys, name, kind):
    for stage in (3, 6):
        root, paths = damaged(bases, tmp_path, stage, f"centre/runs/PLAN/{name}", kind)
        if not paths:
            continue
        files = root / "drive/up", root / "drive/down"
        code, err = said(
            capsys, "aggregate", root / "plan.json", root / "centre", "--files", *files, "--once"
        )
        assert code in (0, 2)
        if name == "receipt.json" and kind != "folder":  # It is written anew.
            assert code == 0 and json.loads(paths[0].read_bytes())["release"]
        elif name == "plan.json" and kind == "loop":  # That, too.
            assert json.loads(paths[0].read_bytes())["id"]
        elif not kind.startswith(("flip", "without")):
            assert Path(name).name in err or name == "../../heads.json", (stage, err)


@pytest.mark.parametrize("kind", KINDS)
def test_heads_of_others_that_are_no_file_are_refused_by_name(bases, tmp_path, capsys, kind):
    root, paths = damaged(bases, tmp_path, 3, "site2/heads.json", kind)
    assert paths
    code, err = look(capsys, root)
    assert code == 0 and "heads.json" in err


@pytest.mark.parametrize("kind", ["empty", "list", "null", "deep", "binary", *KINDS])
@pytest.mark.parametrize("word", ["plan", "keys", "receipt"])
def test_a_file_that_a_command_names_is_refused_by_a_sentence(bases, tmp_path, capsys, word, kind):
    root, _ = damaged(bases, tmp_path, 6, "plan.json" if word != "receipt" else "r.json", kind)
    receipt = root / "r.json"
    shutil.copy(next(root.glob("centre/runs/*/receipt.json")), receipt)
    if word == "receipt":
        KINDS[kind](receipt) if kind in KINDS else receipt.write_bytes(CONTENT[kind](b"x" * 9))
    (root / "r.csv").write_text("stay\n1\n")
    command = {
        "plan": ("site", "consent", root / "site2", root / "plan.json", root / "r.csv"),
        "keys": ("verify", receipt, "--keys", root / "plan.json"),
        "receipt": ("verify", receipt, "--keys", root / "plan.json"),
    }[word]
    code, err = said(capsys, *command)
    assert code == 2 and err.strip() and "Traceback" not in err
