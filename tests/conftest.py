"""Settings of the whole suite, and the server and the Chromium of its browser tests."""

from __future__ import annotations

import gc
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from hypothesis import settings

try:
    import fcntl
except ModuleNotFoundError:  # On Windows each worker starts a server.
    fcntl = None

ROOT = Path(__file__).resolve().parents[1]
# The same examples in every run, and no time limit on one of them: the machine may be busy.
settings.register_profile("suite", deadline=None, derandomize=True, database=None)
settings.load_profile("suite")
# One thread of linear algebra a process: each worker of the tests has a core.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Runs are computed in a thread, also in the servers that tests start; tests of worker processes ask for them.
os.environ.setdefault("CAPE_LAB_WORKERS", "threads")
# Tests start many processes. Without this, each would compile all modules anew where an image forbids the cache.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Once it is there, jsonschema makes a parser of it, for two seconds; here nobody checks the form of an address.
sys.modules.setdefault("rfc3987_syntax", None)
# Test modules are imported once and stay: looking for garbage while that goes on finds none.
gc.disable()
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A browser's condition: the live page stands, and the static picture that came before it is gone.
STANDS = (
    "() => window.Bokeh?.index?.roots?.length > 0 && Bokeh.index.roots[0].is_idle "
    "&& !document.getElementById('first-picture')"
)
# Chromium's build without windows comes first, for it takes a quarter less time for a page.
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def pytest_addoption(parser):
    """Options of this suite."""
    parser.addoption(
        "--all-addresses", action="store_true", help="replay all recorded addresses, not a sample"
    )
    parser.addoption(
        "--slow", action="store_true", help="run what takes long, too: whole reproductions, load, soak"
    )
    parser.addoption("--golden", action="store_true", help="write what pages say to tests/words anew")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note on a test that it failed: what it leaves in a browser is not used again."""
    report = yield
    # An attribute: a key of the stash that a test's folder imports is another one than this module's.
    item.has_failed = getattr(item, "has_failed", False) or report.failed
    return report


def pytest_collection_modifyitems(config, items):
    """Whatever uses a browser can be left out with `-m "not browser"`; what is slow runs by `--slow` alone."""
    for item in items:
        if "chromium_path" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    if not config.getoption("--slow"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish():
    """What was imported stays: collecting garbage need not look through it before every page that is built."""
    from dashboard.compat.widgets.model_defaults import remember_defaults

    remember_defaults()  # As the app does.
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _nothing_known():
    """No test finds what another one computed."""
    known = sys.modules.get("dashboard.runs.known")
    if known is not None:
        known.KNOWN.clear()


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Chromium of the system; without one the browser tests are skipped, in CI they fail."""
    path = found_chromium()
    if path is None:
        reason = f"no Chromium found: none of {', '.join(CHROMIUMS)} on the PATH, and CHROMIUM is not set"
        pytest.fail(reason) if os.environ.get("CI") == "true" else pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The address of a running app, started as a user starts it: one for all workers of a run."""
    folder = tmp_path_factory.getbasetemp()
    if fcntl and "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # That of the run, which its workers share.
    address = folder / "server-address"
    with (folder / "server-used").open("w") as used, (folder / "server-start").open("w") as start:
        lock(used, "LOCK_SH")  # As long as somebody holds it, the server runs.
        lock(start, "LOCK_EX")
        process = None if address.exists() else _started(address, folder / "server-log")
        lock(start, "LOCK_UN")
        yield address.read_text()
        if process is not None:
            lock(used, "LOCK_EX")  # Once the last worker has let go of it.
            address.unlink()
            process.terminate()
            process.wait(timeout=20)


def lock(file, kind: str) -> None:
    """Lock a file against other processes, or unlock it; where that is not possible, nothing is shared."""
    if fcntl:
        fcntl.flock(file, getattr(fcntl, kind))


def _started(address: Path, log: Path) -> subprocess.Popen:
    """A server in a process of its own, whose address is written once it answers."""
    port = free_port()
    command = [sys.executable, "-m", "dashboard", "--no-show", "--port", str(port)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "BOKEH_RESOURCES": "server"}
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env=environment)
    try:
        wait_for(f"http://127.0.0.1:{port}/dashboard", process, log)
    except BaseException:
        process.kill()
        raise
    address.write_text(f"http://127.0.0.1:{port}")
    return process


def found_chromium() -> str | None:
    """The path of Chromium: what the variable CHROMIUM says, or the first that the system has."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(address: str, process: subprocess.Popen, log: Path, *, seconds: float = 300) -> None:
    """Wait until the server answers; say what it wrote if it does not. A busy machine imports it for minutes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=10) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"the server did not answer at {address}:\n{log.read_text()}")
