"""What the page Audit asks: which program is audited, by how many releases, and how surely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import param

from core import Privacy
from core.audit import reference_cases
from dashboard.page.model import Model
from dashboard.state.controls import LogInteger

BATCHES = 20
SHARED = ("epsilon", "delta", "sites", "colluding")


@dataclass(frozen=True)
class Mechanism:
    """A menu entry: a function of `core.audit.reference_cases` and its arguments."""

    text: str
    builder: Callable[..., reference_cases.Case]
    options: Mapping[str, Any] = field(default_factory=dict)
    shared: tuple[str, ...] = ()  # Shared controls that it takes.
    promise: Privacy | None = None  # A promise of its own, instead of that of the controls.
    seen: str = "one release"  # What the attacker sees at each guess.

    def arguments(self, c) -> tuple[Privacy, dict[str, Any]]:
        """The promise and the options under these controls."""
        promise = self.promise or Privacy(c.epsilon, c.delta)
        return promise, {**self.options, **{name: getattr(c, name) for name in self.shared}}

    def call(self, c) -> str:
        """Source code of the call that builds the mechanism."""
        promise, options = self.arguments(c)
        words = [
            f"Privacy({promise.epsilon!r}, {promise.delta!r})",
            *(f"{k}={v!r}" for k, v in options.items()),
        ]
        return f"reference_cases.{self.builder.__name__}({', '.join(words)})"


_ONE_MESSAGE = {"against": "message", "seen_by": "aggregator"}
_ALL = "the messages of all sites"
_TOLD = f"{_ALL} and the zero-sum noise of those that collude"
_COLLUDERS = {"against": "message", "seen_by": "colluders"}
MECHANISMS = {
    "message": Mechanism("Gaussian noise of the formula", reference_cases.message),
    "laplace": Mechanism("Laplace noise", reference_cases.laplace),
    "fresh": Mechanism(
        "Two releases, fresh noise", reference_cases.shared_seed, {"broken": False}, seen="both releases"
    ),
    "moment": Mechanism("Word pairs, full noise", reference_cases.moment),
    "cape_aggregator": Mechanism(
        "CAPE, noise set for all messages; all are seen",
        reference_cases.cape,
        {"against": "aggregator"},
        ("sites",),
        seen=_ALL,
    ),
    "cape_colluders": Mechanism(
        "CAPE, noise set for colluders, who see all",
        reference_cases.cape,
        {"against": "colluders"},
        ("sites", "colluding"),
        seen=_TOLD,
    ),
    "short": Mechanism(
        "Gaussian noise, two thirds of the formula's",
        reference_cases.message,
        {"factor": 2 / 3},
    ),
    "classical": Mechanism(
        "Gaussian noise, classical formula at ε = 10",
        reference_cases.message,
        {"calibration": "published"},
        promise=Privacy(10.0, 0.01),
    ),
    "known_seed": Mechanism("Gaussian noise from a known seed", reference_cases.fixed_seed),
    "shared_seed": Mechanism(
        "Two releases, noise from one seed", reference_cases.shared_seed, seen="both releases"
    ),
    "symmetric": Mechanism("Word pairs, symmetric noise", reference_cases.moment, {"distribution": "copied"}),
    "cape_short": Mechanism(
        "CAPE, noise set for one message; all messages are seen",
        reference_cases.cape,
        _ONE_MESSAGE,
        ("sites",),
        seen=_ALL,
    ),
    "cape_short_colluders": Mechanism(
        "CAPE, noise set for one message; colluders see all",
        reference_cases.cape,
        _COLLUDERS,
        ("sites", "colluding"),
        seen=_TOLD,
    ),
}


@dataclass(frozen=True)
class Plan:
    """The audited mechanism, its number of runs, the confidence and the seed."""

    call: str  # Python that builds the case.
    mechanism: str
    promise: Privacy
    options: tuple[tuple[str, Any], ...]
    runs: int
    confidence: float
    seed: int

    @property
    def case(self) -> reference_cases.Case:
        """The mechanism and the two data sets."""
        return _case(self.mechanism, self.promise, self.options)

    @property
    def batch(self) -> int:
        """Evaluation runs in each batch."""
        return self.runs // BATCHES

    @property
    def total(self) -> int:
        """Evaluation runs of each kind, in all batches."""
        return self.batch * BATCHES

    @property
    def absent(self) -> tuple[str, ...]:
        """Shared controls that its mechanism does not take."""
        entry = MECHANISMS[self.mechanism]
        taken = {*entry.shared, *(("epsilon", "delta") if entry.promise is None else ())}
        return tuple(name for name in SHARED if name not in taken)

    @property
    def learning(self) -> int:
        """Number of runs used to choose the test; the evaluation excludes them."""
        return max(self.runs // 4, 100)


class AuditModel(Model):
    """The mechanism, the number of runs and the confidence."""

    run_settings: ClassVar = {"unit": "batch of runs", "units": "batches of runs"}

    mechanism = param.Selector(
        default="short",
        objects={entry.text: key for key, entry in MECHANISMS.items()},
        label="Mechanism",
        doc="This program is audited. Some programs keep the ε that they state, and some do not.",
    )
    runs = LogInteger(
        50_000,
        bounds=(1000, 1_000_000),
        label="Releases to look at, of each kind",
        doc="The mechanism runs so often with your record, and so often with another in its place. With more "
        "releases the bound is tighter.",
    )
    confidence = param.Selector(
        default=0.999,
        objects=[0.95, 0.99, 0.999],
        label="Confidence",
        doc="The lower bound is correct with this probability. A sound mechanism is flagged with at most 1 minus "
        "this.",
    )

    def plan(self) -> Plan:
        """What the settings ask for."""
        c, entry = self.controls, MECHANISMS[self.mechanism]
        if "colluding" in entry.shared and not c.colluding:
            raise ValueError("This mechanism needs colluding sites: choose at least 1.")
        promise, options = entry.arguments(c)
        plan = Plan(
            entry.call(c),
            self.mechanism,
            promise,
            tuple(options.items()),
            self.runs,
            self.confidence,
            c.noise_seed,
        )
        plan.case  # noqa: B018  Contradictory settings raise an error here.
        return plan


@lru_cache(maxsize=32)
def _case(mechanism, promise, options):
    return MECHANISMS[mechanism].builder(promise, **dict(options))
