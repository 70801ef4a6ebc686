"""One site of a plan: python examples/parties/site.py PLAN NUMBER RECORDS.csv [PORT] [--consent SCHEME].

It says what it agrees to before it sends anything. A scheme that shows records to somebody needs consent by its name.
Started again after it was stopped, it goes on from the state that it kept, with the same records. A run that is finished
is not run again.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import records

from core.parties import Plan
from core.parties.tcp import run_site


def main() -> None:
    """Take part and print the average."""
    asked = argparse.ArgumentParser(description=__doc__)
    for name, kind in (("plan", Path), ("number", int), ("records", Path)):
        asked.add_argument(name, type=kind)
    asked.add_argument("port", type=int, nargs="?", default=8900)
    asked.add_argument("--consent", default="", metavar="SCHEME")
    given = asked.parse_args()
    plan = Plan.read(given.plan.read_bytes())
    kept = Path(f"site-{given.number}-{plan.id[:8]}.state")
    if kept.exists():
        site = records.again(plan, kept, given.records)
    else:
        site = records.site(plan, given.number, given.records, (given.consent,))
    if site.result is None:
        print(records.told(plan, run_site(site, ("127.0.0.1", given.port), keep=kept)))
    else:
        print(records.finished(site), file=sys.stderr)


records.run(main)
