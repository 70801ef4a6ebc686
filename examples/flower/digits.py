"""Write the handwritten digits of five sites as CSV files, and plans for their second moment.

python examples/flower/digits.py FOLDER [REPEATS] [EPSILON]
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from core import Privacy
from core.parties import Plan, Statistic, plan_of
from data.catalogue import tables

SETTINGS = {"data": "digits", "sites": 5, "samples": 359, "data_seed": 1, "published": False}


def sites() -> list[np.ndarray]:
    """The records of every site, within the unit ball."""
    return tables.load(SETTINGS)[0]


def plan(epsilon: float, run: str) -> Plan:
    """The plan of the second moment of the digits under CAPE."""
    counts, target = [len(x) for x in sites()], Privacy(epsilon, 1e-5)
    return plan_of(
        Statistic("second moment", (64, 64), norm=1.0), counts, target, noise="symmetrised", run=run
    )


def write(folder: Path, repeats: int = 1, epsilon: float = 1.0) -> None:
    """Write the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for s, x in enumerate(sites()):
        names = ",".join(f"p{i}" for i in range(x.shape[1]))
        np.savetxt(folder / f"site-{s}.csv", x, "%.17g", ",", header=names, comments="")
    for r in range(repeats):
        (folder / f"plan-{r}.json").write_text(plan(epsilon, str(r)).text())


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("repeats", type=int, nargs="?", default=1)
    asked.add_argument("epsilon", type=float, nargs="?", default=1.0)
    write(**vars(asked.parse_args()))
