"""What one run of an algorithm releases: Noise, Privacy, guarantee and ledger follow from one record, and cannot differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from core import Privacy, sweep
from dashboard.compare.observers import Observed, one_release
from dashboard.guarantee import guarantee as guarantees
from dashboard.guarantee import ledger_costs
from dashboard.guarantee.guarantee import Exposure
from dashboard.state.ledger import Drawn


def target(plan: Any) -> tuple[Privacy, str]:
    """The privacy that the shared controls ask for, and how noise is calibrated to it."""
    return _privacy(plan.settings.epsilon, plan.settings.delta), plan.settings.calibration


@lru_cache(maxsize=256)
def _privacy(epsilon, delta):
    return Privacy(epsilon, delta)


def once(law: Law, plan: Any, job: sweep.Job) -> Drawn | None:
    """The cost of a run that makes one release under a scheme."""
    return law.spent(plan, job)


@dataclass(frozen=True)
class Law:
    """What a run releases under a scheme.

    Attributes
    ----------
    sensitivity : callable
        Maps a plan to the sensitivity to which the noise of a message is calibrated, at a site of N/S records.
    statistic : callable
        Maps a plan to what the averaged numbers are, e.g. "each entry of the second moment".
    understated : callable
        Maps a plan and the settings of a run to the true sensitivity divided by that one.
    target : callable
        Maps a plan to the privacy of a whole run, and how its noise is calibrated.
    earlier : callable
        Maps a plan to the share of μ² of releases on which later ones depend, see `core.schemes.over_stages`.
    cost : callable
        Maps this law, plan and run to what the run costs, for the ledger; methods that are no schemes have costs of
        their own.
    data : callable
        Maps plan and run to the name of the data, for the ledger.
    std : callable, optional
        Maps plan and scheme to the noise of the average, where it does not follow from the sensitivity.
    curator : callable
        Maps a plan to one curator of all records, where the sites of its schemes have other weights than n_s/N; or None.
    """

    sensitivity: Callable[[Any], float]
    statistic: Callable[[Any], str]
    understated: Callable[[Any, Mapping[str, Any]], float] = lambda plan, here: 1.0
    target: Callable[[Any], tuple[Privacy, str]] = target
    earlier: Callable[[Any], float] = lambda plan: 0.0
    cost: Callable[[Law, Any, sweep.Job], Drawn | None] = once
    data: Callable[[Any, sweep.Job], str] = lambda plan, job: ledger_costs.data_name(plan.source, job)
    std: Callable[[Any, str], float] | None = None
    curator: Callable[[Any], Observed | None] = lambda plan: None

    def observed(self, plan: Any, scheme: str) -> Observed:
        """One run at the present settings: the noise of the average, and every observer's μ."""
        found = one_release(
            scheme,
            plan.settings,
            plan.here,
            change=self.sensitivity(plan),
            understated=self.understated(plan, plan.here),
            target=self.target(plan),
            earlier=self.earlier(plan),
        )
        found = replace(found, pure=bool(plan.here.get("pure")))
        return found if self.std is None else replace(found, std=self.std(plan, scheme))

    def exposures(self, plan: Any, methods: Iterable[str]) -> tuple[Exposure, ...]:
        """The largest δ of every observer under each private scheme."""
        privacy, calibration = self.target(plan)
        return guarantees.exposures(
            tuple(methods),
            privacy,
            calibration=calibration,
            sites=guarantees.counted(plan.here),
            understated=self.understated(plan, plan.here),
            earlier=self.earlier(plan),
            **self.against(plan),
        )

    @staticmethod
    def against(plan: Any) -> dict[str, Any]:
        """Against whom the target holds: sites that collude, and the terms of the run."""
        colluding = min(plan.settings.colluding, plan.here["sites"] - 1)
        return {"colluding": colluding, "terms": guarantees.terms_of(plan.here)}

    def of_run(self, plan: Any, job: sweep.Job) -> Drawn | None:
        """The cost of a run; None without noise."""
        return self.cost(self, plan, job)

    def spent(self, plan: Any, job: sweep.Job) -> Drawn | None:
        """The cost of one release under the scheme of a run; None without noise."""
        return ledger_costs.of_job(
            job,
            data=self.data(plan, job),
            calibration=plan.settings.calibration,
            understated=self.understated(plan, dict(job.settings)),
        )
