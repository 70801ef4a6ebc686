"""How `examples/flower/run.py` starts Flower: TLS, authenticated nodes, and nothing from an index at run time."""

import importlib.util
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[2] / "examples/flower/run.py"
SAFE = {
    "--enable-supernode-auth",
    "--disable-runtime-dependency-installation",
    "--ssl-certfile",
    "--ssl-keyfile",
}
NODE = {"--auth-supernode-private-key", "--root-certificates"}


def commands(folder, program):
    """What it would start for two sockets, without starting anything."""
    spec = importlib.util.spec_from_file_location("flower_run", program)
    run = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(run)
    found = []
    run.start = lambda command, *more: found.append(list(map(str, command)))
    run.wait_for = run.stop = lambda *given: None

    def told(command, *more):
        found.append(list(map(str, command)))
        if command[:2] == ["flwr", "run"]:
            (folder / "centre.took").write_text("{}")

    run.told = told
    for number in range(2):
        (folder / f"site-{number}.sock").touch()
    run.run(folder, PLACE.parent, "close=false")
    return found


def safe(found):
    """Whether every program of the list is started as the guide says."""
    link, *rest = found
    nodes = [one for one in rest if one[0] == "flower-supernode"]
    told = [one for one in rest if one[:2] == ["flwr", "supernode"]]
    return (
        set(link) >= SAFE
        and len(nodes) == len(told) == 2
        and all(set(one) >= NODE for one in nodes)
        and not any("insecure" in word for one in found for word in one)
    )


def test_the_link_and_its_nodes_are_started_safely(tmp_path):
    found = commands(tmp_path, PLACE)
    assert found[0][0] == "flower-superlink" and safe(found)
    for key in tmp_path.glob(".flower/node-?"):
        assert key.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("flag", sorted({*SAFE, *NODE} - {"--ssl-keyfile"}))
def test_a_flag_that_is_left_out_is_found(tmp_path, flag):
    """The planted fault, in a copy of the program."""
    changed = tmp_path / "run.py"
    changed.write_text(PLACE.read_text().replace(f'"{flag}"', '"--verbose"'))
    assert not safe(commands(tmp_path, changed))
