"""The command that writes the handout: `python -m dashboard.handout --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from dashboard.compat.own_packages import require_own_packages
from dashboard.state.typed_number import typed_number

SETTINGS = ("epsilon", "delta", "sites", "samples", "colluding", "imbalance", "noise")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    try:
        require_own_packages()
        from dashboard.packs.handout.build import handout  # Imports the app's pages: takes seconds.

        chosen = {name: getattr(options, name) for name in SETTINGS if getattr(options, name) is not None}
        page = "protocol" if options.page in ("start", "averaging") else options.page  # Its names before.
        text = handout(chosen, page=page)
        Path(options.out).write_text(text, encoding="utf-8")
    except (ImportError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{options.out}: {len(text.encode()) / 1000:.0f} kB; opens in any browser, also without a network")
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="cape-lab handout",
        description="Write one HTML file with Protocol, Gain and Guarantee for phones, slides and mail. "
        "It needs neither Python nor a network.",
    )
    parser.add_argument("--out", default="cape-lab.html", metavar="FILE", help="default: cape-lab.html")
    parser.add_argument("--page", default="protocol", help="protocol (default), gain or guarantee")
    for name in SETTINGS:
        parser.add_argument(f"--{name}", type=_number, help=f"{name} with which it opens")
    return parser


def _number(text):
    """A number as people type it, with a decimal point or a comma."""
    try:
        return typed_number(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
