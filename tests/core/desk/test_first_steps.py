"""What a newcomer meets at the first commands: folders that others may open, no terminal, who has not signed."""

import io
import os
import stat
import sys

import pytest
from desks import CEILING, Consortium

from core.desk import Centre, Desk
from core.desk.commands import main
from core.desk.files import Folders
from core.desk.ledger import now
from core.desk.running import site_round

posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@posix
@pytest.mark.parametrize("command", [["site", "init"], ["aggregate", "--init"]])
def test_a_folder_that_others_may_open_gets_no_key(tmp_path, capsys, command):
    folder = tmp_path / "desk a"
    folder.mkdir()
    folder.chmod(0o755)
    assert main([*command, str(folder)]) == 2 and not list(folder.iterdir())
    told = capsys.readouterr().err
    assert "mode 0700" in told and f"chmod 700 '{folder}'" in told
    folder.chmod(0o700)
    assert main([*command, str(folder)]) == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@posix
@pytest.mark.parametrize("name, mode", [("ledger", 0o666), ("ledger", 0o640), ("key", 0o604), (".", 0o750)])
def test_a_desk_whose_files_others_may_open_says_so_and_does_nothing(tmp_path, capsys, name, mode):
    folder = tmp_path / "desk"
    Desk.init(folder)
    (folder / name).chmod(mode)
    before = (folder / "ledger").read_bytes()
    ceiling = ["site", "ceiling", str(folder), "2,1e-5", "--reason", "x"]
    assert main(ceiling) == 2 and (folder / "ledger").read_bytes() == before
    assert f"got mode {mode:04o}" in capsys.readouterr().err
    (folder / name).chmod(0o700 if name == "." else 0o600)
    assert main(ceiling) == 0


@posix
def test_a_centre_whose_folder_others_may_open_says_so(tmp_path):
    own = Consortium(tmp_path, sites=2, dropouts=0)
    (tmp_path / "centre").chmod(0o755)
    with pytest.raises(
        ValueError, match=r"centre must be open to its owner alone .mode 0700., got mode 0755"
    ):
        Centre(tmp_path / "centre", own.plan)


def test_consent_without_a_terminal_says_what_to_do(tmp_path, monkeypatch, capsys):
    own = Consortium(tmp_path, sites=2, dropouts=0)
    own.desk(0).set_ceiling(**CEILING)
    (tmp_path / "p.json").write_text(own.plan.text())
    (tmp_path / "r.csv").write_text("stay\n" + "".join(f"{x}\n" for (x,) in own.tables[0]))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    command = ["site", "consent", str(own.folder(0)), str(tmp_path / "p.json"), str(tmp_path / "r.csv")]
    assert main(command) == 2 and "--yes" in capsys.readouterr().err
    assert not own.desk(0).plans()
    assert main([*command, "--yes"]) == 0


@pytest.mark.parametrize("spent", [True, False])
def test_a_release_beyond_the_year_is_refused_in_epsilon_before_anybody_compares_words(
    tmp_path, monkeypatch, capsys, spent
):
    own = Consortium(tmp_path, sites=2, dropouts=0)
    desk = own.desk(0)
    if spent:
        desk.set_ceiling(epsilon=1.1, delta=1e-5, reason="x")
        with desk.ledger.locked() as ledger:
            ledger.add("spent", time=now(), plan="p", run="1", mu=0.3)
    (tmp_path / "p.json").write_text(own.plan.text())
    (tmp_path / "r.csv").write_text("stay\n" + "".join(f"{x}\n" for (x,) in own.tables[0]))
    monkeypatch.setattr("builtins.input", lambda words: pytest.fail("it asks"))
    assert (
        main(["site", "consent", str(own.folder(0)), str(tmp_path / "p.json"), str(tmp_path / "r.csv")]) == 2
    )
    told = capsys.readouterr()
    assert not told.out and " mu " not in told.err
    assert ("epsilon 1.1 at delta 1e-05" if spent else "site ceiling") in told.err


def test_the_aggregator_says_who_has_not_signed(tmp_path, capsys):
    """Of four sites h3 looks no more after it helped to unmask."""
    own = Consortium(tmp_path, sites=4).agree()
    up, down = tmp_path / "up", tmp_path / "down"
    (tmp_path / "p.json").write_text(own.plan.text())
    command = ["aggregate", str(tmp_path / "p.json"), str(tmp_path / "centre"), "--once"]
    told = []
    for _ in range(7):
        for s in range(4):
            if s < 3 or not (told and told[-1].startswith("phase done")):
                site_round(own.desk(s), Folders(down / f"site-{s}", up))
        assert main([*command, "--files", str(up), str(down)]) == 0
        told.append(capsys.readouterr().out.splitlines()[0])
    assert "phase done; signed by 0 of 4 sites, too few for a receipt; not signed by h0, h1, h2, h3" in told
    assert told[-1] == "phase done; signed by 3 of 4 sites, enough for a receipt; not signed by h3"
