"""Carry out the plans of a folder in Flower: python examples/flower/run.py FOLDER [processes].

Without "processes", Flower simulates the nodes. With it, a SuperLink and a SuperNode for each site run as processes of
this machine, as they would on machines of their own.
"""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATHS = [str(HERE), str(HERE.parent), str(HERE.parents[1])]
SECONDS = 900  # After which the processes are stopped.


def environment(folder: Path) -> dict[str, str]:
    """Where the nodes find this app, the package and the plans; Flower tells nobody that it runs."""
    path = os.pathsep.join([*PATHS, os.environ.get("PYTHONPATH", "")])
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    quiet = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_UPDATE_CHECK": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    own = {
        "PATH": programs,
        "PYTHONPATH": path,
        "CAPE_FOLDER": str(folder),
        "FLWR_HOME": str(folder / ".flower"),
    }
    return quiet | {"OMP_NUM_THREADS": "1"} | own


def simulate(folder: Path, nodes: int) -> None:
    """Run server and clients in Flower's simulation."""
    os.environ |= environment(folder)
    sys.path[:0] = PATHS
    from flwr.simulation import run_simulation
    from plan_app import client, server

    cores = {"client_resources": {"num_cpus": 1, "num_gpus": 0}}
    run_simulation(server.app, client.app, num_supernodes=nodes, backend_config=cores)


def run_processes(folder: Path, nodes: int) -> None:
    """Run a SuperLink and SuperNodes, submit the app, and stop them when it has written its results."""
    link_port, *own = free_ports(1 + nodes)
    configure(folder / ".flower", link_port)
    started: list[subprocess.Popen] = []
    try:
        with (folder / "flower.log").open("w") as log:
            started += [start(command, folder, log) for command in services(folder, link_port, own)]
            wait_for(link_port, started[0])
            order = program(["flwr", "run", str(HERE), "here", "--run-config", f'folder="{folder}"'])
            subprocess.run(order, env=os.environ | environment(folder), check=True, timeout=60, stdout=log)
            wanted = [path.with_suffix(".took") for path in folder.glob("plan*.json")]
            end = time.time() + SECONDS
            while not all(path.exists() for path in wanted):
                if time.time() > end:
                    raise TimeoutError(f"the plans took more than {SECONDS} s; see {folder / 'flower.log'}")
                time.sleep(0.2)
    finally:
        for process in reversed(started):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)  # With the programs that it started itself.
        for process in started:
            process.wait(20)


def services(folder: Path, link_port: int, own: list[int]) -> list[list[str]]:
    """The commands of the SuperLink and of a SuperNode for each site."""
    here = ["--host", "127.0.0.1", "--port"]
    link = [
        "flower-superlink",
        "--insecure",
        *here,
        str(link_port),
        "--disable-runtime-dependency-installation",
    ]
    node = ["flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{link_port}", *here]
    about = [f'partition-id={s} folder="{folder}"' for s in range(len(own))]
    return [link, *([*node, str(port), "--node-config", a] for port, a in zip(own, about, strict=True))]


def configure(home: Path, port: int) -> None:
    """Tell the program `flwr` where the SuperLink listens."""
    home.mkdir(exist_ok=True)
    here = f'[superlink.here]\naddress = "127.0.0.1:{port}"\ninsecure = true\n'
    (home / "config.toml").write_text(f'[superlink]\ndefault = "here"\n\n{here}')


def start(command, folder, log) -> subprocess.Popen:
    """Start one of Flower's programs."""
    return subprocess.Popen(
        program(command),
        env=os.environ | environment(folder),
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def program(command: list[str]) -> list[str]:
    """A command of this environment."""
    return [str(Path(sys.executable).parent / command[0]), *command[1:]]


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses at the moment."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Wait until somebody listens."""
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError("the SuperLink ended; see flower.log")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the SuperLink did not listen within a minute")


def main() -> None:
    """Run what the command line asks for."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # The processes below are stopped on the way out.
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=lambda text: Path(text).resolve())
    asked.add_argument("mode", nargs="?", choices=["processes"])
    given = asked.parse_args()
    folder, nodes = given.folder, len(list(given.folder.glob("site-*.csv")))
    if not nodes:
        sys.exit(f"{folder} must hold site-0.csv, site-1.csv, …, it has none")
    for old in folder.glob("plan*.took"):
        old.unlink()
    try:
        (run_processes if given.mode else simulate)(folder, nodes)
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        sys.exit(f"run.py: {error}")
    for path in sorted(folder.glob("plan*.took")):
        print(path.stem, path.read_text())


if __name__ == "__main__":
    main()
