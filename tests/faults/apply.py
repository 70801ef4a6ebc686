"""Make each of the twenty faults in a scratch copy of the source, and say which test catches it, and after how long.

    python tests/faults/apply.py             the test file that each names
    python tests/faults/apply.py --whole     the whole suite without a browser, until the first failure
    python tests/faults/apply.py --only √2   the faults whose name holds these letters

It ends with 1 if a fault is not caught, if its text is no longer found, or if its tests fail without it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]
_LEFT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", "*.ipynb_checkpoints", "dist", "build"
)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def tested(copy: Path, *tests: str) -> tuple[str, float]:
    """The first test that fails, "" if none does, and the seconds until then."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        "not browser",
        "-p",
        "no:cacheprovider",
        *tests,
    ]
    environment = {**os.environ, "PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1"}
    begun = time.monotonic()
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    found = _FAILED.search(done.stdout)
    if done.returncode not in (0, 1) and found is None:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    return found[1] if found else "", time.monotonic() - begun


def caught(copy: Path, fault: Fault, *tests: str) -> tuple[str, float]:
    """What `tested` finds with a fault; the copy is as before afterwards."""
    path = copy / fault.file
    text = path.read_text()
    if text.count(fault.old) != 1:
        return f"its text is in {fault.file} {text.count(fault.old)} times", -1.0
    path.write_text(text.replace(fault.old, fault.new))
    try:
        return tested(copy, *tests)
    finally:
        path.write_text(text)


def main() -> int:
    """Try the faults and print a line of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--whole", action="store_true", help="run the whole suite without a browser for each")
    parser.add_argument("--only", default="", help="letters of the names of the faults to try")
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if options.only in fault.name]
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder) / "copy", ignore=_LEFT)
        files = [] if options.whole else sorted({fault.tests for fault in chosen})
        if broken := tested(copy, *files)[0]:
            print(f"without any fault, {broken} fails")
            return 1
        for fault in chosen:
            test, seconds = caught(copy, fault, *([] if options.whole else [fault.tests]))
            missed += not test or seconds < 0
            print(f"{seconds:6.1f} s  {fault.name}: {test or 'NOT CAUGHT'}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} faults are caught")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
