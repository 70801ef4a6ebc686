"""What the page Sites computes: a noise design for a table of unequal sites, and each site's exact δ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import param

from core import Privacy, cape, release, schemes
from core.parties import Member, Plan, Statistic
from dashboard.packs.consortium.sites import apart
from dashboard.page.model import Model
from dashboard.problems.sites import LEAST_EPSILON, Row, Rows, own_weights, read_rows, write_rows
from dashboard.state.controls import LogNumber

DRAWS = 2000
DESIGNED = cape.SCHEME  # The scheme whose noise this page designs.

HOSPITALS = write_rows(
    [
        Row("University", 12_000, 1.0, 1e-5),
        Row("Harbour", 5400, 1.0, 1e-5),
        Row("Northgate", 3100, 1.0, 1e-5),
        Row("Children's", 1500, 1.0, 1e-5),
        Row("Lakeside", 900, 1.0, 1e-5),
        Row("Rural clinic", 350, 2.0, 1e-5),
    ]
)
GIANT = write_rows(
    [Row("giant", 50_000, 1.0, 1e-6)] + [Row(f"small {i}", 500, 1.0, 1e-6) for i in range(1, 8)]
)
TWENTY = write_rows([Row(f"site {i}", 200 + 10 * (i % 5), 1.0, 1e-5) for i in range(1, 21)])
PARANOID = write_rows(
    [Row("paranoid", 2000, 0.1, 1e-7)] + [Row(f"relaxed {i}", 2000, 1.0, 1e-5) for i in range(1, 6)]
)


def strict(rows: Sequence[Row]) -> int | None:
    """The one site whose ε is the smallest; None if several share it."""
    least = min(row.epsilon for row in rows)
    found = [site for site, row in enumerate(rows) if row.epsilon == least]
    return found[0] if len(found) == 1 else None


def asks(rows: Sequence[Row]) -> tuple[int, float]:
    """The site that the play lets ask for another ε, and that ε: a strict one for the others', else one for half."""
    site = strict(rows)
    if site is None:
        return len(rows) - 2, max(min(row.epsilon for row in rows) / 2, LEAST_EPSILON)
    return site, min(row.epsilon for row in rows if row is not rows[site])


def after_ask(rows: Sequence[Row]) -> list[Row]:
    """The table after that site has asked."""
    site, epsilon = asks(rows)
    return [replace(row, epsilon=epsilon) if s == site else row for s, row in enumerate(rows)]


@dataclass(frozen=True)
class Eased:
    """The noise if the strict site had the others' smallest ε."""

    site: int
    epsilon: float
    curator: float  # As in `SitesPicture`, as is `std`.
    std: dict[str, float]
    messages: np.ndarray  # Noise of each message in the average, shape (S,).


@dataclass(frozen=True)
class SitesPicture:
    """A design for the sites of the table, and what follows for each; arrays of shape (S,)."""

    rows: tuple[Row, ...]
    weights: np.ndarray
    design: cape.NoiseDesign
    least: float  # The least noise of the average that meets every privacy target, max w_s τ_s.
    left: np.ndarray  # The sites whose messages are in the average.
    strictest: int  # The site whose target needs the most noise in the average: a curator's noise is for it.
    curator: float  # Noise of one trusted curator's average of all records, also of sites that drop out.
    std: dict[str, float]  # Predicted noise of the average per scheme, after dropouts.
    sent: dict[str, float]  # The same if all who agreed on noise had sent.
    measured: dict[str, float]
    exposed: schemes.Exposure
    stage: str
    against: str
    eased: Eased | None  # None if no one site is the strictest, or if there is no such design.
    form: str
    target: float  # The noise of the average over the least.
    calibration: str
    plannable: bool  # Whether a plan can state the design.
    apart: apart.Apart | None = (
        None  # The designs if it was planned that these sites drop out, of CAPE that meets all targets.
    )
    refused: str = ""  # Why there is no design with the setting's target, if so; this one is the nearest.

    @property
    def unit(self) -> float:
        """The noise that is 1 in the picture: a curator's, before the strict site asked for its ε."""
        return self.curator if self.eased is None else self.eased.curator

    def noise(self, std: float) -> float:
        """A variance in the picture's unit."""
        return (std / self.unit) ** 2

    @cached_property
    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """Zero-sum and local variance of every message in the average, in the picture's unit; shape (S,) each."""
        # The weights of those that remain are scaled to sum to one.
        whole = self.noise(self.design.target) / self.design.weights[self.left].sum() ** 2
        zero_sum, local = (np.where(self.left, share, 0.0) * whole for share in self.shares)
        return zero_sum, local

    @property
    def dearer(self) -> float:
        """Variance of CAPE's average over what it was before the strict site asked for its ε; 1 without one."""
        return 1.0 if self.eased is None else (self.std["cape"] / self.eased.std["cape"]) ** 2

    @cached_property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Zero-sum and local variance of each message in the average, in units of the average's variance."""
        unit = self.design.weights / self.design.target
        return (unit * self.design.zero_sum_std) ** 2, (unit * self.design.local_std) ** 2

    @property
    def gain(self) -> float:
        """Variance of the conventional average over CAPE's, each with the noise that its own guarantee needs."""
        return (self.std["conventional"] / self.std["cape"]) ** 2

    @property
    def colluding(self) -> int:
        """Number of colluding sites."""
        return sum(row.colludes for row in self.rows)


