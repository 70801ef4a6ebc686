"""Sweeps and uploads where the system has less: what Windows does not have is taken away from every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from core import pca, sweep

ROOT = Path(__file__).resolve().parents[1]

# Python imports this module first, here and in each process that is started from here.
LESS = """
import builtins, io, os, pathlib, signal, subprocess, sys, tempfile

sys.modules["resource"] = None
for module, names in ((os, ("memfd_create", "setsid", "sysconf")), (signal, ("alarm", "setitimer", "SIGALRM"))):
    for name in names:
        delattr(module, name)

opened, stat, readlink, unlink, temporary = io.open, os.stat, os.readlink, os.unlink, tempfile.NamedTemporaryFile
listed, start = os.listdir, subprocess.Popen.__init__
temporaries = {}


def allowed(path):
    if isinstance(path, (str, os.PathLike)):
        if os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(f"this system has no {path}")
        if not getattr(temporaries.get(os.fspath(path)), "closed", True):
            raise PermissionError(f"{path} is open already")


def guarded(function):
    def call(path, *given, **options):
        allowed(path)
        return function(path, *given, **options)

    return call


def made(*given, **options):
    file = temporary(*given, **options)
    temporaries[file.name] = file.file
    return file


def used(path):
    for process in filter(str.isdigit, listed("/proc")):
        try:
            with opened(f"/proc/{process}/maps") as file:
                if path in file.read():
                    return True
        except OSError:
            pass
    return False


def removed(path, *given, **options):
    if os.path.basename(os.fspath(path)).startswith("cape-lab") and used(os.fspath(path)):
        raise PermissionError(f"{path} is in use")
    return unlink(path, *given, **options)


def started(self, *given, **options):
    assert not options.get("start_new_session")
    return start(self, *given, **options)


builtins.open = io.open = guarded(opened)
os.stat, os.readlink = guarded(stat), guarded(readlink)
os.unlink = os.remove = removed
tempfile.NamedTemporaryFile = made
subprocess.Popen.__init__ = started
"""

SWEEP = """
import json, os
from functools import partial

import numpy as np

from core import pca, sweep
from core.sweep.workers.segments import ANONYMOUS

assert not ANONYMOUS


def load(records, settings):
    np.save(f"{os.getpid()}.npy", [])
    return list(records), None


if __name__ == "__main__":
    problem = pca.Problem(partial(load, np.load("records.npy")), data_settings=())
    cells = sweep.grid(epsilon=[1.0, 10.0], delta=1e-5, k=2)
    study = {"schemes": ("nonprivate", "cape"), "repeats": 2, "seed": 1}
    rows = sweep.run(problem, cells, executor=sweep.warm(1), **study)
    assert not os.path.exists(f"{os.getpid()}.npy")  # It was computed in the other process.
    print(json.dumps(list(rows["energy"])))
"""

UPLOAD = """
import json, os

from data.upload import Limits, UploadError
from data.upload.apart import Parser

LINES = b"some words\\n" * 90_000


def refused(parser, count):
    try:
        parser.read([LINES] * count, "a.txt", limits=Limits(rows=10**7))
    except UploadError:
        return True
    return False


if __name__ == "__main__":
    parser, narrow = Parser(seconds=0.3), Parser(memory=60_000_000)
    table = parser.read([b"a,b\\n1,x\\n", b"2.5,y\\n"], "a.csv").found
    first = parser.pid
    again = parser.read([b"one\\n\\ntwo\\n"], "a.txt").found
    found = {"a": list(table.frame["a"]), "b": list(table.frame["b"]), "texts": again.texts}
    found["apart"] = first is not None and first != os.getpid() and parser.pid == first
    found["late"], found["narrow"] = refused(parser, 12), refused(narrow, 12)
    found["after"] = parser.read([b"b\\n"], "b.txt").found.texts
    parser.close(), narrow.close()
    print(json.dumps(found))
"""

PROCESSES = """
import os

del os.fork
import tornado.process

before = tornado.process.fork_processes
from dashboard.__main__ import check
from dashboard.compat.server.child_processes import end_with_parent

end_with_parent()
assert tornado.process.fork_processes is before
try:
    check(["--num-procs", "2"])
except ValueError as error:
    print(error)
"""


@pytest.fixture
def printed(tmp_path):
    """What a program prints where the system has less."""

    def run(program):
        (tmp_path / "less").mkdir()
        (tmp_path / "temporary").mkdir()
        (tmp_path / "less" / "sitecustomize.py").write_text(LESS, encoding="utf-8")
        (tmp_path / "program.py").write_text(textwrap.dedent(program), encoding="utf-8")
        places = {
            "PYTHONPATH": os.pathsep.join((str(tmp_path / "less"), str(ROOT))),
            "TMPDIR": str(tmp_path / "temporary"),
        }
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env=os.environ | places | {"CAPE_LAB_WORKERS": "1", "OMP_NUM_THREADS": "1"},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_sweep_with_a_process_gives_the_same_numbers_and_leaves_no_file(printed, tmp_path):
    records = np.random.default_rng(0).standard_normal((4, 300, 12))
    records /= 1.001 * np.linalg.norm(records, axis=2, keepdims=True)
    np.save(tmp_path / "records.npy", records)
    there = json.loads(printed(SWEEP))
    problem = pca.Problem(lambda settings: (list(records), None), data_settings=())
    cells = sweep.grid(epsilon=[1.0, 10.0], delta=1e-5, k=2)
    here = sweep.run(problem, cells, schemes=("nonprivate", "cape"), repeats=2, seed=1)
    assert there == list(here["energy"])
    assert not list((tmp_path / "temporary").glob("cape-lab*"))


@pytest.mark.slow
def test_files_are_read_apart_and_what_takes_too_long_or_too_much_is_refused(printed):
    found = json.loads(printed(UPLOAD))
    assert (found["a"], found["b"], found["texts"]) == ([1.0, 2.5], ["x", "y"], ["one", "two"])
    assert found["apart"] and found["late"] and found["narrow"] and found["after"] == ["b"]


def test_a_server_of_several_processes_is_refused_by_name(printed):
    assert "--num-procs" in printed(PROCESSES)
