"""The work of a comparison: the results at the present settings and the runs of its curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.schemes import SCHEMES, most_dropouts, named
from core.sweep.workers import Call
from dashboard.compare import store
from dashboard.compare.spec import Comparison
from dashboard.compare.store import Results
from dashboard.runs.fit import Fit
from dashboard.sheet.work import Work
from dashboard.state.ledger import Drawn
from dashboard.theme.scheme_style import label


def _refuse_dropouts(plan: Any) -> None:
    """Raise a ValueError if the sum of a scheme comes after the messages, and more sites may drop out than it allows."""
    after = [s for s in plan.shown if s in SCHEMES and named(s).summed and not named(s).sum_only]
    for scheme in after:
        for cell in (plan.here, *map(dict, getattr(plan, "cells", ()))):
            sites, dropouts = cell.get("sites"), cell.get("dropouts", 0)
            if not dropouts or not isinstance(sites, int):
                continue
            if dropouts > (most := most_dropouts(scheme, sites, colluding=cell.get("colluding", 0))):
                raise ValueError(
                    f"of {sites} sites at most {most} may drop out under {label(scheme)}, not {dropouts}: with more, two "
                    "sums of one run could be revealed. Choose fewer dropouts, or leave this scheme out."
                )


@dataclass(frozen=True, kw_only=True)
class Sweep(Work):
    """What a comparison computes.

    Attributes
    ----------
    of : Comparison
    """

    of: Comparison

    @property
    def live(self) -> bool:
        return False

    @property
    def counts(self) -> bool:
        return True

    @property
    def several(self) -> bool:
        return True

    def begin(self, page: Any, plan: Any) -> Sequence[Call]:
        """The calls of everything that is not yet known of a plan."""
        plan.share(None if page.results is None else page.results.plan)
        others = {name: text for name, text in page.settings.texts().items() if name != plan.axis}
        others = others, page.model.table
        along = others == page.held.get("others")  # Whether it differs from the one before on its axis alone.
        page.held.update(along=along, others=others, fits=self.of.result.fits(plan))
        calls = store.missing(page.store, plan, page.held["fits"])
        return page.unknown(plan, calls)

    def keep(self, page: Any, plan: Any, results: Iterable) -> None:
        page.record_releases(_costs(self.of, plan, store.add(page.store, plan, results)))

    def known(self, page: Any, plan: Any) -> Results:
        fits = page.held["fits"] if "fits" in page.held else self.of.result.fits(plan)
        found = store.known(page.store, plan, fits, self.of.curve.means)
        if (earlier := page.results) is None:
            return found
        if page.held.get("along") or earlier.plan is plan:
            found.follow(earlier)
        return found.after(earlier)

    def check(self, plan: Any) -> None:
        _refuse_dropouts(plan)

    def opens_with(self, plan: Any) -> Callable[[Call], bool]:
        return lambda call: isinstance(call.key[0], Fit) and not self.of.model.lasting

    def refused(self, page: Any) -> None:
        return None


def _costs(spec, plan, jobs):
    """What runs cost in the ledger: repeats at the same settings cost the same."""
    found: dict[tuple, Drawn | None] = {}
    for job in jobs:
        place = job.scheme, job.settings
        if place not in found:
            found[place] = spec.law.of_run(plan, job)
        if (cost := found[place]) is not None:
            yield replace(cost, identity=job)