class SitesModel(Model):
    """The table of sites, and the settings of the design."""

    rows = Rows(HOSPITALS, label="Sites")
    weights = param.Selector(
        default="size",
        objects={"by size": "size", "equal": "equal", "own": "table"},
        label="Weights of the average",
        doc="By size: nₛ/N, the average of all records. Equal: 1/S. Own: the table's column, which must sum to 1.",
    )
    target = LogNumber(
        1.0,
        bounds=(0.05, 10.0),
        label="Noise of the average (1: every target holds)",
        doc="At 1 this design meets every site's privacy target against the chosen adversary. Against an adversary who sees "
        "one message this is the noise that one curator of all records would add; the others require more. "
        "A design may exist at a lower value, but it can miss some site's privacy target.",
    )
    against = param.Selector(
        default="colluders",
        objects={"one message": "message", "aggregator": "aggregator", "colluders": "colluders"},
        label="Privacy targets hold against",
        doc="Each site's (ε, δ) holds against this adversary. The papers assume an adversary "
        "who sees a single message. The aggregator sees all messages, and the sites marked as colluding share "
        "what they know with it.",
    )
    form = param.Selector(
        default="ours",
        objects={"ours": "ours", "published": "published"},
        label="Design",
        doc="Our design exists if no site outweighs all others. The published one is that of [Fact] section "
        "III-A, for comparison.",
    )
    stage = param.Selector(
        default="after",
        objects={"before agreeing": "before", "after agreeing": "after"},
        label="Dropouts happen",
        doc="If sites drop out before the noise is agreed, the others run without them. If they do so after, the "
        "zero-sum noise of the remaining sites no longer sums to zero.",
    )

    def table_rows(self) -> tuple[Row, ...]:
        """The sites of the table."""
        return read_rows(self.rows)

    def plan(self) -> SitesPicture:
        """Design the noise and compute every adversary's δ; where no design exists, that of the nearest target."""
        try:
            return self._picture(self.target)
        except Infeasible as error:
            return replace(self._picture(_within(self, error.nearest)), refused=str(error))

    def _picture(self, target):
        rows = self.table_rows()
        if all(row.colludes for row in rows):
            raise ValueError("All sites collude: at least one must be honest.")
        if all(row.drops for row in rows):
            raise ValueError("All sites drop out: at least one must remain.")
        weights = self._weights(rows)
        here = np.array([self.stage == "after" or not row.drops for row in rows])
        if here.sum() < 2:
            raise ValueError(
                "Zero-sum noise needs at least 2 sites that do not drop out before it is agreed."
            )
        plan, least, std, sent = self._designed(rows, weights, here, target)
        return SitesPicture(
            rows=rows,
            weights=weights,
            design=_spread(plan, here),
            least=least,
            left=np.array([not row.drops for row in rows]),
            strictest=int((weights * self._alone(rows)).argmax()),
            curator=schemes.average_std("pooled", self._alone(rows), weights),
            std=std,
            sent=sent,
            measured=self._measure(rows, weights, plan, here),
            exposed=self._exposed(rows, plan, here),
            stage=self.stage,
            against=self.against,
            eased=self._eased(rows, weights, here, target),
            form=self.form,
            target=target,
            calibration=self.controls.calibration,
            plannable=self.plannable,
            apart=self._apart(rows, weights, target),
        )

    def _apart(self, rows, weights, target):
        """The designs that are planned for the sites that dropped out after the noise was agreed."""
        if self.stage != "after" or self.form != "ours" or target != 1.0:
            return None
        silent, colluding = (sum(getattr(row, name) for row in rows) for name in ("drops", "colludes"))
        return apart.planned(self._alone(rows), weights, silent, against=self.against, colluding=colluding)

    def _designed(self, rows, weights, here, target):
        """The design for the sites that are here, the least noise it may have, and each scheme's, also if all sent."""
        inside = [row for row, is_here in zip(rows, here, strict=True) if is_here]
        shares = weights[here] / weights[here].sum()
        alone, std = self._message_std(inside, shares)
        least = float((shares * std).max())
        make = cape.design if self.form == "ours" else cape.published_design
        try:
            plan = make(std, shares, target=least * target)
        except cape.UnreachableTarget as refused:
            raise Infeasible(refused, inside, least) from None
        lost = [i for i, row in enumerate(inside) if row.drops]
        return plan, least, _noise(plan, shares, alone, lost), _noise(plan, shares, alone, [])

    def _eased(self, rows, weights, here, target):
        """What the noise would be if the strict site had the others' smallest ε."""
        site = strict(rows)
        if site is None or not here[site]:
            return None
        eased = after_ask(rows)
        try:
            plan, _, std, _ = self._designed(eased, weights, here, target)
        except Infeasible:
            return None
        spread = _spread(plan, here)
        left = weights[[not row.drops for row in rows]].sum() / weights[here].sum()
        return Eased(
            site=site,
            epsilon=eased[site].epsilon,
            curator=schemes.average_std("pooled", self._alone(eased), weights),
            std=std,
            messages=spread.weights * spread.std / left,
        )

    @property
    def plannable(self) -> bool:
        """Whether a plan can state the design: it is ours, with the least noise that meets every target."""
        if self.form != "ours" or self.target != 1.0:
            return False
        try:
            return bool(self.consortium())
        except ValueError:  # A row's target that sites of their own would refuse.
            return False

    def consortium(self) -> Plan:
        """The plan of an average of numbers in [0, 1] that the sites carry out, where `plannable`."""
        rows = self.table_rows()
        members = (
            Member(row.site, float(w), 1 / row.size, Privacy(row.epsilon, row.delta), row.size)
            for row, w in zip(rows, self._weights(rows), strict=True)
        )
        colluding = sum(row.colludes for row in rows) if self.against == "colluders" else 0
        return Plan(
            Statistic("mean", (), 0.0, 1.0),
            tuple(members),
            DESIGNED,
            calibration=self.controls.calibration,
            against=self.against,
            colluding=min(colluding, len(rows) - 1),
        )

    def _weights(self, rows):
        sizes = np.array([row.size for row in rows], dtype=float)
        if self.weights == "size":
            return sizes / sizes.sum()
        if self.weights == "equal":
            return np.full(len(rows), 1 / len(rows))
        return own_weights(rows)

    def _message_std(self, rows, weights):
        """τ_s that the privacy targets require of a message seen alone, and τ_s against the chosen adversary."""
        sensitivities, alone = np.array([1 / row.size for row in rows]), self._alone(rows)
        colluding = min(sum(row.colludes for row in rows), len(rows) - 1)
        return alone, schemes.calibrated(
            alone, sensitivities, weights, against=self.against, colluding=colluding
        )

    def _alone(self, rows):
        """τ_s that the privacy targets require of a message seen alone."""
        demands = [Privacy(row.epsilon, row.delta) for row in rows]
        sensitivities = [1 / row.size for row in rows]
        return schemes.message_std(sensitivities, demands, calibration=self.controls.calibration)[1]

    def _measure(self, rows, weights, plan, here):
        """Measured noise of the average over many repetitions of the protocol."""
        rng = np.random.default_rng(self.controls.noise_seed)
        demands = [Privacy(row.epsilon, row.delta) for row in rows]
        dropped = [i for i, row in enumerate(rows) if row.drops]
        options = {"calibration": self.controls.calibration, "weights": weights}
        options |= {"absent" if self.stage == "before" else "dropped": dropped}
        zeros = np.zeros((len(rows), DRAWS))
        found = {}
        for scheme in compared():
            if scheme == DESIGNED:
                lost = [i for i, site in enumerate(np.flatnonzero(here)) if site in dropped]
                found[scheme] = schemes.measured_std(plan, draws=DRAWS, rng=rng, dropped=lost)
                continue
            sensitivities = [1 / row.size for row in rows]
            value = release(zeros, sensitivities, demands, scheme=scheme, rng=rng, **options).value
            found[scheme] = float(np.sqrt(np.mean(value**2)))
        return found

    def _exposed(self, rows, plan, here):
        """Every adversary's δ for each site of the table; NaN for sites that take no part."""
        chosen = [row for row, is_here in zip(rows, here, strict=True) if is_here]
        if all(row.colludes for row in chosen):
            raise ValueError("All remaining sites collude: at least one must be honest.")
        found = schemes.exposure(
            plan,
            [1 / row.size for row in chosen],
            [row.epsilon for row in chosen],
            colluding=[i for i, row in enumerate(chosen) if row.colludes],
            dropped=[i for i, row in enumerate(chosen) if row.drops],
        )

        def wide(values):
            full = np.full(len(rows), np.nan)
            full[here] = values
            return full

        return schemes.Exposure(**{name: wide(values) for name, values in vars(found).items()})


