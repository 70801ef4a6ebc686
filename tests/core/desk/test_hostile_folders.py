"""What whoever owns the drive puts into the folders: links, pipes, devices, altered letters."""

import os
import sys

import pytest

from core.desk import records
from core.desk.files import Folders

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
