"""What whoever owns the drive puts into the folders: links, pipes, devices, altered letters."""

import os
import sys
from dataclasses import replace

import pytest
from desks import CEILING, Consortium

from core.desk import records
from core.desk.commands import main
from core.desk.files import Folders
from core.desk.running import centre_round, site_round

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are POSIX's")


def folders(tmp_path):
    return Folders(tmp_path / "in", tmp_path / "out")


def test_a_link_in_the_place_of_a_letter_leads_nowhere(tmp_path, monkeypatch):
    """Neither a guessed name aside nor the letter's own writes into what it points at."""
    mine = tmp_path / "ledger"
    mine.write_bytes(b"mine")
    pipe = folders(tmp_path)
    pipe.put([b"letter"])
    (letter,) = pipe.outbox.iterdir()
    letter.unlink()
    (pipe.outbox / f".{letter.name}.{os.getpid()}.new").symlink_to(mine)
    letter.symlink_to(mine)
    pipe.put([b"letter"])
    assert mine.read_bytes() == b"mine" and letter.read_bytes() == b"letter" and not letter.is_symlink()
    # Even a name that was guessed is refused, and not followed.
    monkeypatch.setattr(records.secrets, "token_hex", lambda size: "guessed")
    (pipe.outbox / ".guessed.new").symlink_to(mine)
    with pytest.raises(FileExistsError):
        records.whole(pipe.outbox / "x", b"letter")
    assert mine.read_bytes() == b"mine"


def test_pipes_devices_links_and_folders_are_no_letters(tmp_path):
    pipe = folders(tmp_path)
    pipe.put([b"whole"], pipe.inbox)
    (whole,) = pipe.inbox.iterdir()
    os.mkfifo(pipe.inbox / ("0" * 64 + "-0.letter"))
    (pipe.inbox / ("1" * 64 + "-5.letter")).mkdir()
    (pipe.inbox / ("2" * 64 + "-5.letter")).symlink_to("/dev/zero")
    (pipe.inbox / whole.name.replace("-5.", "-05.")).symlink_to(whole)
    count = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else None
    for _ in range(3):  # A pipe without a writer would hold up who opens it.
        assert list(pipe.waiting()) == [(whole.name, b"whole")]
    assert count is None or len(os.listdir("/proc/self/fd")) == count


@pytest.mark.parametrize("data", [b"junk", b"lettex", b""])
def test_an_altered_letter_in_the_outbox_is_written_again(tmp_path, data):
    pipe = folders(tmp_path)
    pipe.put([b"letter"])
    (letter,) = pipe.outbox.iterdir()
    letter.write_bytes(data)
    pipe.put([b"letter"])
    assert letter.read_bytes() == b"letter" and list(pipe.outbox.iterdir()) == [letter]


def test_a_size_is_bounded_before_anything_is_read(tmp_path, monkeypatch):
    from core.desk import files

    monkeypatch.setattr(files, "MOST_BYTES", 5)
    pipe = folders(tmp_path)
    pipe.put([b"small", b"larger"], pipe.inbox)
    assert [data for _, data in pipe.waiting()] == [b"small"]
    with pytest.raises(OSError, match="at most 5 bytes"):
        records.read(next(path for path in pipe.inbox.iterdir() if "-6." in path.name), most=5)


def test_a_folder_in_the_place_of_a_letter_is_told_by_name_and_the_desk_goes_on(tmp_path, capsys):
    """Its other plans go on at once, and this one as soon as the place is free; also in a program that begins anew."""
    own = Consortium(tmp_path, sites=2, dropouts=0)
    own.desk(0).set_ceiling(**CEILING | {"epsilon": 4.0})
    plans = [own.plan, replace(own.plan, run="2")]
    for plan in plans:
        own.desk(0).consent(plan, own.tables[0])
    pipe = Folders(tmp_path / "down/site-0", tmp_path / "up")
    site_round(own.desk(0), pipe)
    first, second = sorted(pipe.outbox.iterdir())
    first.unlink()
    first.mkdir()
    second.unlink()
    run = ["site", "run", str(own.folder(0)), "--files", str(pipe.inbox), str(pipe.outbox), "--once"]
    for _ in range(2):
        assert main(run) == 0
        told = capsys.readouterr().err
        assert f"{first} must be free" in told and "folder" in told and second.is_file()
    again = Folders(pipe.inbox, pipe.outbox)
    assert site_round(own.desk(0), again).refused
    first.rmdir()
    assert not site_round(own.desk(0), again).refused and first.is_file()


@pytest.mark.parametrize("thing", ["folder for a letter", "file for a folder", "lost link for a folder"])
def test_one_site_whose_folder_is_taken_keeps_no_other_from_its_letters(tmp_path, thing):
    own = Consortium(tmp_path, sites=3, dropouts=0).agree()
    here = Folders(tmp_path / "up", tmp_path / "down")
    here.put([data for s in range(3) for data in own.desk(s).begin(own.plan)], here.inbox)
    place = here.outbox / "site-0"
    if thing == "folder for a letter":
        shadow = Folders(tmp_path / "up", tmp_path / "shadow")
        centre_round(own.centre(), shadow)  # What the letter is called.
        (letter,) = (shadow.outbox / "site-0").iterdir()
        taken = place / letter.name
        taken.mkdir(parents=True)
    else:
        taken = place
        taken.write_text("x") if thing[0] == "f" else taken.symlink_to("nowhere")
    centre = own.centre()
    found = centre_round(centre, here)
    assert found.taken == 3 and any(f"{taken} must be free" in words for words in found.refused)
    assert [len(list((here.outbox / f"site-{s}").iterdir())) for s in (1, 2)] == [1, 1]
    taken.rmdir() if taken.is_dir() else taken.unlink()
    assert not centre_round(centre, here).refused and len(list(place.iterdir())) == 1
