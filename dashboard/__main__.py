"""`cape-lab` or `python -m dashboard`: open the app in a browser, or run a command of a pack."""

from __future__ import annotations

import json
import os
import pkgutil
import runpy
import socket
import subprocess
import sys
from pathlib import Path

from dashboard.compat.own_packages import require_own_packages

HELP = """usage: cape-lab [options of `panel serve`]
{commands}
Without a command it opens CAPE Lab in a browser. Common options:
  --port PORT          port to listen on (default 5006)
  --address ADDRESS    address to listen on (default: this machine only)
  --num-procs N        number of server processes, for a class or a consortium
  --workers N          number of processes that compute, for each server process (default: all cores but one);
                       "threads": none, a thread of the server computes
  --prefix /path       behind a reverse proxy
  --no-show            do not open a browser
  --os-entropy         secret noise seeds from the operating system, which no link or file contains
  --frame-ancestors "SITE ..."  sites that may show the app in a frame, e.g. https://moodle.example.org
  --help-all           every option of `panel serve`
"""
SECRET, FRAMES, WORKERS = "--os-entropy", "--frame-ancestors", "--workers"
# Options whose values are whole numbers, with the least and the largest.
NUMBERS = {
    "--port": (0, 65_535),
    "--num-procs": (0, 256) if hasattr(os, "fork") else (1, 1),
    "--check-unused-sessions": (1, 10**9),
    "--unused-session-lifetime": (1, 10**9),
    "--keep-alive": (1, 10**9),
}


def arguments(given: list[str]) -> list[str]:
    """The arguments of `panel serve`: the given ones, and defaults for the others."""
    given = _without(WORKERS, _without(FRAMES, given))
    show = "--no-show" not in given
    given = [option for option in given if option not in ("--no-show", SECRET)]
    names = {option.split("=")[0] for option in given}
    if show and "--show" not in names:
        given.append("--show")
    if "--address" not in names:
        given += ["--address", "127.0.0.1"]
    return ["serve", str(Path(__file__).parent), *given]


def check(given: list[str]) -> None:
    """Check the values of options that the server would take without a word, or fail at without one that helps.

    Raises
    ------
    ValueError
        If a number is none or out of its range, an option has no value, the address is not this machine's, or the
        file of accounts cannot be read.
    """
    for name in (WORKERS, FRAMES, "--address", "--basic-auth", *NUMBERS):
        if _value(name, given) == "":
            raise ValueError(f"{name} must be given with a value, got none")
    for name, (low, high) in NUMBERS.items():
        text = _value(name, given)
        if text is not None and not (text.isascii() and text.isdigit() and low <= int(text[:20]) <= high):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, got {text[:40]!r}")
    _check_address(_value("--address", given))
    _check_accounts(_value("--basic-auth", given))


def _check_address(text):
    try:
        socket.getaddrinfo(text or "127.0.0.1", None)
    except (OSError, UnicodeError):
        raise ValueError(
            f"--address must be an address or a name of this machine, got {text[:80]!r}"
        ) from None


def _check_accounts(text):
    """The library takes whatever is no file for everybody's password, and reads the file when somebody signs in."""
    if text is None:
        return
    try:
        found = json.loads(Path(text).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    texts = found.items() if isinstance(found, dict) else ()
    if not texts or not all(isinstance(password, str) for _, password in texts):
        raise ValueError(
            "--basic-auth must be a file that holds a JSON object of names and passwords, got one that is not"
        )


def open_secrets(given: list[str]) -> None:
    """Take noise seeds from the operating system if the option is given."""
    if SECRET in given:
        from dashboard.state.seeds import VARIABLE

        os.environ[VARIABLE] = "1"  # All processes of the server inherit it.


def allow_frames(given: list[str]) -> None:
    """Allow the named sites to show the app in a frame.

    Raises
    ------
    ValueError
        If one of them is not a valid site.
    """
    if any(option.split("=")[0] == FRAMES for option in given):
        from dashboard.compat.server.security_headers import (  # Takes a second.
            FRAME_ANCESTORS,
            frame_ancestors,
        )

        os.environ[FRAME_ANCESTORS] = frame_ancestors(_value(FRAMES, given) or "")


def choose_workers(given: list[str]) -> None:
    """Set how many processes compute for each process of the server.

    Several processes of a server share the cores, unless the number is given.

    Raises
    ------
    ValueError
        If it is not a number of processes, nor "threads".
    """
    from core.sweep import workers  # After the check that `core` is the own one.

    text, servers = _value(WORKERS, given), _value("--num-procs", given)
    if text is not None:
        workers.parse(text)
        os.environ[workers.VARIABLE] = text  # All processes of the server inherit it.
    elif workers.VARIABLE in os.environ:
        workers.parse(os.environ[workers.VARIABLE])
    elif servers is not None and servers.isdigit():
        cores = os.cpu_count() or 1
        count = int(servers) or cores
        os.environ[workers.VARIABLE] = str(max(1, (cores - count) // count))


def _value(name, given):
    """The value of an option, None if it is not given."""
    for place, option in enumerate(given):
        if option.startswith(name + "="):
            return option.partition("=")[2]
        if option == name:
            following = given[place + 1 : place + 2]
            return "" if not following or following[0].startswith("--") else following[0]
    return None


def _without(name, given):
    kept = list(given)
    if name in kept:
        place = kept.index(name)
        del kept[place : place + 2]
    return [option for option in kept if not option.startswith(name + "=")]


def _command(name, given):
    """Run a command of a pack; None if it is none. What is printed as a command says without its pack which one has it."""
    from dashboard.state import packs, printed_names  # After the check that `core` is the own one.

    if found := packs.commands().get(name):
        return pkgutil.resolve_name(found.run)(given)
    if name not in printed_names.COMMANDS:
        return None
    print(printed_names.absent(name), file=sys.stderr)
    return 2


def _help():
    from dashboard.state import packs

    texts = ((f"{name} {one.usage}".strip(), one.says) for name, one in sorted(packs.commands().items()))
    return HELP.format(commands="".join(f"       cape-lab {text:<28} {says}\n" for text, says in texts))


def main() -> int:
    """Run another command, or the server until it is stopped."""
    given = sys.argv[1:]
    try:
        require_own_packages()
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    if given and given[0][0:1] != "-" and (code := _command(given[0], given[1:])) is not None:
        return code
    if "--help" in given or "-h" in given:
        print(_help())
        return 0
    if "--help-all" in given:
        return subprocess.call([sys.executable, "-m", "panel", "serve", "--help"])
    try:
        check(given)
        open_secrets(given)
        allow_frames(given)
        choose_workers(given)
        # Panel always reads its command line from sys.argv.
        sys.argv = ["panel", *arguments(given)]
        runpy.run_module("panel", run_name="__main__")
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