def _within(model, ratio):
    """A target ratio rounded up to three digits, inside the slider's bounds."""
    low, high = model.param.target.bounds
    digits = 2 - math.floor(math.log10(ratio))
    # Where nothing cancels, the average has the most noise, so that limit is rounded down.
    up = math.ceil(ratio * 10**digits) if ratio > model.target else math.floor(ratio * 10**digits)
    return min(max(up / 10**digits, low), high)


class Infeasible(ValueError):
    """No design has the chosen target; `nearest` is the closest value of the target slider that has one."""

    def __init__(self, refused: cape.UnreachableTarget, rows, least: float):
        self.nearest = refused.nearest / least
        ratio = f"{self.nearest:.3g}"
        if refused.site is None:
            words = (
                f"No design adds that much noise: where nothing cancels, the average has the most, {ratio} ×."
            )
        elif "dominates" in str(refused):
            words = (
                f"{rows[refused.site].site} dominates: all other sites together cannot cancel enough of its noise. "
                f"{ratio} × is the lowest feasible value."
            )
        else:
            words = (
                f"The published form is infeasible: {rows[refused.site].site} would need local noise of negative "
                f"variance. It exists from {ratio} × on; our design exists here."
            )
        super().__init__(words)


def compared() -> tuple[str, ...]:
    """The private schemes that average all sites, as this page has no choice; one site alone has only its own records."""
    return tuple(
        scheme
        for scheme in schemes.OFFERED
        if schemes.is_private(scheme) and not schemes.named(scheme).one_site
    )


def _noise(plan, weights, alone, lost):
    """Predicted noise of the average per scheme; only CAPE is recalibrated against more than one message."""
    return {
        scheme: plan.average_std(lost)
        if scheme == DESIGNED
        else schemes.average_std(scheme, alone, weights, dropped=lost)
        for scheme in compared()
    }


def _spread(plan, here):
    """The design for all sites of the table, with zero noise for sites that take no part."""
    if here.all():
        return plan

    def wide(values):
        full = np.zeros(len(here))
        full[here] = values
        return full

    arrays = (plan.zero_sum_std, plan.local_std, plan.seed_std)
    return cape.NoiseDesign(wide(plan.std), wide(plan.weights), plan.target, *map(wide, arrays))
