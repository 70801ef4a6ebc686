"""The aggregator of a plan: python examples/parties/aggregator.py PLAN [PORT]."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import records

from core.parties import Aggregator, Plan
from core.parties.tcp import run_aggregator


def main() -> None:
    """Release the average and print it."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("plan", type=Path)
    asked.add_argument("port", type=int, nargs="?", default=8900)
    given = asked.parse_args()
    aggregator = Aggregator(Plan.read(given.plan.read_bytes()))
    released = run_aggregator(aggregator, ("127.0.0.1", given.port))
    print(records.told(aggregator.plan, released.value, released.std))
    print("sites:", released.sites, "dropped:", released.dropped)
    learnt = {
        "average": released.mu_public,
        "message": released.mu_message,
        "aggregator": released.mu_aggregator,
    }
    print("mu,", *(f"{name}: {mu}" for name, mu in learnt.items()))


records.run(main)
