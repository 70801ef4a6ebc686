"""One site of a plan: python examples/parties/site.py PLAN NUMBER RECORDS.csv [PORT].

Started again after it was stopped, it goes on from the state that it kept.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import records

from core.parties import Plan, Site
from core.parties.tcp import run_site

plan, number = Plan.read(Path(sys.argv[1]).read_bytes()), int(sys.argv[2])
port = int(sys.argv[4]) if len(sys.argv) > 4 else 8900
kept = Path(f"site-{number}-{plan.id[:8]}.state")
if kept.exists():
    site = Site.restore(plan, kept.read_bytes())
else:
    site = Site(plan, number, records.statistic(plan, number, records.read(Path(sys.argv[3]))))
print(run_site(site, ("127.0.0.1", port), keep=kept))
