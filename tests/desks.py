"""Five sites with desks and an aggregator in one folder: plans, records and a pipe that can lose what it carries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core import Privacy
from core.desk import Centre, Desk
from core.parties import Column, Plan, Statistic, plan_of
from core.parties.second_version import DRAWS

CEILING = {"epsilon": 2.0, "delta": 1e-5, "reason": "the first year"}


class Consortium:
    """Desks, records and one plan.

    Parameters
    ----------
    root : Path
    scheme : str
    sites, dropouts : int
    statistic : Statistic, optional
        With `columns` and `tables`, the records of the sites. Default: the mean of one column of stays.
    **options
        Of the plan.
    """

    def __init__(
        self,
        root: Path,
        scheme="cape-after",
        *,
        sites=5,
        dropouts=1,
        seed=0,
        statistic=None,
        columns=None,
        tables=None,
        privacy=None,
        **options,
    ):
        rng = np.random.default_rng(seed)
        self.root = root
        self.tables = [50 * rng.random((60 + 10 * s, 1)) for s in range(sites)] if tables is None else tables
        keys = {f"h{s}": Desk.init(self.folder(s)).key.public for s in range(sites)}
        keys["aggregator"] = Centre.init(root / "centre").public
        if statistic is None:
            statistic, columns = Statistic("mean", (1,), 0.0, 50.0), (Column("stay", "days", 0.0, 50.0),)
        about = {"against": "aggregator", "dropouts": dropouts, "keys": keys, "draw": DRAWS[0]}
        about["threshold"] = max(2, sites - dropouts)
        self.plan = plan_of(
            statistic,
            [len(table) for table in self.tables],
            privacy or Privacy(1.0, 1e-5),
            names=[f"h{s}" for s in range(sites)],
            scheme=scheme,
            noise="discrete",
            columns=columns,
            **(about | options),
        )

    def folder(self, site: int) -> Path:
        return self.root / f"site{site}"

    def desk(self, site: int, **options) -> Desk:
        """The desk as its files say, as after a restart."""
        return Desk(self.folder(site), **options)

    def agree(self, plan: Plan | None = None) -> Consortium:
        """Every site sets a ceiling and consents."""
        for s, table in enumerate(self.tables):
            desk = self.desk(s)
            if desk.ledger.ceiling is None:
                desk.set_ceiling(**CEILING)
            desk.consent(self.plan if plan is None else plan, table)
        return self

    def centre(self, plan: Plan | None = None) -> Centre:
        return Centre(self.root / "centre", self.plan if plan is None else plan)

    def truth(self, sites) -> float:
        records = np.concatenate([self.tables[s] for s in sites])
        return float(records.mean())

    def run(self, *, silent=(), at="input", on_letter=None):
        """Carry the plan out; the `silent` sites send nothing from round `at` on."""
        centre = self.centre()
        queue = [data for s in range(len(self.tables)) for data in self.desk(s).begin(self.plan)]
        rounds = ["join", "shares", "input", "unmask"]
        for _ in range(200):
            sent = centre.take(queue)
            assert not centre.refused, centre.refused
            queue = []
            if not sent:
                if centre.phase == "done":
                    return centre
                sent = centre.close()
            for number, data in sent:
                phase = centre.phase
                if number in silent and (phase == "done" or rounds.index(phase) >= rounds.index(at)):
                    continue
                found = self.desk(number).take([data])
                assert not found.refused, found.refused
                queue += found.letters
                if on_letter is not None:
                    for letter in found.letters:
                        on_letter(number, letter)
        raise AssertionError("the run did not end")
