"""A SuperLink with TLS and node authentication, and a SuperNode for each desk, on this machine: run.py FOLDER [--close].

FOLDER holds the sockets of the desks, `site-0.sock`, `site-1.sock`, …, and `centre.sock`: see docs/federated.md.
"""

import argparse
import contextlib
import datetime
import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HERE, SECONDS = Path(__file__).resolve().parent, 900


def environment(folder: Path, app: Path) -> dict[str, str]:
    """Where nodes find the app; Flower tells nobody that it runs."""
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    quiet = {"FLWR_TELEMETRY_ENABLED": "0", "FLWR_UPDATE_CHECK": "0"}
    return (
        os.environ | quiet | {"PATH": programs, "PYTHONPATH": str(app), "FLWR_HOME": str(folder / ".flower")}
    )


def certificate(folder: Path) -> None:
    """A certificate of its own for 127.0.0.1."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name.from_rfc4514_string("CN=localhost")
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now).not_valid_after(now + datetime.timedelta(days=30))
    made = made.add_extension(x509.SubjectAlternativeName(names), False)
    made = made.add_extension(x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256())
    (folder / "server.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private(folder / "server.key", key, serialization.PrivateFormat.TraditionalOpenSSL)


def private(path: Path, key, kind) -> None:
    """A secret key in a file that its owner alone reads."""
    none = serialization.NoEncryption()
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, kind, none))


def node_key(folder: Path, number: int) -> Path:
    """A key for a node's authentication."""
    key, path = ec.generate_private_key(ec.SECP384R1()), folder / f"node-{number}"
    private(path, key, serialization.PrivateFormat.OpenSSH)
    form = serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    path.with_suffix(".pub").write_bytes(key.public_key().public_bytes(*form))
    return path


def run(folder: Path, app: Path, more: str) -> None:
    """Start the programs, submit the app with `more` of its configuration, and stop them when it has ended."""
    home, sockets = folder / ".flower", sorted(folder.glob("site-*.sock"))
    home.mkdir(exist_ok=True)
    certificate(home)
    port, *own = free_ports(1 + len(sockets))
    link = f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "127.0.0.1:{port}"\n'
    (home / "config.toml").write_text(link + f'root-certificates = "{home / "server.pem"}"\n')
    started: list[subprocess.Popen] = []
    with (folder / "flower.log").open("w") as log, contextlib.ExitStack() as stack:
        stack.callback(stop, started)
        around = environment(folder, app), log
        tls = ["--ssl-certfile", home / "server.pem", "--ssl-keyfile", home / "server.key"]
        tls += ["--ssl-ca-certfile", home / "server.pem"]
        safe = ["--enable-supernode-auth", "--disable-runtime-dependency-installation"]
        started.append(start(["flower-superlink", *tls, "--port", port, *safe], *around))
        wait_for(port, started[0])
        for number, (path, place) in enumerate(zip(sockets, own, strict=True)):
            key = node_key(home, number)
            told(["flwr", "supernode", "register", key.with_suffix(".pub"), "here"], *around)
            node = [
                "flower-supernode",
                "--superlink",
                f"127.0.0.1:{port}",
                "--root-certificates",
                home / "server.pem",
            ]
            node += ["--auth-supernode-private-key", key, "--port", place, "--host", "127.0.0.1", *tls]
            node += ["--node-config", f'number={path.stem.split("-")[1]} socket="{path}"']
            started.append(start(node, *around))
        config = f'centre="{folder / "centre.sock"}" nodes={len(sockets)} {more}'
        told(["flwr", "run", app, "here", "--run-config", config], *around)
        end = time.time() + SECONDS
        while not (folder / "centre.took").exists():
            if time.time() > end:
                raise TimeoutError(f"the plan took more than {SECONDS} s; see {folder / 'flower.log'}")
            time.sleep(0.2)


def program(command) -> list[str]:
    """A command of this environment."""
    return [str(Path(sys.executable).parent / command[0]), *map(str, command[1:])]


def start(command, environ, log) -> subprocess.Popen:
    """Start one of Flower's programs, with those that it starts itself."""
    return subprocess.Popen(program(command), env=environ, stdout=log, stderr=log, start_new_session=True)


def told(command, environ, log) -> None:
    """Run a command to its end."""
    subprocess.run(program(command), env=environ, stdout=log, stderr=log, check=True, timeout=120)


def stop(started) -> None:
    """Stop what was started."""
    for process in reversed(started):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
    for process in started:
        process.wait(30)


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses at the moment."""
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in held]


def wait_for(port: int, process: subprocess.Popen) -> None:
    """Wait until somebody listens."""
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError("the SuperLink ended; see flower.log")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise TimeoutError("the SuperLink did not listen within two minutes")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=lambda text: Path(text).resolve())
    asked.add_argument(
        "--close", action="store_true", help="end rounds without nodes that do not answer in time"
    )
    asked.add_argument(
        "--app", type=lambda text: Path(text).resolve(), default=HERE, help="another app's folder"
    )
    asked.add_argument("--config", default="", help="more of the app's configuration")
    given = asked.parse_args()
    (given.folder / "centre.took").unlink(missing_ok=True)
    run(given.folder, given.app, f"close={str(given.close).lower()} {given.config}")
    print((given.folder / "centre.took").read_text())
