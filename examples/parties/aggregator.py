"""The aggregator of a plan: python examples/parties/aggregator.py PLAN [PORT]."""

import sys
from pathlib import Path

from core.parties import Aggregator, Plan
from core.parties.tcp import run_aggregator

plan = Plan.read(Path(sys.argv[1]).read_bytes())
released = run_aggregator(Aggregator(plan), ("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 8900))
print(released.value, "noise:", released.std, "sites:", released.sites, "dropped:", released.dropped)
print(
    "mu, average:", released.mu_public, "message:", released.mu_message, "aggregator:", released.mu_aggregator
)
